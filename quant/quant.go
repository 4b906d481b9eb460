// Package quant provides kernels for vectors quantized to bytes, int8 or uint8. These take a
// quarter of the memory of float32, and sums over two of them are exact. For vectors of bits, which
// take 1/32 of the memory of float32, see [Signs] and [TopHamming]. An [Index] searches float32
// rows by their bytes, with exact results.
//
//	step := quant.Step(floats)                              // one for all vectors of a collection
//	quant.Quantize(rows, floats, step)                      // float32 to int8
//	hits := quant.Top(make([]quant.Hit, 10), dense.ByDot, rows, 768, query)
//
// Functions panic if slices differ in length or rows are outside their slice. Only NewIndex,
// methods of Index, and TopMany with several threads allocate memory.
package quant

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
)

// Byte is the element type of a quantized vector.
type Byte interface{ int8 | uint8 }

// Dot returns the exact sum of x[i]*y[i]. It panics if the lengths differ.
func Dot[T Byte](x, y []T) int64 {
	// A helper for the casts would prevent inlining.
	return asm.DotBytes(*(*[]uint8)(unsafe.Pointer(&x)), *(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}

// SquaredDistance returns the exact sum of (x[i]-y[i])^2. It panics if the lengths differ.
func SquaredDistance[T Byte](x, y []T) int64 {
	return asm.SquaredDistanceBytes(*(*[]uint8)(unsafe.Pointer(&x)),
		*(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}

// DotFloat returns the sum of x[i]*y[i], with the bits of [dense.Dot] of x and the float32 values
// of y. It panics if the lengths differ.
//
// If element i of a row is about offset + step*y[i], the row's dot product with x is about
// offset*[dense.Sum](x) + step*DotFloat(x, y).
func DotFloat[T Byte](x []float32, y []T) float32 {
	return asm.DotFloatBytes(x, *(*[]uint8)(unsafe.Pointer(&y)), ^T(0) < 1)
}
