//go:build !unix

package asmtest

const Guarded = false

// Guard is ordinary memory on systems on which package asmtest cannot protect pages.
type Guard struct {
	AtStart bool
	Heap
}

func (*Guard) Free() {}
