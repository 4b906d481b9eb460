package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

// userRows adapts Examples of a user-defined type to Rows.
type userRows struct {
	defaults
	Examples
	row []float32 // the buffer of Row; nil before the first call

	// Results of the last call of read: index and values are the columns and values of the nonzeros
	// of its row. zeros is a row of zeros for the next call. All are nil before the first call.
	index  []int32
	values []float32
	zeros  []float32
}

func (f *userRows) Clone() Rows           { return &userRows{Examples: f.Examples} }
func (f *userRows) Size() int             { return 0 }
func (f *userRows) PrefetchDistance() int { return 0 }
func (f *userRows) Prefetch(int)          {}

func (f *userRows) Err() error {
	if x, ok := f.Examples.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// Take returns a copy of the given rows as a dense or sparse matrix.
func (f *userRows) Take(rows []uint32) Rows { return copyToMatrix(f, rows) }

func (f *userRows) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(f, dst, rows, w) }
func (f *userRows) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(f, a, rows, w) }

func (f *userRows) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(f, dst, i, vectors, first)
}

// DotError returns +Inf: nothing is known of the rounding of a user-defined Dot.
func (f *userRows) DotError(int) float64 { return math.Inf(1) }

func (f *userRows) Dot64(i int, w []float64) float64 {
	f.read(i)
	var lane [dot64Lanes]float64
	for n, j := range f.index {
		lane[j&(dot64Lanes-1)] += float64(w[j] * float64(f.values[n]))
	}
	return foldDot64(lane)
}

func (f *userRows) AddTo(u []float64, s Sum) {
	for i, a := range s.Coefficients() {
		f.read(i)
		for n, j := range f.index {
			u[j] += float64(a * float64(f.values[n]))
		}
	}
}

// read stores the nonzeros of row i in index and values. It adds the row to zeros with Axpy, which
// rounds nothing.
func (f *userRows) read(i int) {
	if f.zeros == nil {
		f.zeros = make([]float32, f.Cols())
	}
	f.Axpy(i, 1, f.zeros)
	f.index, f.values = f.index[:0], f.values[:0]
	for from, rest := 0, bits(f.zeros); len(rest) > 0; {
		n := min(len(rest), 8)
		if n == 8 {
			v := (*[8]uint32)(rest)
			if v[0]|v[1]|v[2]|v[3]|v[4]|v[5]|v[6]|v[7] == 0 {
				from, rest = from+8, rest[8:]
				continue
			}
		}
		for j := from; j < from+n; j++ {
			if v := f.zeros[j]; v != 0 {
				f.index, f.values = append(f.index, int32(j)), append(f.values, v)
				f.zeros[j] = 0
			}
		}
		from, rest = from+n, rest[n:]
	}
}

// Row returns a nil index, as for a dense row, and the values of row i, valid until the next call.
func (f *userRows) Row(i int) (index []int32, values []float32) {
	clear(f.buffer())
	f.Axpy(i, 1, f.row)
	return nil, f.row
}

// buffer returns the buffer of Row, allocated on the first call.
func (f *userRows) buffer() []float32 {
	if f.row == nil {
		f.row = make([]float32, f.Cols())
	}
	return f.row
}
