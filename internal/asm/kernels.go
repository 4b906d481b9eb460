package asm

import "unsafe"

// Block is the number of elements after which a sum starts anew and a call into assembly ends. It bounds the time in
// one call, which can't be pre-empted, to some tens of microseconds, and keeps the rounding error of long sums small.
const Block = 65536

const (
	lanes       = 64 // of a dense sum
	sparseLanes = 8  // of a sparse sum
)

const mismatch = "asm: len(x) != len(y)"

// Dot is
//
//	for i, v := range x {
//		lane[i%64] += float32(v * y[i])
//	}
//
// with the lanes folded as the package comment says. It panics if the lengths differ.
func Dot(x, y []float32) (sum float32) {
	if len(x) != len(y) {
		panic(mismatch)
	}
	for len(x) > Block {
		sum += dot(x[:Block], y[:Block])
		x, y = x[Block:], y[Block:]
	}
	return sum + dot(x, y)
}

func dot(x, y []float32) float32 {
	switch active {
	case AVX2:
		return dotAVX2(unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	default:
		return dotGeneric(x, y)
	}
}

// dotGeneric takes eight lanes at a time, so that they stay in registers, and walks the vectors eight times. That is
// faster than the naive loop, whose one sum waits for itself at every addition.
func dotGeneric(x, y []float32) float32 {
	y = y[:len(x)]
	var lane [lanes]float32
	for g := 0; g < lanes && g < len(x); g += 8 {
		var s0, s1, s2, s3, s4, s5, s6, s7 float32
		i := g
		for ; i+8 <= len(x); i += lanes {
			a, b := (*[8]float32)(x[i:]), (*[8]float32)(y[i:])
			s0 += float32(a[0] * b[0])
			s1 += float32(a[1] * b[1])
			s2 += float32(a[2] * b[2])
			s3 += float32(a[3] * b[3])
			s4 += float32(a[4] * b[4])
			s5 += float32(a[5] * b[5])
			s6 += float32(a[6] * b[6])
			s7 += float32(a[7] * b[7])
		}
		*(*[8]float32)(lane[g:]) = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
		for l := g; i < len(x); i, l = i+1, l+1 {
			lane[l] += float32(x[i] * y[i])
		}
	}
	// The lanes that a short vector does not meet are +0, and adding +0 to what a sum can be changes nothing.
	n := lanes
	for n/2 >= len(x) && n > 1 {
		n /= 2
	}
	return fold(lane[:n])
}

// fold adds the upper half of the lanes to the lower half until one is left.
func fold(lane []float32) float32 {
	for n := len(lane) / 2; n > 0; n /= 2 {
		for l := range n {
			lane[l] += lane[n+l]
		}
	}
	return lane[0]
}

// SumSquares is Dot(x, x) in half the loads.
func SumSquares(x []float32) (sum float32) {
	for len(x) > Block {
		sum += sumSquares(x[:Block])
		x = x[Block:]
	}
	return sum + sumSquares(x)
}

func sumSquares(x []float32) float32 {
	switch active {
	case AVX2:
		return sumSquaresAVX2(unsafe.SliceData(x), len(x))
	default:
		return sumSquaresGeneric(x)
	}
}

func sumSquaresGeneric(x []float32) float32 { return dotGeneric(x, x) }

// Axpy is
//
//	for i, v := range x {
//		y[i] += float32(a * v)
//	}
//
// It panics if the lengths differ. x and y may be the same slice.
func Axpy(a float32, x, y []float32) {
	if len(x) != len(y) {
		panic(mismatch)
	}
	for len(x) > Block {
		axpy(a, x[:Block], y[:Block])
		x, y = x[Block:], y[Block:]
	}
	axpy(a, x, y)
}

func axpy(a float32, x, y []float32) {
	switch active {
	case AVX2:
		axpyAVX2(a, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
	default:
		axpyGeneric(a, x, y)
	}
}

func axpyGeneric(a float32, x, y []float32) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float32(a * v)
	}
}

// Scale is
//
//	for i := range x {
//		x[i] *= a
//	}
func Scale(a float32, x []float32) {
	for len(x) > Block {
		scale(a, x[:Block])
		x = x[Block:]
	}
	scale(a, x)
}

func scale(a float32, x []float32) {
	switch active {
	case AVX2:
		scaleAVX2(a, unsafe.SliceData(x), len(x))
	default:
		scaleGeneric(a, x)
	}
}

func scaleGeneric(a float32, x []float32) {
	for i := range x {
		x[i] *= a
	}
}

const sparseMismatch = "asm: len(idx) != len(val)"

// DotSparse is
//
//	for k, j := range idx {
//		lane[k%8] += float32(val[k] * w[j])
//	}
//
// with the 8 lanes folded. It panics if idx and val differ in length. Every index must lie in [0, len(w)): the assembly
// trusts it.
func DotSparse(idx []int32, val, w []float32) (sum float32) {
	if len(idx) != len(val) {
		panic(sparseMismatch)
	}
	for len(idx) > Block {
		sum += dotSparse(idx[:Block], val[:Block], w)
		idx, val = idx[Block:], val[Block:]
	}
	return sum + dotSparse(idx, val, w)
}

func dotSparse(idx []int32, val, w []float32) float32 {
	switch active {
	case AVX2:
		return dotSparseAVX2(unsafe.SliceData(idx), unsafe.SliceData(val), len(idx), unsafe.SliceData(w))
	default:
		return dotSparseGeneric(idx, val, w)
	}
}

func dotSparseGeneric(idx []int32, val, w []float32) float32 {
	val = val[:len(idx)]
	var lane [sparseLanes]float32
	for k, j := range idx {
		lane[k%sparseLanes] += float32(val[k] * w[j])
	}
	return fold(lane[:])
}

// AxpySparse is
//
//	for k, j := range idx {
//		w[j] += float32(a * val[k])
//	}
//
// It panics if idx and val differ in length. Every index must lie in [0, len(w)): the assembly trusts it. Indices may
// repeat; val must not overlap w.
func AxpySparse(a float32, idx []int32, val, w []float32) {
	if len(idx) != len(val) {
		panic(sparseMismatch)
	}
	for len(idx) > Block {
		axpySparse(a, idx[:Block], val[:Block], w)
		idx, val = idx[Block:], val[Block:]
	}
	axpySparse(a, idx, val, w)
}

func axpySparse(a float32, idx []int32, val, w []float32) {
	switch active {
	case AVX2:
		axpySparseAVX2(a, unsafe.SliceData(idx), unsafe.SliceData(val), len(idx), unsafe.SliceData(w))
	default:
		axpySparseGeneric(a, idx, val, w)
	}
}

func axpySparseGeneric(a float32, idx []int32, val, w []float32) {
	val = val[:len(idx)]
	for k, j := range idx {
		w[j] += float32(a * val[k])
	}
}
