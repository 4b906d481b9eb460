package store

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
)

// same is sparse rows each of which has one value in all its nonzeros, such as a 1 in data of ones
// and zeros, or the same part of a unit length. A nonzero takes two bytes instead of eight.
type same struct {
	plain
	cols    int
	rows    []row // and one behind them, which says where the last one ends
	indices []uint16
}

// A row has its nonzeros from start to the start of the next one.
type row struct {
	start uint32
	value float32
}

// SameFrom is the Size from which sparse rows are worth a look whether they are such, and
// sameVisits how often each has to be visited: packing it takes as long as half a step.
var SameFrom = 1 << 16 // a variable for the sake of tests

const sameVisits = 2

const (
	mostColumns  = 1 << 16 // of an index
	mostNonzeros = math.MaxUint32
)

// newSame returns a copy of x and true, if x has at most 65,536 columns and each row has one finite
// value, that is not -0, in all its nonzeros.
func newSame(x *csr) (*same, bool) {
	if x.cols > mostColumns || uint64(x.NNZ()) > mostNonzeros {
		return nil, false
	}
	starts, indices, values := x.starts, x.indices, x.values
	rows := x.Rows()
	rowSame := func(i int) bool { return oneValue(bits(values[starts[i]:starts[i+1]])) }
	// A few rows from everywhere decide most cases.
	const few = 32
	for i := 0; i < rows; i += rows/few + 1 {
		if !rowSame(i) {
			return nil, false
		}
	}
	// Often all rows have the same value, which is quicker to look at: a row's end is hard to
	// predict for the processor.
	one := allEqual(values)
	if !one {
		for i := range rows {
			if !rowSame(i) {
				return nil, false
			}
		}
	}
	m := &same{cols: x.cols, rows: make([]row, rows+1), indices: make([]uint16, len(indices))}
	if one {
		var value float32
		if len(values) > 0 {
			value = values[0]
		}
		for i, start := range starts {
			m.rows[i] = row{uint32(start), value} // of an empty row, too: it is times nothing
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
	narrow(m.indices, indices)
	return m, true
}

// bits are those of the values, in the same memory.
func bits(val []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(val))), len(val))
}

// oneValue reports whether all values are the first one, and that is one which a same may have: not
// -0, infinite or NaN.
func oneValue(val []uint32) bool {
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

// allEqual is oneValue for many values: of values that are not 0 neighbours are equal if they have
// no distance.
func allEqual(values []float32) bool {
	if len(values) == 0 || values[0] == 0 || !oneValue(bits(values[:1])) {
		return oneValue(bits(values))
	}
	const part = 1 << 12 // which ends soon where they are not
	for len(values) > 1 {
		n := min(len(values)-1, part)
		if asm.L1Distance(values[:n], values[1:n+1]) != 0 {
			return false
		}
		values = values[n:]
	}
	return true
}

// narrow copies indices, which must fit.
func narrow(dst []uint16, src []int32) {
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

func (m *same) Rows() int { return len(m.rows) - 1 }

func (m *same) Cols() int { return m.cols }

func (m *same) Size() int { return 8*len(m.rows) + 2*len(m.indices) }

func (m *same) ForWorker() Rows { return m }
func (m *same) Ahead() int      { return sparseAhead }

// place returns the value and the columns of row i, which alias the rows.
func (m *same) place(i int) (value float32, index []uint16) {
	r := m.rows[i]
	return r.value, m.indices[r.start:m.rows[i+1].start]
}

func (m *same) Dot(i int, w []float32) float32 {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	value, index := m.place(i)
	return asm.DotSame(value, index, w)
}

func (m *same) Axpy(i int, a float32, w []float32) {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	value, index := m.place(i)
	asm.AxpySame(float32(a*value), index, w)
}

func (m *same) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(m, dst, rows, w) }
func (m *same) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(m, a, rows, w) }

func (m *same) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(m, dst, i, vectors, first)
}

func (m *same) DotError(i int) float64 {
	_, index := m.place(i)
	return sparseError(len(index))
}

func (m *same) WideDot(i int, w []float64) float64 {
	value, index := m.place(i)
	var lane [wideLanes]float64
	for _, j := range index {
		lane[j&(wideLanes-1)] += float64(w[j] * float64(value))
	}
	return wideFold(lane)
}

func (m *same) AddTo(u []float64, s Sum) {
	for i, a := range s.all() {
		value, index := m.place(i)
		z := float64(a * float64(value))
		for _, j := range index {
			u[j] += z
		}
	}
}

// StepsMost is the mean number of nonzeros up to which prepared steps are faster than single ones.
var StepsMost = 20 // a variable for the sake of the trainer's benchmark that it is chosen by

func (m *same) Steps() *Stepper {
	if len(m.indices) > StepsMost*m.Rows() {
		return nil
	}
	return (*Stepper)(m)
}

// Stepper takes prepared steps of the hinge loss, some at once. It is a type and no interface, for
// what prepares the steps is a few instructions a row.
type Stepper same

// Place sets what a step needs of row i, besides its sign: y, and that with its weight.
func (m *Stepper) Place(s *asm.Step, i int, y, weighted float32) {
	r := m.rows[i]
	s.Start, s.Count = r.start, m.rows[i+1].start-r.start
	s.Value, s.Update = y*r.value, float32(weighted*r.value)
}

// Fetch is that of Rows.
func (m *Stepper) Fetch(i int) { (*same)(m).Fetch(i) }

// Take takes the steps on w, one after the other.
func (m *Stepper) Take(steps []asm.Step, w []float32) {
	if len(w) != m.cols {
		panic(wrongLength(w, m.cols))
	}
	asm.StepsSame(steps, m.indices, w)
}

// lanes is the number of lanes of a dense sum, which the squares of a row's values are.
const lanes = 64

func (m *same) SumSquares(i int) float32 {
	value, idx := m.place(i)
	n, square := len(idx), float32(value*value)
	if square == 1 {
		return float32(n) // no sum on the way is rounded
	}
	var v [lanes]float32
	if n <= lanes {
		for k := range n {
			v[k] = value
		}
		return asm.SumSquares(v[:n])
	}
	// A lane has n/64 squares, or one more. With factors of 1 a dot product does no more than fold
	// the lanes.
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

// Squares returns SumSquares of all rows.
func Squares(x Rows) []float32 {
	squares := make([]float32, x.Rows())
	if m, ok := x.(*same); ok {
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

func (m *same) Fetch(i int) {
	start, end := m.rows[i].start, m.rows[i+1].start
	if start == end {
		return
	}
	// From the beginning of a line, so that a short row across two is fetched whole.
	before := uint32(uintptr(unsafe.Pointer(&m.indices[start]))%64) / 2
	asm.Prefetch(m.indices[start-min(before, start) : end])
}

// Take doesn't ask for rows ahead: a copy of a short row is so few instructions that the processor
// is at work on some rows at once, and asking was slower from the caches and from memory.
func (m *same) Take(rows []uint32) Rows {
	t := &same{cols: m.cols, rows: make([]row, len(rows)+1)}
	nnz := 0
	for k, i := range rows {
		value, idx := m.place(int(i))
		t.rows[k] = row{uint32(nnz), value}
		nnz += len(idx)
	}
	if uint64(nnz) > mostNonzeros {
		panic("store: more than 2^32-1 nonzeros")
	}
	t.rows[len(rows)].start = uint32(nnz)
	t.indices = make([]uint16, nnz)
	for k, i := range rows {
		_, idx := m.place(int(i))
		copy(t.indices[t.rows[k].start:], idx)
	}
	return t
}
