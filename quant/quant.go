// Package quant has kernels for vectors of bytes, int8 or uint8, as quantised vectors are: a
// quarter of float32's memory, and exact sums, which no order of addition changes. For vectors of
// bits, which take a thirty-second of it, see [Signs] and [TopHamming].
//
//	step := quant.Step(floats)                              // one for all vectors of a collection
//	quant.Quantize(rows, floats, step)                      // float32 to int8
//	hits := quant.Top(make([]quant.Hit, 10), dense.ByDot, rows, 768, query)
//
// Slices of different lengths, and rows outside their slice, are a panic that says the lengths.
// No function allocates memory, but for TopMany with several threads.
package quant

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Byte is an element of a quantised vector.
type Byte interface{ int8 | uint8 }

// Dot returns the sum of x[i]*y[i], exactly. It panics if the lengths differ.
func Dot[T Byte](x, y []T) int64 {
	// In a call the casts and the question which T is would be too much to be inlined.
	return asm.DotBytes(*(*[]uint8)(unsafe.Pointer(&x)), *(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}

// SquaredDistance returns the sum of (x[i]-y[i])^2, exactly. It panics if the lengths differ.
func SquaredDistance[T Byte](x, y []T) int64 {
	return asm.SquaredDistanceBytes(*(*[]uint8)(unsafe.Pointer(&x)),
		*(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}

// DotFloat returns the sum of x[i]*y[i], each byte taken as the float32 of its value: to the bit
// [dense.Dot] of x and those, in a quarter of the memory of y. It panics if the lengths differ.
//
// It scores rows that are quantised for a query that is not: where row i is about offset +
// step*y[i], its dot product with x is about offset*[dense.Sum](x) + step*DotFloat(x, y).
func DotFloat[T Byte](x []float32, y []T) float32 {
	return asm.DotFloatBytes(x, *(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}
