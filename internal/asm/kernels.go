package asm

import "unsafe"

// Block is the number of elements of the blocks into which long vectors are divided. Summing each
// block separately limits the rounding error of long sums.
const Block = 65536

const (
	lanes       = 64
	sparseLanes = 8
)

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
