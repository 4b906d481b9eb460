// Package half provides kernels for vectors of half-precision floats, which take half the memory of
// float32: float16, which is IEEE 754's binary16, and bfloat16, the upper half of a float32.
//
//	half.Quantize(rows, floats)                             // []half.Float16, rounded to the nearest
//	score := half.Dot(query, rows[:768])                    // the query is float32
//	hits := half.Top(make([]dense.Hit, 10), dense.ByCosine, rows, 768, query)
//
// Every result has the bits of package dense's function, applied to the query and the rows' float32
// values. [Of] converts another package's []uint16 to rows, and [View] converts bytes.
//
// Functions panic if slices differ in length or rows are outside their slice. Only TopMany with
// several threads allocates memory.
package half

import (
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/blob"
)

// Float16 holds the bits of an IEEE 754 binary16 number: 11 significant bits, finite magnitudes up
// to 65,504.
type Float16 uint16

// Bfloat16 holds the upper 16 bits of a float32: 8 significant bits, and float32's range.
type Bfloat16 uint16

// Float is the element type of a row.
type Float interface{ Float16 | Bfloat16 }

// Float32 returns the value of h.
func (h Float16) Float32() float32 { return float32Of(h) }

// Float32 returns the value of h.
func (h Bfloat16) Float32() float32 { return float32Of(h) }

func float32Of[T Float](h T) float32 {
	var v [1]float32
	Dequantize(v[:], []T{h})
	return v[0]
}

// Quantize sets dst[i] to x[i], rounded to the nearest number of type T, ties to even. Values that
// round beyond the greatest finite number become infinite, and NaN stays NaN. It panics if the
// lengths differ.
func Quantize[T Float](dst []T, x []float32) { asm.PackHalves(bits(dst), x, isBfloat16[T]()) }

// Dequantize sets dst[i] to the exact value of src[i]. It panics if the lengths differ.
func Dequantize[T Float](dst []float32, src []T) {
	asm.UnpackHalves(dst, bits(src), isBfloat16[T]())
}

// Dot returns [dense.Dot] of x and the float32 values of y. It panics if the lengths differ.
func Dot[T Float](x []float32, y []T) float32 { return asm.HalfDot.Of(x, bits(y), isBfloat16[T]()) }

// SquaredDistance returns [dense.SquaredDistance] of x and the float32 values of y. It panics if
// the lengths differ.
func SquaredDistance[T Float](x []float32, y []T) float32 {
	return asm.HalfSquaredDistance.Of(x, bits(y), isBfloat16[T]())
}

// Cosine returns [dense.Cosine] of x and the float32 values of y. It panics if the lengths differ.
func Cosine[T Float](x []float32, y []T) float32 {
	return asm.CosineHalves(x, bits(y), isBfloat16[T]())
}

// Of returns a slice of half-precision bits as a []T in the same memory.
func Of[T Float, U ~uint16](x []U) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// View returns the numbers that b encodes in little-endian order as a slice in b's memory. ok is
// false if len(b) or b's address is odd, or the machine is big-endian.
func View[T Float](b []byte) (v []T, ok bool) { return blob.View[T](b) }

func bits[T Float](x []T) []uint16 { return *(*[]uint16)(unsafe.Pointer(&x)) }

func isBfloat16[T Float]() bool {
	_, is := any(T(0)).(Bfloat16)
	return is
}
