package quant

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/vectors/nearest"
)

// Index finds the rows nearest to a query, with the same hits to the bit as [dense.Top]. It holds
// float32 rows and an int8 form of them. A search reads the bytes of the rows, computes a bound on
// each row's score, and reads the floats of only those rows that the bound does not exclude.
//
// An index is meant for rows of about 100 elements or more, which together exceed the second-level
// cache, and for [dense.ByDot], [dense.ByCosine] and [dense.ByDistance]. Rows may have a common
// mean and different magnitudes. If the bounds exclude too few rows, the search scores all rows
// that follow. This may happen if scores are nearly equal, or if rows have a few elements far
// greater than all others.
//
// A search calls dense.Top from the start in each of these cases:
//
//   - The metric is not one of the three above, or more than a sixteenth of the rows are wanted.
//   - The rows have fewer than about 256 K elements in all, rows have fewer than 48 or more than
//     2^25 elements each, or there are 2^31 rows or more.
//   - The query, or the part of it that is orthogonal to the rows' common mean, is zero, not
//     finite, or has a norm outside [2^-30, 2^30].
//   - More than a quarter of the rows are not finite, or have a norm other than 0 outside this
//     range, before or after the common mean is subtracted.
//
// An Index is immutable and may be used by several goroutines at once. It refers to the caller's
// floats, which must not change. In addition, a row of n elements takes about n+20 bytes.
type Index struct {
	rows             []float32
	stride, n, count int

	center     []float32 // subtracted from rows before they are quantized; nil for zero
	centerNorm float64   // |center|, rounded up
	bytes      []int8    // n bytes a row; nil if dense.Top makes all searches

	// A float for each row r, with d = r - center. If a row cannot be screened, its residual is
	// +Inf, its inverse 1, and its other numbers and bytes are 0.
	step     []float32 // r is about center + step*bytes
	residual []float32 // |d - step*bytes| or more
	size     []float32 // from |d| to (1+2^-20)*|d|
	along    []float32 // d*center, within 2^-22*size*|center|; nil if center is nil
	inverse  []float32 // 1/|r|, within a factor of 1+2^-22; 0 if r is zero
}

const (
	minColumns = 48
	maxColumns = 1 << 25 // so that screen's bounds on float64 sums hold
	sampleRows = 1024    // for the center
)

// minElements is about the number of elements of all rows from which NewIndex quantizes rows. Tests
// reduce it.
var minElements = 1 << 18

// Vectors are screened if their norms are from leastNorm to mostNorm, so that no score and no term
// of a screen overflows.
const leastNorm, mostNorm = 0x1p-30, 0x1p30

func screenable(squares float64) bool {
	return squares >= leastNorm*leastNorm && squares <= mostNorm*mostNorm
}

// NewIndex returns an index of rows of n elements, which are given as for [dense.Top]. threads is
// the number of goroutines that quantize rows, 0 for GOMAXPROCS. It panics if n is not positive,
// stride is less than n, or rows ends inside a row.
func NewIndex(rows []float32, stride, n, threads int) *Index {
	ix := &Index{rows: rows, stride: stride, n: n, count: nearest.Count(len(rows), stride, n)}
	if n < minColumns || n > maxColumns || ix.count < minElements/n || ix.count > math.MaxInt32 {
		return ix
	}
	ix.setCenter()
	floats := func() []float32 { return make([]float32, ix.count) }
	ix.step, ix.residual, ix.size, ix.inverse = floats(), floats(), floats(), floats()
	if ix.center != nil {
		ix.along = floats()
	}
	ix.bytes = make([]int8, ix.count*n)
	runs := (ix.count + nearest.RowsPerRun - 1) / nearest.RowsPerRun
	parallel.For(parallel.Threads(threads), runs, func(_, run int) {
		first := run * nearest.RowsPerRun
		ix.quantizeRows(first, min(first+nearest.RowsPerRun, ix.count))
	})
	unscreened := 0
	for _, v := range ix.residual {
		if math.IsInf(float64(v), 1) {
			unscreened++
		}
	}
	if unscreened > ix.count/4 {
		return &Index{rows: rows, stride: stride, n: n, count: ix.count}
	}
	return ix
}

func (ix *Index) row(i int) []float32 { return ix.rows[i*ix.stride:][:ix.n] }

// setCenter sets center to the mean of a sample of the rows that can be screened, without rows of
// great norm. It leaves center nil if the mean cannot be screened or is not near enough to the
// sample.
func (ix *Index) setCenter() {
	var sample [][]float32
	var norms []float64
	apart := max(ix.count/sampleRows, 1)
	for i := 0; i < ix.count && len(sample) < sampleRows; i += apart {
		row := ix.row(i)
		if squares := asm.Dot64(row, row); screenable(squares) {
			sample, norms = append(sample, row), append(norms, math.Sqrt(squares))
		}
	}
	if len(sample) == 0 {
		return
	}
	typical := median(norms)
	sums, terms := make([]float64, ix.n), 0.0
	for k, row := range sample {
		if norms[k] <= 2*typical {
			asm.Axpy64(1, row, sums)
			terms++
		}
	}
	center, d := make([]float32, ix.n), make([]float32, ix.n)
	for j, sum := range sums {
		center[j] = float32(sum / terms)
	}
	for k, row := range sample {
		asm.Sub(d, row, center)
		norms[k] = math.Sqrt(asm.Dot64(d, d))
	}
	if squares := asm.Dot64(center, center); screenable(squares) && median(norms) < .9*typical {
		ix.center, ix.centerNorm = center, math.Sqrt(squares)*(1+0x1p-30)
	}
}

func median(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[len(sorted)/2]
}

func (ix *Index) quantizeRows(first, end int) {
	d, e := make([]float32, ix.n), make([]float32, ix.n)
	for i := first; i < end; i++ {
		row := ix.row(i)
		ix.residual[i], ix.inverse[i] = float32(math.Inf(1)), 1
		rowSquares := asm.Dot64(row, row)
		if rowSquares != 0 && !screenable(rowSquares) {
			continue
		}
		if ix.center == nil {
			copy(d, row)
		} else {
			asm.Sub(d, row, ix.center)
		}
		squares := asm.Dot64(d, d)
		if squares != 0 && !screenable(squares) {
			continue
		}
		clear(e)
		if squares != 0 {
			ix.step[i] = quantizeRow(ix.bytes[i*ix.n:][:ix.n], e, d)
		}
		if ix.inverse[i] = 0; rowSquares != 0 {
			ix.inverse[i] = float32(1 / math.Sqrt(rowSquares))
		}
		size := math.Sqrt(squares)
		ix.size[i] = roundUp(size)
		// d, step*bytes and their difference are rounded by a factor of 1+2^-24 each.
		ix.residual[i] = roundUp(math.Sqrt(asm.Dot64(e, e)) + 0x1p-21*size)
		if ix.center != nil {
			ix.along[i] = float32(asm.Dot64(d, ix.center))
		}
	}
}

// quantizeRow quantizes d to dst, returns the step, and sets e to d - step*dst. d must not be zero.
func quantizeRow(dst []int8, e, d []float32) (step float32) {
	const magic = 0x1.8p23 // magic+v has the integer nearest to v in its lowest bits
	greatest := max(asm.Max(d), -asm.Min(d))
	step, inverse := greatest/127, 127/greatest
	dst, e = dst[:len(d)], e[:len(d)]
	for j, v := range d {
		shifted := float32(v*inverse) + magic
		dst[j] = int8(math.Float32bits(shifted))
		e[j] = v - float32(step*(shifted-magic))
	}
	return step
}

// roundUp returns v*(1 + 2^-22) as a float32, which exceeds v if v is at least 2^-126.
func roundUp(v float64) float32 { return float32(v * (1 + 0x1p-22)) }
