package store

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// The sums have the same bits for any number of goroutines: the numbers of rows and columns alone
// decide the division into blocks and parts, and partial sums are added in order.

const (
	blockRows = 4096 // rows of a block

	maxParts    = 8    // a power of two
	minPartRows = 4096 // if there are several parts
	// maxPartColumns is the largest ratio of columns to rows in one of several parts.
	maxPartColumns = 8
)

// InBlocks calls f for each block of rows, in parallel, with a clone of X, the number of the block,
// and its range: Row(j) for from <= j < to.
func (v *View) InBlocks(f func(x Rows, block, from, to int)) {
	n := v.Count()
	parallel.For(v.Threads, v.Blocks(), func(_, k int) {
		f(v.X.Clone(), k, k*blockRows, min((k+1)*blockRows, n))
	})
}

func (v *View) Blocks() int { return (v.Count() + blockRows - 1) / blockRows }

// AddUp returns up to four sums over the rows. f returns them for rows Row(from) to Row(to-1).
func (v *View) AddUp(f func(x Rows, from, to int) [4]float64) (sums [4]float64) {
	blocks := make([][4]float64, v.Blocks())
	v.InBlocks(func(x Rows, k, from, to int) { blocks[k] = f(x, from, to) })
	for _, block := range blocks {
		for k, z := range block {
			sums[k] += z
		}
	}
	return sums
}

// Parts returns the largest number of parts in AddTo for views of s.
func (s *Set) Parts() int { return partsOf(len(s.Y), s.X.Cols()) }

func partsOf(rows, cols int) int {
	parts := maxParts
	for parts > 1 && parts*max(minPartRows, cols/maxPartColumns) > rows {
		parts /= 2
	}
	return parts
}

// AddTo adds to u the sum, over the view's rows x_i, of a[i]*x_i times the row's weight. A nil a
// means ones.
func (v *View) AddTo(u []float64, a []float32) {
	n, parts := v.Count(), partsOf(v.Count(), len(u))
	if parts == 1 {
		v.X.AddTo(u, v.sum(a, 0, n))
		return
	}
	sums := make([][]float64, min(max(v.Threads, 1), parts))
	for k := range sums {
		sums[k] = make([]float64, len(u))
	}
	for first := 0; first < parts; first += len(sums) {
		some := sums[:min(len(sums), parts-first)]
		parallel.For(len(some), len(some), func(_, k int) {
			clear(some[k])
			part := first + k
			v.X.Clone().AddTo(some[k], v.sum(a, part*n/parts, (part+1)*n/parts))
		})
		for _, sum := range some {
			for j, z := range sum {
				u[j] += z
			}
		}
	}
}

func (v *View) sum(a []float32, from, to int) Sum {
	s := Sum{From: from, To: to, A: a, Weight: v.Weight}
	if v.Only != nil {
		s.Only = v.Only[from:to]
	}
	return s
}

// AddError bounds the error of AddTo's sums, relative to the sum of the addends' magnitudes, apart
// from the rounding of scaled values.
func (v *View) AddError() float64 { return float64(v.Count()+2) * 0x1p-53 }

// DotSize returns a bound on the weighted root mean square, over the rows, of the rounding error of
// a row's float32 dot product with a vector of norm 1.
func (v *View) DotSize() float64 {
	sums := v.AddUp(func(x Rows, from, to int) (sums [4]float64) {
		for j := from; j < to; j++ {
			i := v.Row(j)
			e := x.DotError(i)
			sums[0] += float64(v.RowWeight(i) * float64(float64(e*e)*float64(v.Norms[i])))
		}
		return sums
	})
	// The factor covers the roundings of the norms.
	return 1.001*math.Sqrt(sums[0]/float64(v.Count())) + 0x1p-100
}
