// Package half has kernels for vectors of floats of 16 bits, half the memory of float32's: float16,
// which is IEEE 754's binary16, and bfloat16, the upper half of a float32.
//
//	half.Quantize(rows, floats)                             // []half.Float16, rounded to the nearest
//	score := half.Dot(query, rows[:768])                    // the query is float32
//	hits := half.Top(make([]dense.Hit, 10), dense.ByCosine, rows, 768, query)
//
// Every result has the bits of package dense's function of the query and the rows' float32s. [Of]
// makes rows of another package's []uint16, and [View] makes them of bytes.
//
// Slices of different lengths, and rows outside their slice, are a panic that says the lengths. No
// function allocates memory, but for TopMany with several threads.
package half

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/blob"
)

// A Float16 holds the bits of a number with 11 significant bits, of at most 65,504.
type Float16 uint16

// A Bfloat16 holds the bits of a number with 8 significant bits, and float32's range.
type Bfloat16 uint16

// A Float is an element of a row.
type Float interface{ Float16 | Bfloat16 }

// Float32 returns the number.
func (h Float16) Float32() float32 { return float32Of(h) }

// Float32 returns the number.
func (h Bfloat16) Float32() float32 { return float32Of(h) }

func float32Of[T Float](h T) float32 {
	var v [1]float32
	Dequantize(v[:], []T{h})
	return v[0]
}

// Quantize sets dst[i] to x[i], rounded to the nearest number that a T holds, to even where two are
// as near, and to an infinity beyond the greatest. NaN stays NaN. It panics if the lengths differ.
func Quantize[T Float](dst []T, x []float32) { asm.PackHalves(bits(dst), x, isBfloat16[T]()) }

// Dequantize sets dst[i] to src[i], exactly. It panics if the lengths differ.
func Dequantize[T Float](dst []float32, src []T) {
	asm.UnpackHalves(dst, bits(src), isBfloat16[T]())
}

// Dot returns [dense.Dot] of x and the float32s of y. It panics if the lengths differ.
func Dot[T Float](x []float32, y []T) float32 { return asm.HalfDot.Of(x, bits(y), isBfloat16[T]()) }

// SquaredDistance returns [dense.SquaredDistance] of x and the float32s of y. It panics if the
// lengths differ.
func SquaredDistance[T Float](x []float32, y []T) float32 {
	return asm.HalfSquaredDistance.Of(x, bits(y), isBfloat16[T]())
}

// Cosine returns [dense.Cosine] of x and the float32s of y. It panics if the lengths differ.
func Cosine[T Float](x []float32, y []T) float32 {
	return asm.CosineHalves(x, bits(y), isBfloat16[T]())
}

// Of returns the slice as one of T, of whose bits it consists, without copying it.
func Of[T Float, U ~uint16](x []U) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// View returns the numbers that stand little-endian in b without copying them. ok is false where
// there can be no view: if len(b) or b's address is odd, or the machine is big-endian.
func View[T Float](b []byte) (v []T, ok bool) { return blob.View[T](b) }

// bits is the same slice.
func bits[T Float](x []T) []uint16 { return *(*[]uint16)(unsafe.Pointer(&x)) }

// isBfloat16 tells which of the two T is.
func isBfloat16[T Float]() bool {
	_, is := any(T(0)).(Bfloat16)
	return is
}
