package rows

import (
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/internal/store"
)

// This file adds up over the rows of a view, in View.Threads goroutines. The blocks and parts of
// rows depend on the numbers of rows and columns alone, and their sums are added in order: the
// number of goroutines changes no bit.

const (
	blockRows = 4096 // rows of a block, whose numbers are added up separately

	mostParts = 8 // the most parts into which AddTo cuts the rows, a power of two
	// The least rows of a part, also as a share of the columns: adding a part's vector costs no
	// more than some rows with few nonzeros each.
	leastPart  = 4096
	columnRows = 8
)

// InBlocks calls f for each block of the rows, with the rows for its goroutine, the number of the
// block, and the places from and to between which its rows are.
func (v *View) InBlocks(f func(x store.Rows, block, from, to int)) {
	n := v.Count()
	parallel.For(v.Threads, v.Blocks(), func(_, k int) {
		f(v.X.ForWorker(), k, k*blockRows, min((k+1)*blockRows, n))
	})
}

// Blocks returns how many blocks there are.
func (v *View) Blocks() int { return (v.Count() + blockRows - 1) / blockRows }

// AddUp returns up to four sums over the rows, where f returns the sums over a block.
func (v *View) AddUp(f func(x store.Rows, from, to int) [4]float64) (sums [4]float64) {
	blocks := make([][4]float64, v.Blocks())
	v.InBlocks(func(x store.Rows, k, from, to int) { blocks[k] = f(x, from, to) })
	for _, block := range blocks {
		for k, z := range block {
			sums[k] += z
		}
	}
	return sums
}

// Parts returns the most parts into which AddTo cuts the rows of a view.
func (s *Set) Parts() int { return partsOf(len(s.Y), s.X.Cols()) }

// partsOf returns the number of parts into which rows are cut: a power of two.
func partsOf(rows, cols int) int {
	parts := mostParts
	for parts > 1 && parts*max(leastPart, cols/columnRows) > rows {
		parts /= 2
	}
	return parts
}

// AddTo adds a[i]*x, times the row's weight, over the rows to u. Each goroutine has a vector for a
// part, where there are several.
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
			v.X.ForWorker().AddTo(some[k], v.sum(a, part*n/parts, (part+1)*n/parts))
		})
		for _, sum := range some {
			for j, z := range sum {
				u[j] += z
			}
		}
	}
}

// sum returns the sum over the rows in places from to to-1.
func (v *View) sum(a []float32, from, to int) store.Sum {
	s := store.Sum{From: from, To: to, A: a, Weight: v.Weight}
	if v.Only != nil {
		s.Only = v.Only[from:to]
	}
	return s
}

// AddError returns a bound on the relative error of these sums, in terms of the sum of the addends'
// magnitudes. In parts an addend goes through no more roundings than it would one after the other:
// those of its part, and one for each part.
func (v *View) AddError() float64 { return float64(v.Count()+2) * 0x1p-53 }
