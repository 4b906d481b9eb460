//go:build !unix

package asmtest

// Guarded reports whether a Guard's memory faults beyond its ends on this system.
const Guarded = false

// Guard is ordinary memory on systems on which package asmtest cannot protect pages.
type Guard struct {
	AtStart bool
	Heap
}

func (*Guard) Free() {}
