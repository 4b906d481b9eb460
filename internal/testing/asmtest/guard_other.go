//go:build !unix

package asmtest

const Guarded = false

// Guard is ordinary memory, because package asmtest cannot protect pages on this system.
type Guard struct {
	AtStart bool
	Heap
}

func (*Guard) Free() {}
