//go:build !unix

package asmtest

// Guarded tells whether Guard faults beyond its operands on this system.
const Guarded = false

// Guard is ordinary memory here: this system has no pages to protect, or no assembly to be caught.
type Guard struct {
	AtStart bool
	Heap
}

// Free does nothing.
func (*Guard) Free() {}
