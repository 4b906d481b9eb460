package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
)

// constantCSR is sparse rows with one value each, such as 1 in binary data, or the inverse of the
// row's norm in normalized binary data.
type constantCSR struct {
	defaults
	Stepper
	index  []int32
	values []float32 // copies of one value
}

// MinConstantSize and minConstantVisits are the least Size of csr rows, in bytes, and the least
// visits to each row at which a conversion to constantCSR pays.
var MinConstantSize = 1 << 16 // variable for tests

const minConstantVisits = 2

const (
	maxConstantColumns  = 1 << 16 // an index is a uint16
	maxConstantNonzeros = math.MaxUint32
)

// newConstantCSR returns a copy of the rows, or false if they exceed these limits, or if a row has
// different values, a -0 or a value that is not finite.
func newConstantCSR(cols int, starts []int64, indices []int32, values []float32) (Rows, bool) {
	if cols > maxConstantColumns || uint64(len(values)) > maxConstantNonzeros {
		return nil, false
	}
	rows := len(starts) - 1
	isRowConstant := func(i int) bool { return isConstant(bits(values[starts[i]:starts[i+1]])) }
	// A few evenly spaced rows are enough to reject most data.
	const few = 32
	for i := 0; i < rows; i += rows/few + 1 {
		if !isRowConstant(i) {
			return nil, false
		}
	}
	// One test of all values is faster than one per row.
	if !isConstant(bits(values)) {
		for i := range rows {
			if !isRowConstant(i) {
				return nil, false
			}
		}
	}
	m := &constantCSR{Stepper: Stepper{cols, make([]constantRow, rows+1),
		make([]uint16, len(indices))}}
	for i, start := range starts {
		m.rows[i].start = uint32(start)
		if i < rows && start < starts[i+1] {
			m.rows[i].value = values[start]
		}
	}
	for k, j := range indices {
		m.indices[k] = uint16(j)
	}
	return m, true
}

// bits returns val as uint32s in the same memory.
func bits(val []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(val))), len(val))
}

// isConstant reports whether all values, given by their bits, are equal, finite and not -0.
func isConstant(val []uint32) bool {
	if len(val) == 0 {
		return true
	}
	const minusZero, exponent = 1 << 31, 0xff << 23
	first := val[0]
	if first == minusZero || first&exponent == exponent {
		return false
	}
	for len(val) >= 8 {
		v := (*[8]uint32)(val)
		half := (v[0] ^ first) | (v[1] ^ first) | (v[2] ^ first) | (v[3] ^ first)
		if half|(v[4]^first)|(v[5]^first)|(v[6]^first)|(v[7]^first) != 0 {
			return false
		}
		val = val[8:]
	}
	for _, v := range val {
		if v != first {
			return false
		}
	}
	return true
}

func (m *constantCSR) Rows() int             { return len(m.rows) - 1 }
func (m *constantCSR) Cols() int             { return m.cols }
func (m *constantCSR) Size() int             { return 8*len(m.rows) + 2*len(m.indices) }
func (m *constantCSR) Clone() Rows           { return &constantCSR{Stepper: m.Stepper} }
func (m *constantCSR) PrefetchDistance() int { return sparsePrefetchDistance }

func (m *constantCSR) entries(i int) (value float32, index []uint16) {
	r := m.rows[i]
	return r.value, m.indices[r.start:m.rows[i+1].start]
}

func (m *constantCSR) Dot(i int, w []float32) float32 {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.cols)
	value, index := m.entries(i)
	return asm.DotSame(value, index, w)
}

func (m *constantCSR) Axpy(i int, a float32, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.cols)
	value, index := m.entries(i)
	asm.AxpySame(float32(a*value), index, w)
}

func (m *constantCSR) DotMany(dst []float32, rows []uint32, w []float32) {
	dotMany(m, dst, rows, w)
}

func (m *constantCSR) AxpyMany(a []float32, rows []uint32, w []float32) {
	axpyMany(m, a, rows, w)
}

func (m *constantCSR) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(m, dst, i, vectors, first)
}

func (m *constantCSR) DotError(i int) float64 {
	_, index := m.entries(i)
	return sparseError(len(index))
}

func (m *constantCSR) Dot64(i int, w []float64) float64 {
	value, index := m.entries(i)
	var lane [dot64Lanes]float64
	for _, j := range index {
		lane[j&(dot64Lanes-1)] += float64(w[j] * float64(value))
	}
	return floats.Fold(lane)
}

func (m *constantCSR) AddTo(u []float64, s Sum) {
	for k := range s.Len() {
		i, a := s.Term(k)
		if a == 0 {
			continue
		}
		value, index := m.entries(i)
		z := float64(a * float64(value))
		for _, j := range index {
			u[j] += z
		}
	}
}

// maxStepNonzeros is the largest mean number of nonzeros per row at which Stepper.Take pays.
const maxStepNonzeros = 20

func (m *constantCSR) Steps() *Stepper {
	if len(m.indices) > maxStepNonzeros*m.Rows() {
		return nil
	}
	return &m.Stepper
}

func (m *constantCSR) SumSquares(i int) float32 {
	value, index := m.entries(i)
	if value == 1 {
		return float32(len(index)) // exact: no partial sum is rounded
	}
	return asm.SumSquares(m.repeat(value, len(index)))
}

func (m *constantCSR) Row(i int) (index []int32, values []float32) {
	value, columns := m.entries(i)
	if m.index = m.index[:0]; m.index == nil {
		m.index = []int32{}
	}
	for _, j := range columns {
		m.index = append(m.index, int32(j))
	}
	return m.index, m.repeat(value, len(columns))
}

// The result is valid until the next call.
func (m *constantCSR) repeat(value float32, n int) []float32 {
	if len(m.values) > 0 && m.values[0] != value {
		m.values = m.values[:0]
	}
	for len(m.values) < n {
		m.values = append(m.values, value)
	}
	return m.values[:n]
}

func (m *constantCSR) Take(rows []uint32) Rows {
	t := &constantCSR{Stepper: Stepper{cols: m.cols, rows: make([]constantRow, len(rows)+1)}}
	nnz := 0
	for k, i := range rows {
		value, idx := m.entries(int(i))
		t.rows[k] = constantRow{uint32(nnz), value}
		nnz += len(idx)
	}
	if uint64(nnz) > maxConstantNonzeros {
		panic("store: the copied rows have more than 2^32-1 nonzeros")
	}
	t.rows[len(rows)].start = uint32(nnz)
	t.indices = make([]uint16, nnz)
	for k, i := range rows {
		_, idx := m.entries(int(i))
		copy(t.indices[t.rows[k].start:], idx)
	}
	return t
}
