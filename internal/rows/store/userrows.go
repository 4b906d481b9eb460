package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

type userRows struct {
	defaults
	Examples
	row      []float32 // buffer of Row; nil at first
	nonzeros Nonzeros
}

func newUserRows(x Examples) *userRows {
	f := &userRows{Examples: x}
	f.nonzeros.x = f
	return f
}

func (f *userRows) Clone() Rows           { return newUserRows(f.Examples) }
func (f *userRows) Size() int             { return 0 }
func (f *userRows) PrefetchDistance() int { return 0 }
func (f *userRows) Prefetch(int)          {}

func (f *userRows) Err() error {
	if x, ok := f.Examples.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// Take returns a dense copy if at least half of the elements are nonzeros, or if there are too many
// columns for 32-bit indices. Column indices are in range even if the type returns other values on
// every call.
func (f *userRows) Take(rows []uint32) Rows {
	nonzeros, cols := 0, len(f.buffer())
	for _, i := range rows {
		_, values := f.Row(int(i))
		nonzeros += floats.CountNonzeros(values)
	}
	if 2*nonzeros >= len(rows)*cols || cols > math.MaxInt32 {
		d := dense.New(len(rows), cols)
		for k, i := range rows {
			_, values := f.Row(int(i))
			copy(d.Row(k), values)
		}
		return newDenseRows(d)
	}
	starts := make([]int64, 1, len(rows)+1)
	index, values := make([]int32, 0, nonzeros), make([]float32, 0, nonzeros)
	for _, i := range rows {
		_, row := f.Row(int(i))
		for j, v := range row {
			if v != 0 {
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	m := matrices.Trusted(cols, starts, index, values)
	return ofSparse((*sparse.Matrix)(m))
}

func (f *userRows) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(f, dst, rows, w) }
func (f *userRows) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(f, a, rows, w) }

func (f *userRows) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(f, dst, i, vectors, first)
}

func (f *userRows) DotError(int) float64 { return math.Inf(1) }

func (f *userRows) Dot64(i int, w []float64) float64 { return dot64(&f.nonzeros, i, w) }
func (f *userRows) AddTo(u []float64, s Sum)         { addTo(&f.nonzeros, u, s) }

// The result is valid until the next call.
func (f *userRows) Row(i int) (index []int32, values []float32) {
	clear(f.buffer())
	f.Axpy(i, 1, f.row)
	return nil, f.row
}

func (f *userRows) buffer() []float32 {
	if f.row == nil {
		f.row = make([]float32, f.Cols())
	}
	return f.row
}
