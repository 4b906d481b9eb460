package gram

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// SparseSum is a Gram matrix of sparse rows in float64. A row with the coefficient c adds to
// element (i, j), i <= j,
//
//	sum += float64(float64(c*x[i]) * x[j])
//
// if it has elements in both columns. The sum starts at +0. Adding the row with the coefficient -c
// removes it, up to rounding errors.
//
// A row of k nonzeros takes about k^2/2 additions.
type SparseSum struct {
	dim int
	sum []float64 // row-major; only the upper triangle is used
}

func NewSparseSum(dim int) *SparseSum {
	if dim < 0 {
		panic(fmt.Sprintf("gram: NewSparseSum(%d): want 0 or more columns", dim))
	}
	return &SparseSum{dim, make([]float64, dim*dim)}
}

func (s *SparseSum) Dim() int { return s.dim }

func (s *SparseSum) Reset() { clear(s.sum) }

func (s *SparseSum) Upper(i int, dst []float64) { copy(dst[i:s.dim], s.sum[i*s.dim+i:]) }

func (s *SparseSum) Diagonal(dst []float64) {
	for i := range s.dim {
		dst[i] = s.sum[i*s.dim+i]
	}
}

// Row is a sparse row with the coefficient C. Index holds the column of each element of Values, in
// strictly ascending order.
type Row struct {
	Index  []int32
	Values []float32
	C      float64
}

// Add adds n rows in order, in up to threads goroutines, each of which may call row for the same r.
func (s *SparseSum) Add(n int, row func(r int) Row, threads int) {
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

func (s *SparseSum) add(x Row, start, end int) {
	first := 0
	if start > 0 {
		first, _ = slices.BinarySearch(x.Index, int32(start))
	}
	for k := first; k < len(x.Index) && int(x.Index[k]) < end; k++ {
		a := float64(x.C * float64(x.Values[k]))
		sum := s.sum[int(x.Index[k])*s.dim:][:s.dim]
		values := x.Values[k:]
		for l, j := range x.Index[k:] {
			sum[j] += float64(a * float64(values[l]))
		}
	}
}
