// Package dense provides kernels for vectors stored as []float32: dot products, cosines, distances,
// search for the nearest rows, sums, and products with matrices. They use AVX2, AVX-512, NEON or
// plain Go.
//
//	score := dense.Dot(x, y)    // or Cosine, Distance
//	dense.Axpy(a, x, y)         // y += a*x
//	hits := dense.Top(make([]dense.Hit, 10), dense.ByCosine, rows, 768, query)
//
// The rows of a matrix are given as one slice and a stride, the distance between the starts of two
// rows. [Matrix] is the type that the trainers read.
//
// Every function gives the same bits on every machine, but for the signs and payloads of NaNs. The
// arithmetic contract, a table of functions by purpose, and what the kernels add to a program are
// at https://github.com/pegasimd/pegasimd/blob/main/docs/kernels.md.
//
// # Rules
//
// These hold for every function unless its comment says otherwise.
//
//   - Lengths: functions panic if slices differ in length or rows are outside their slice, before
//     anything is written.
//   - Empty vectors: sums, distances, norms and cosines are 0, Min is +Inf and Max -Inf, ArgMin and
//     ArgMax are -1.
//   - NaN and infinities propagate as in IEEE 754: a NaN makes the sum NaN. Only Min, Max, ArgMin
//     and ArgMax skip NaN; for a vector of NaN alone they return the same as for an empty one.
//   - 0/0: the cosine of a vector of zeros is 0, and Normalize leaves it unchanged.
//   - Overlap: the slice that is written may be the same as one that is read. If they overlap in
//     another way, the values written are undefined.
//   - Allocation: New, FromSlice, Take, AppendFloat32s, TopBytes, TopByteSlices, Gemm, and TopMany
//     with several threads may allocate memory; the other functions do not. Gemm keeps buffers for
//     later calls.
//   - All functions may be called from several goroutines at once.
package dense

import "github.com/pegasimd/pegasimd/internal/asm"

// Dot returns the sum of x[i]*y[i]. It panics if the lengths differ.
//
// For up to 65,536 elements the result is, to the bit, that of
//
//	var lane [64]float32
//	for i, v := range x {
//		lane[i%64] += float32(v * y[i])
//	}
//	for n := 32; n > 0; n /= 2 {
//		for l := range n {
//			lane[l] += lane[n+l]
//		}
//	}
//	return lane[0]
//
// Longer vectors are summed in blocks of 65,536 elements. The sums of the blocks are added in
// order.
func Dot(x, y []float32) float32 {
	return asm.Dot(x, y)
}

// SumSquares returns the sum of x[i]*x[i], with the bits of Dot(x, x).
func SumSquares(x []float32) float32 { return asm.SumSquares(x) }

// Axpy adds float32(a*x[i]) to y[i]. It panics if the lengths differ.
func Axpy(a float32, x, y []float32) {
	asm.Axpy(a, x, y)
}

// Scale multiplies each element of x by a. NaN and infinities propagate, also for a = 0.
func Scale(a float32, x []float32) { asm.Scale(a, x) }

// Axpby sets y[i] to float32(a*x[i]) + float32(b*y[i]). It panics if the lengths differ.
func Axpby(a float32, x []float32, b float32, y []float32) {
	asm.Axpby(a, x, b, y)
}

// SquaredDistance returns the sum of (x[i]-y[i])^2, added in Dot's lanes and blocks. It panics if
// the lengths differ.
func SquaredDistance(x, y []float32) float32 {
	return asm.SquaredDistance(x, y)
}

// Sum returns the sum of x[i], added in Dot's lanes and blocks.
func Sum(x []float32) float32 { return asm.Sum(x) }

// SumAbs returns the sum of |x[i]|, the L1 norm, added in Dot's lanes and blocks.
func SumAbs(x []float32) float32 { return asm.SumAbs(x) }

// L1Distance returns the sum of |x[i]-y[i]|, added in Dot's lanes and blocks. It panics if the
// lengths differ.
func L1Distance(x, y []float32) float32 { return asm.L1Distance(x, y) }

// Dot64 returns the sum of x[i]*y[i] in float64, in which each product is exact. It panics if the
// lengths differ.
//
// The sum is that of Dot with 32 lanes in place of 64. For n up to 65,536 elements the rounding
// error is at most (n/32 + 6) * 2^-53 times the sum of |x[i]*y[i]|.
func Dot64(x, y []float32) float64 { return asm.Dot64(x, y) }

// SquaredDistance64 returns the sum of (x[i]-y[i])^2 in float64, added in Dot64's lanes and blocks.
// It panics if the lengths differ.
func SquaredDistance64(x, y []float32) float64 { return asm.SquaredDistance64(x, y) }

// DotNorms64 returns Dot64(x, y), Dot64(x, x) and Dot64(y, y). It panics if the lengths differ.
func DotNorms64(x, y []float32) (xy, xx, yy float64) { return asm.DotNorms64(x, y) }

// Min returns the least number in x, ignoring NaN, or +Inf if there is none. A zero of either sign
// is returned as +0.
func Min(x []float32) float32 { return asm.Min(x) }

// Max returns the greatest number in x, ignoring NaN, or -Inf if there is none. A zero of either
// sign is returned as +0.
func Max(x []float32) float32 { return asm.Max(x) }

// ArgMin returns the index of the least number in x, ignoring NaN, or -1 if there is none. Of
// several equal numbers it returns the first; zeros of both signs are equal.
func ArgMin(x []float32) int { return asm.ArgMin(x) }

// ArgMax returns the index of the greatest number in x, ignoring NaN, or -1 if there is none. Of
// several equal numbers it returns the first; zeros of both signs are equal.
func ArgMax(x []float32) int { return asm.ArgMax(x) }

// Add sets dst[i] to x[i] + y[i]. It panics if the lengths differ.
func Add(dst, x, y []float32) { asm.Add(dst, x, y) }

// Sub sets dst[i] to x[i] - y[i]. It panics if the lengths differ.
func Sub(dst, x, y []float32) { asm.Sub(dst, x, y) }

// Mul sets dst[i] to x[i] * y[i]. It panics if the lengths differ.
func Mul(dst, x, y []float32) { asm.Mul(dst, x, y) }

// ScaleTo sets dst[i] to a*x[i]. It panics if the lengths differ. ScaleTo(x, a, x) is Scale(a, x).
func ScaleTo(dst []float32, a float32, x []float32) { asm.ScaleTo(dst, a, x) }

// AxpyTo sets dst[i] to float32(a*x[i]) + y[i]. It panics if the lengths differ. AxpyTo(y, a, x, y)
// is Axpy(a, x, y).
func AxpyTo(dst []float32, a float32, x, y []float32) { asm.AxpyTo(dst, a, x, y) }

// DotNorms returns Dot(x, y), SumSquares(x) and SumSquares(y). It panics if the lengths differ.
func DotNorms(x, y []float32) (xy, xx, yy float32) {
	return asm.DotNorms(x, y)
}

// Exp sets dst[i] to e^x[i], within 1.1 units in the last place: +Inf if e^x[i] overflows, a
// subnormal number or 0 if it underflows, NaN for NaN. It panics if the lengths differ.
func Exp(dst, x []float32) {
	asm.Exp(dst, x)
}

// FromFloat64 sets dst[i] to float32(src[i]), which rounds to nearest, ties to even. Magnitudes
// that round beyond the greatest finite float32 become infinite, and NaN stays NaN. It panics if
// the lengths differ.
func FromFloat64(dst []float32, src []float64) { asm.FromFloat64(dst, src) }

// DotRows sets dst[i] to Dot(rows[i*stride:][:len(x)], x), the dot product of row i and x. It
// panics, unless dst is empty, if rows is too short for len(dst) rows or stride is negative. If dst
// overlaps rows or x, its values are undefined.
func DotRows(dst, rows []float32, stride int, x []float32) {
	asm.DotRows(dst, rows, stride, x)
}

// DotRowsAt is DotRows for rows picked by index, in any order and possibly repeated: it sets dst[i]
// to the dot product of row idx[i] and x. It panics if dst and idx differ in length or, unless idx
// is empty, if stride is negative or a picked row is not wholly within rows. If dst overlaps rows
// or x, its values are undefined.
func DotRowsAt[I ~int32 | ~uint32](dst, rows []float32, stride int, idx []I, x []float32) {
	asm.DotRowsAt(dst, rows, stride, idx, x)
}

// SquaredDistanceRows is DotRows with [SquaredDistance] in place of Dot.
func SquaredDistanceRows(dst, rows []float32, stride int, x []float32) {
	asm.SquaredDistanceRows(dst, rows, stride, x)
}

// SquaredDistanceRowsAt is DotRowsAt with [SquaredDistance] in place of Dot.
func SquaredDistanceRowsAt[I ~int32 | ~uint32](dst, rows []float32, stride int, idx []I,
	x []float32) {
	asm.SquaredDistanceRowsAt(dst, rows, stride, idx, x)
}

// CosineRows is DotRows with [Cosine] in place of Dot.
func CosineRows(dst, rows []float32, stride int, x []float32) {
	asm.CosineRows(dst, rows, stride, x)
}

// CosineRowsAt is DotRowsAt with [Cosine] in place of Dot. Scores of DotRowsAt rank normalized rows
// in the same order, except for rounding.
func CosineRowsAt[I ~int32 | ~uint32](dst, rows []float32, stride int, idx []I, x []float32) {
	asm.CosineRowsAt(dst, rows, stride, idx, x)
}

// AxpyRows adds a multiple of each row picked by index to y, in order:
//
//	for i, j := range idx {
//		Axpy(a[i], rows[j*stride:][:len(y)], y)
//	}
//
// It panics if a and idx differ in length or, unless idx is empty, if stride is negative or a
// picked row is not wholly within rows. If y overlaps a or rows, its values are undefined.
func AxpyRows[I ~int32 | ~uint32](a, rows []float32, stride int, idx []I, y []float32) {
	asm.AxpyRows(a, rows, stride, idx, y)
}
