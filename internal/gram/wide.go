package gram

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Wide adds up sparse rows in float64, one after the other. Element (i, j), i <= j, is
//
//	sum += float64(float64(c*x[i]) * x[j])
//
// for each row that has a nonzero in both columns, from +0. Rows can be taken away again, by
// adding them with coefficient -c: the error that this leaves is below 2^-52 of the sum of the
// magnitudes of all that was ever added, once for each row.
//
// A row takes the time of half the square of its nonzeros, so that this is faster than a Sum for
// rows of few nonzeros. For dense rows it is slower by a factor of four to ten.
type Wide struct {
	dim int
	sum []float64 // rows of columns; the upper triangle counts
}

// NewWide returns the sum of no rows of dim columns.
func NewWide(dim int) *Wide {
	if dim < 0 {
		panic(fmt.Sprintf("gram: NewWide(%d)", dim))
	}
	return &Wide{dim, make([]float64, dim*dim)}
}

// Dim returns the number of columns.
func (s *Wide) Dim() int { return s.dim }

// Reset makes s the sum of no rows.
func (s *Wide) Reset() { clear(s.sum) }

// Upper implements Matrix.
func (s *Wide) Upper(i int, dst []float64) { copy(dst[i:s.dim], s.sum[i*s.dim+i:]) }

// Diagonal implements Matrix.
func (s *Wide) Diagonal(dst []float64) {
	for i := range s.dim {
		dst[i] = s.sum[i*s.dim+i]
	}
}

// A Row is one to be added with a coefficient. Index has the columns of its values, strictly
// ascending.
type Row struct {
	Index  []int32
	Values []float32
	C      float64
}

// Add adds n rows in their order. Up to threads goroutines share the work, each with columns of
// its own: row is called by all of them, for each row.
func (s *Wide) Add(n int, row func(r int) Row, threads int) {
	strips := 1
	if threads > 1 {
		strips = min(4*threads, s.dim)
	}
	parallel.For(threads, strips, func(_, k int) {
		from, to := k*s.dim/strips, (k+1)*s.dim/strips
		for r := range n {
			s.add(row(r), from, to)
		}
	})
}

// add adds to the matrix's rows from to to-1.
func (s *Wide) add(x Row, from, to int) {
	first := 0
	if from > 0 {
		first, _ = slices.BinarySearch(x.Index, int32(from))
	}
	for k := first; k < len(x.Index) && int(x.Index[k]) < to; k++ {
		a := float64(x.C * float64(x.Values[k]))
		sum := s.sum[int(x.Index[k])*s.dim:][:s.dim]
		values := x.Values[k:]
		for l, j := range x.Index[k:] {
			sum[j] += float64(a * float64(values[l]))
		}
	}
}
