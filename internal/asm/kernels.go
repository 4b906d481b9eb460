package asm

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/misuse"
)

// Block is the number of elements after which a sum starts anew and a call into assembly ends. It
// bounds the time in one call, which can't be pre-empted, to some tens of microseconds, and keeps
// the rounding error of long sums small.
const Block = 65536

const (
	lanes       = 64 // of a dense sum
	sparseLanes = 8  // of a sparse sum
)

// Lengths and rows are checked here and nowhere else: dense calls these functions and does nothing
// before, so that it is inlined. Of vectors it is the assembly that checks: dotActive compares the
// lengths and works like dotGeneric, on the path in use. It leaves vectors whose lengths differ, long
// ones and those on the path without assembly to dotRare. Kernels over rows trust their caller, and
// have no such function. Panics name the function that the caller sees: see package misuse.

// mismatch returns what to panic with. It is not inlined, like the others that do so, to keep its
// code out of the kernels'; that it doesn't panic itself tells the compiler that nothing comes
// after.
//
//go:noinline
func mismatch(a string, n int, b string, m int) any {
	return misuse.Lengths(a, n, b, m)
}

func vectorsDiffer(x, y []float32) any {
	return mismatch("len(x)", len(x), "len(y)", len(y))
}

//go:noinline
func threeDiffer(dst, x, y []float32) any {
	if len(x) != len(y) {
		return vectorsDiffer(x, y)
	}
	return mismatch("len(dst)", len(dst), "len(x)", len(x))
}

// Prefetch asks for x to be brought into the caches. It has no other effect, and none at all in
// plain Go.
func Prefetch[T float32 | int32 | uint16 | int8 | byte](x []T) {
	n := min(len(x)*int(unsafe.Sizeof(*new(T)))/4, Block) // of whole floats
	if n == 0 {
		return
	}
	prefetchActive((*float32)(unsafe.Pointer(unsafe.SliceData(x))), n)
}

func prefetchGeneric(*float32, int) {}
