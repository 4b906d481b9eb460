package asm

import "unsafe"

// Block is the number of elements of the blocks into which long vectors are divided. Each block is
// summed by itself, which limits the rounding error of long sums. Blocks also bound the time of a
// call into assembly, in which the goroutine can't be preempted.
const Block = 65536

const (
	lanes       = 64
	sparseLanes = 8
)

// Lengths of vectors are compared in assembly: the stub of Dot jumps to the body for the path in
// use or, if the lengths differ or exceed Block or that path is Generic, to the slow path, dotSlow.

// Prefetch asks the CPU to load x, or at most its first Block*4 bytes, into the caches. On the
// Generic path it does nothing.
func Prefetch[T float32 | int32 | uint16 | int8 | byte](x []T) {
	n := min(len(x)*int(unsafe.Sizeof(*new(T)))/4, Block) // length in whole floats
	if n == 0 {
		return
	}
	prefetchActive((*float32)(unsafe.Pointer(unsafe.SliceData(x))), n)
}

func prefetchGeneric(*float32, int) {}
