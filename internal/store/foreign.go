package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

// foreign is rows of a type that the caller has defined.
type foreign struct {
	plain
	Examples
	row []float32 // a buffer for Row; nil before

	// The nonzeros of the row that read has read, and zeros for the next; nil before.
	index  []int32
	values []float32
	zeros  []float32
}

func (f *foreign) ForWorker() Rows { return &foreign{Examples: f.Examples} }
func (f *foreign) Size() int       { return 0 }
func (f *foreign) Ahead() int      { return 0 }
func (f *foreign) Fetch(int)       {}

func (f *foreign) Err() error {
	if x, ok := f.Examples.(interface{ Err() error }); ok {
		return x.Err()
	}
	return nil
}

// Take returns a copy as a matrix.
func (f *foreign) Take(rows []uint32) Rows { return copied(f, rows) }

func (f *foreign) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(f, dst, rows, w) }
func (f *foreign) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(f, a, rows, w) }

func (f *foreign) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(f, dst, i, vectors, first)
}

// DotError knows nothing of the caller's Dot.
func (f *foreign) DotError(int) float64 { return math.Inf(1) }

func (f *foreign) WideDot(i int, w []float64) float64 {
	f.read(i)
	var lane [wideLanes]float64
	for n, j := range f.index {
		lane[j&(wideLanes-1)] += float64(w[j] * float64(f.values[n]))
	}
	return wideFold(lane)
}

func (f *foreign) AddTo(u []float64, s Sum) {
	for i, a := range s.all() {
		f.read(i)
		for n, j := range f.index {
			u[j] += float64(a * float64(f.values[n]))
		}
	}
}

// read finds the nonzeros of row i, which Axpy adds to zeros without a rounding.
func (f *foreign) read(i int) {
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

// Row returns nil and the values of row i, valid until the next call.
func (f *foreign) Row(i int) (index []int32, values []float32) {
	clear(f.buffer())
	f.Axpy(i, 1, f.row)
	return nil, f.row
}

// buffer returns that of Row, made on the first call.
func (f *foreign) buffer() []float32 {
	if f.row == nil {
		f.row = make([]float32, f.Cols())
	}
	return f.row
}
