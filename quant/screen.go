package quant

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// screen computes bounds on the scores of an Index's rows by one query. The query x is split and
// quantized:
//
//	x = alpha*center + g,  g = t*b + f
//
// where alpha*center is the projection of x on the center, t a step, b a vector of bytes, and f the
// rounding error. A row is r = center + d, d = step*bytes + e, with |e| <= residual and |d| <=
// size. With along = d*center, the exact product of row and query is
//
//	r*x = center*x + alpha*along + d*g
//	d*g = step*t*(bytes*b) + t*(e*b) + d*f <= step*t*(bytes*b) + residual*t*|b| + size*|f|
//
// by Cauchy-Schwarz. A float32 sum of dense.Top differs from the exact sum by at most sumError
// times the sum of the terms' magnitudes, and by n*2^-150 where products underflow:
//
//   - ByDot: score <= r*x + sumError*|r||x| + n*2^-150, and |r| <= size + |center|.
//   - ByCosine: score <= r*x/(|r||x|) + 3*sumError + n*2^-80: the product and two sums
//     of squares have errors. Underflow is small because norms are 2^-30 or more; a row of
//     zeros has the bound 0.
//   - ByDistance: score >= |r-x|^2*(1-sumError) - n*2^-150, where -|r-x|^2/2 is
//     d*(x-center) - |d|^2/2 - |x-center|^2/2, and d*(x-center) is d*g + (alpha-1)*along.
//
// upper computes the terms that differ between rows, divided by t, in fewer than 16 float32
// operations. Each rounds by at most 2^-24*S/t, where S is the sum of the magnitudes of all terms
// before the division, or by 2^-150. For ByCosine, S is the sum of
//
//	|step*t*(bytes*b)| <= (size+residual)*t*|b|,  residual*t*|b|,  size*|f|,
//	|alpha*along| <= |alpha|*size*|center|,  and offset
//
// ByDistance has alpha-1 in place of alpha and size^2/2 in place of offset. ByDot has no offset,
// and |f| + sumError*|x| in place of |f|. So adding 2^-20 times these magnitudes to the
// coefficients and the offset makes up for all roundings. The margins that set adds are at least as
// wide. They also cover the rounding of the numbers of the Index and of the coefficients to
// float32.
type screen struct {
	by       dense.Metric
	query    []float32
	bytes    []int8  // b
	t        float64 // step of b
	length   float64 // |x|
	distance float64 // |x-center|^2
	offset   float64 // sum of the bound's terms that do not depend on the row
	error    float64 // bound on a score's relative error, or ByCosine on its absolute error

	// Coefficients of upper, divided by t.
	residual, size, along float32
	square                float32 // coefficient of -size^2; 0 unless ByDistance
}

const screenRows = 256

// sumError returns a bound on the error of asm's float32 sum of n products, or squared differences,
// relative to the sum of their magnitudes. A term is rounded up to three times. It takes part in
// the additions of one of 64 lanes of its block, in six additions that fold the lanes, and in the
// additions of the blocks' sums. The factor 1.01 covers products of errors.
func sumError(n int) float64 {
	lane, blocks := (min(n, asm.Block)+63)/64, (n+asm.Block-1)/asm.Block
	return 1.01 * 0x1p-24 * float64(3+lane+6+blocks)
}

// set prepares s for the query x, and reports whether the query and the metric can be screened.
func (s *screen) set(ix *Index, by dense.Metric, x []float32) bool {
	squares := asm.Dot64(x, x)
	if by > dense.ByDistance || !screenable(squares) {
		return false
	}
	*s = screen{by: by, query: x, bytes: slices.Grow(s.bytes[:0], ix.n)[:ix.n]}
	s.length = math.Sqrt(squares)
	product, alpha := 0.0, 0.0 // center*x and center*x/|center|^2
	if ix.center != nil {
		product = asm.Dot64(x, ix.center)
		alpha = product / (ix.centerNorm * ix.centerNorm)
	}
	gSquares, greatest := ix.remainder(x, alpha)
	if !screenable(gSquares) {
		return false
	}
	s.t = greatest / 127
	bSquares, fSquares := s.quantize(ix, alpha)
	b, f, center := s.t*math.Sqrt(float64(bSquares)), math.Sqrt(fSquares), ix.centerNorm // b: t*|b|

	s.error = sumError(ix.n)
	size, along := f, alpha
	switch by {
	case dense.ByDot:
		size += float64(s.error * s.length)
		s.offset = product + float64(s.error*s.length*center) + float64(ix.n)*0x1p-149
	case dense.ByCosine:
		s.error = float64(3*s.error) + float64(ix.n)*0x1p-80
		s.offset = product
	case dense.ByDistance:
		along = alpha - 1
		s.square = float32((1 - 0x1p-16) / (2 * s.t))
	}
	if ix.center == nil {
		along = 0
	}
	s.offset += 0x1p-20*math.Abs(s.offset) + 0x1p-30*float64(s.length*center) + 0x1p-100*s.t
	size += 0x1p-18*(size+b+float64(math.Abs(along)*center)) + 0x1p-38*s.length
	s.size = float32(size * (1 + 0x1p-16) / s.t)
	s.residual = float32(b * (1 + 0x1p-16) / s.t)
	s.along = float32(along / s.t)
	return true
}

func (ix *Index) remainder(x []float32, alpha float64) (squares, greatest float64) {
	if ix.center == nil {
		return asm.Dot64(x, x), float64(max(asm.Max(x), -asm.Min(x)))
	}
	for i, v := range x {
		g := float64(v) - float64(alpha*float64(ix.center[i]))
		squares += float64(g * g)
		greatest = max(greatest, math.Abs(g))
	}
	return squares, greatest
}

func (s *screen) quantize(ix *Index, alpha float64) (bSquares int64, fSquares float64) {
	const magic = 0x1.8p52 // magic+v has the integer nearest to v in its lowest bits
	inverse := 1 / s.t
	for i, v := range s.query {
		center := 0.0
		if ix.center != nil {
			center = float64(ix.center[i])
		}
		g := float64(v) - float64(alpha*center)
		shifted := float64(g*inverse) + magic
		b := int8(math.Float64bits(shifted))
		f := g - float64(s.t*(shifted-magic))
		s.bytes[i] = b
		bSquares += int64(b) * int64(b)
		fSquares += float64(f * f)
		d := float64(v) - center
		s.distance += float64(d * d)
	}
	return bSquares, fSquares
}

// limit returns a lower limit for the result of upper: a row with a lesser result has a score below
// least. ByDistance scores are negated.
func (s *screen) limit(least float32) float32 {
	if math.IsInf(float64(least), -1) {
		return least
	}
	greater, less := float64(least), s.offset
	switch s.by {
	case dense.ByCosine: // r*x/|r| >= (least-error)*|x|
		greater, less = float64(greater*s.length), float64(s.error*s.length)
	case dense.ByDistance: // d*(x-center) - |d|^2/2 >= |x-center|^2/2 - |r-x|^2/2
		squares := (float64(len(s.query))*0x1p-149 - greater) / (1 - s.error) // |r-x|^2 or more
		greater, less = s.distance/2, squares/2+s.offset
	}
	margin := 0x1p-22 * (math.Abs(greater) + math.Abs(less))
	return float32((greater - less - margin) / s.t)
}

// upper replaces the products of the bytes of query and rows, from row first on, by the terms of
// the bounds that differ between these rows, divided by t. For ByCosine it also adds offset, and
// divides by the norms.
func (s *screen) upper(dst []float32, ix *Index, first int) {
	end := first + len(dst)
	size := ix.size[first:end]
	asm.Mul(dst, dst, ix.step[first:end])
	asm.Axpy(s.residual, ix.residual[first:end], dst)
	asm.Axpy(s.size, size, dst)
	if s.along != 0 {
		asm.Axpy(s.along, ix.along[first:end], dst)
	}
	switch s.by {
	case dense.ByCosine:
		inverse := ix.inverse[first:end]
		asm.Mul(dst, dst, inverse)
		asm.Axpy(float32(s.offset/s.t), inverse, dst)
	case dense.ByDistance:
		var squares [screenRows]float32
		asm.Mul(squares[:len(dst)], size, size)
		asm.Axpy(-s.square, squares[:len(dst)], dst)
	}
}
