package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// constantCSR is sparse rows in which all nonzeros of a row have the same value, such as 1 in
// binary data, or the inverse of the row's norm in normalized binary data. A nonzero takes two
// bytes instead of eight.
type constantCSR struct {
	defaults
	cols    int
	rows    []constantRow // one for each row, and a last one whose start is len(indices)
	indices []uint16
}

// constantRow is the start and the value of a row's nonzeros; the next constantRow's start is their
// end.
type constantRow struct {
	start uint32
	value float32
}

// MinConstantSize is the least Size, in bytes, of csr rows that the trainer tries to convert to
// constantCSR. minConstantVisits is the least number of visits to each row at which the conversion
// pays: converting a row takes as long as half a training step.
var MinConstantSize = 1 << 16 // a variable, so that tests can change it

const minConstantVisits = 2

const (
	maxConstantColumns  = 1 << 16 // an index is a uint16
	maxConstantNonzeros = math.MaxUint32
)

// newConstantCSR returns a copy of x and true, if x has at most 65,536 columns and less than 2^32
// nonzeros, and all nonzeros of each row have the same finite value other than -0.
func newConstantCSR(x *csr) (*constantCSR, bool) {
	if x.cols > maxConstantColumns || uint64(x.NNZ()) > maxConstantNonzeros {
		return nil, false
	}
	starts, indices, values := x.starts, x.indices, x.values
	rows := x.Rows()
	rowSame := func(i int) bool { return isConstant(bits(values[starts[i]:starts[i+1]])) }
	// A few evenly spaced rows decide most cases.
	const few = 32
	for i := 0; i < rows; i += rows/few + 1 {
		if !rowSame(i) {
			return nil, false
		}
	}
	// Often all rows have the same value. This is tested first because it is faster: the processor
	// mispredicts the ends of short rows.
	one := allEqual(values)
	if !one {
		for i := range rows {
			if !rowSame(i) {
				return nil, false
			}
		}
	}
	m := &constantCSR{cols: x.cols, rows: make([]constantRow, rows+1),
		indices: make([]uint16, len(indices))}
	if one {
		var value float32
		if len(values) > 0 {
			value = values[0]
		}
		for i, start := range starts {
			m.rows[i] = constantRow{uint32(start), value} // the value of an empty row is unused
		}
	} else {
		for i := range rows {
			m.rows[i].start = uint32(starts[i])
			if starts[i] < starts[i+1] {
				m.rows[i].value = values[starts[i]]
			}
		}
		m.rows[rows].start = uint32(starts[rows])
	}
	narrowIndices(m.indices, indices)
	return m, true
}

// bits returns the bits of the float32 values as uint32, in the same memory.
func bits(val []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(val))), len(val))
}

// isConstant reports whether all values, given by their bits, are equal, and constantCSR can
// represent the value: it is not -0, infinite or NaN.
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

// allEqual has the result of isConstant, and is faster for many values: it computes the L1 distance
// of neighboring values, which is 0 only if they are equal or are 0 and -0. To tell 0 from -0, it
// calls isConstant if the first value is 0.
func allEqual(values []float32) bool {
	if len(values) == 0 || values[0] == 0 || !isConstant(bits(values[:1])) {
		return isConstant(bits(values))
	}
	const block = 1 << 12 // values per call of asm.L1Distance: the loop can end early
	for len(values) > 1 {
		n := min(len(values)-1, block)
		if asm.L1Distance(values[:n], values[1:n+1]) != 0 {
			return false
		}
		values = values[n:]
	}
	return true
}

// narrowIndices converts indices to uint16. All must be below 2^16.
func narrowIndices(dst []uint16, src []int32) {
	for len(src) >= 8 && len(dst) >= 8 {
		d, s := (*[8]uint16)(dst), (*[8]int32)(src)
		d[0], d[1], d[2], d[3] = uint16(s[0]), uint16(s[1]), uint16(s[2]), uint16(s[3])
		d[4], d[5], d[6], d[7] = uint16(s[4]), uint16(s[5]), uint16(s[6]), uint16(s[7])
		dst, src = dst[8:], src[8:]
	}
	dst = dst[:len(src)]
	for k, j := range src {
		dst[k] = uint16(j)
	}
}

func (m *constantCSR) Rows() int { return len(m.rows) - 1 }

func (m *constantCSR) Cols() int { return m.cols }

func (m *constantCSR) Size() int { return 8*len(m.rows) + 2*len(m.indices) }

func (m *constantCSR) Clone() Rows           { return m }
func (m *constantCSR) PrefetchDistance() int { return sparsePrefetchDistance }

// entries returns the value and the columns of row i. The slice aliases m.
func (m *constantCSR) entries(i int) (value float32, index []uint16) {
	r := m.rows[i]
	return r.value, m.indices[r.start:m.rows[i+1].start]
}

func (m *constantCSR) Dot(i int, w []float32) float32 {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	value, index := m.entries(i)
	return asm.DotSame(value, index, w)
}

func (m *constantCSR) Axpy(i int, a float32, w []float32) {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
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
	return foldDot64(lane)
}

func (m *constantCSR) AddTo(u []float64, s Sum) {
	for i, a := range s.Coefficients() {
		value, index := m.entries(i)
		z := float64(a * float64(value))
		for _, j := range index {
			u[j] += z
		}
	}
}

// MaxStepNonzeros is the largest mean number of nonzeros in a row for which it is faster to take
// several steps in one call of Stepper.Take than to take them one by one.
var MaxStepNonzeros = 20 // a variable, so that the trainer's benchmark can vary it

func (m *constantCSR) Steps() *Stepper {
	if len(m.indices) > MaxStepNonzeros*m.Rows() {
		return nil
	}
	return (*Stepper)(m)
}

// Stepper takes several training steps of the hinge loss in one call of Take. Each step is an
// asm.Step, which Prepare sets for a row. Stepper is a concrete type, not an interface, because
// Prepare takes only a few instructions.
type Stepper constantCSR

// Prepare sets the fields of s that depend on row i: y is the row's label, 1 or -1, and weighted is
// y times the row's weight.
func (m *Stepper) Prepare(s *asm.Step, i int, y, weighted float32) {
	r := m.rows[i]
	s.Start, s.Count = r.start, m.rows[i+1].start-r.start
	s.Value, s.Update = y*r.value, float32(weighted*r.value)
}

// Prefetch loads row i into the caches.
func (m *Stepper) Prefetch(i int) { (*constantCSR)(m).Prefetch(i) }

// Take takes the given steps, one after the other, on the weight vector w.
func (m *Stepper) Take(steps []asm.Step, w []float32) {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	asm.StepsSame(steps, m.indices, w)
}

// lanes is the number of partial sums in which asm.SumSquares adds the squares of a row.
const lanes = 64

func (m *constantCSR) SumSquares(i int) float32 {
	value, idx := m.entries(i)
	n, square := len(idx), float32(value*value)
	if square == 1 {
		return float32(n) // exact: no partial sum is rounded
	}
	var v [lanes]float32
	if n <= lanes {
		for k := range n {
			v[k] = value
		}
		return asm.SumSquares(v[:n])
	}
	// Each lane has n/64 squares, or one more. The dot product with ones only adds up the lanes.
	var sum float32
	for range n / lanes {
		sum += square
	}
	var ones [lanes]float32
	for l := range lanes {
		v[l], ones[l] = sum, 1
	}
	for l := range n % lanes {
		v[l] += square
	}
	return asm.Dot(v[:], ones[:])
}

// Squares returns SumSquares of every row.
func Squares(x Rows) []float32 {
	squares := make([]float32, x.Rows())
	if m, ok := x.(*constantCSR); ok {
		for i := range squares {
			if m.rows[i].value == 1 {
				squares[i] = float32(m.rows[i+1].start - m.rows[i].start)
			} else {
				squares[i] = m.SumSquares(i)
			}
		}
		return squares
	}
	for i := range squares {
		squares[i] = x.SumSquares(i)
	}
	return squares
}

func (m *constantCSR) Prefetch(i int) {
	start, end := m.rows[i].start, m.rows[i+1].start
	if start == end {
		return
	}
	// Start at a cache line's beginning, so that both lines of a short row are loaded.
	before := uint32(uintptr(unsafe.Pointer(&m.indices[start]))%64) / 2
	asm.Prefetch(m.indices[start-min(before, start) : end])
}

// Take does not prefetch rows: copying a short row takes so few instructions that the processor
// already overlaps several rows. Prefetching was slower, both for rows in the caches and for rows
// in memory.
func (m *constantCSR) Take(rows []uint32) Rows {
	t := &constantCSR{cols: m.cols, rows: make([]constantRow, len(rows)+1)}
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
