package store

import "github.com/pegasimd/pegasimd/dense"

// foreign is rows of a type that the caller has defined.
type foreign struct {
	plain
	Examples
	row []float32 // a buffer for Row; nil before
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

// AddTo has a float32 Axpy only. It runs over few rows at a time, so that little is rounded away.
func (f *foreign) AddTo(u []float64, s Sum) (rounding float64) {
	const few = 64
	part := make([]float32, len(u))
	added := 0
	flush := func() {
		for j, z := range part {
			u[j] += float64(z)
		}
		clear(part)
		added = 0
	}
	for i := range s.all(f.Rows()) {
		a := s.A[i]
		if s.Weight != nil {
			a = float32(a * float32(s.Weight[i]))
		}
		f.Axpy(i, a, part)
		if added++; added == few {
			flush()
		}
	}
	flush()
	return (few + 3) * 0x1p-24
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
