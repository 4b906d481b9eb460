package compact

import (
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/sparse"
)

// Same is a sparse matrix each of whose rows has one value in all its nonzeros, such as a 1 in data of ones and zeros, or
// the same part of a unit length. A nonzero takes two bytes instead of eight.
type Same struct {
	cols    int
	rows    []row // and one behind them, which says where the last one ends
	indices []uint16
}

// A row has its nonzeros from start to the start of the next one.
type row struct {
	start uint32
	value float32
}

const (
	mostColumns  = 1 << 16 // of an index
	mostNonzeros = math.MaxUint32
)

// Sparse returns a copy of x and true, if x has at most 65,536 columns and each row has one finite value, that is not -0, in
// all its nonzeros. x must not be lazy.
func Sparse(x *sparse.Matrix) (*Same, bool) {
	if x.Lazy() || x.Cols() > mostColumns || uint64(x.NNZ()) > mostNonzeros {
		return nil, false
	}
	starts, indices, values := x.Arrays()
	rows := x.Rows()
	rowSame := func(i int) bool { return same(bits(values[starts[i]:starts[i+1]])) }
	// A few rows from everywhere tell in most cases.
	const few = 32
	for i := 0; i < rows; i += rows/few + 1 {
		if !rowSame(i) {
			return nil, false
		}
	}
	// Often all rows have the same value, which is quicker to look at: a row's end is hard to predict for the processor.
	one := same(bits(values))
	if !one {
		for i := range rows {
			if !rowSame(i) {
				return nil, false
			}
		}
	}
	m := &Same{cols: x.Cols(), rows: make([]row, rows+1), indices: make([]uint16, len(indices))}
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

// same tells whether all values are the first one, and that is one which a Same may have: not -0, infinite or NaN.
func same(val []uint32) bool {
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
		if (v[0]^first)|(v[1]^first)|(v[2]^first)|(v[3]^first)|(v[4]^first)|(v[5]^first)|(v[6]^first)|(v[7]^first) != 0 {
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

// Rows returns the number of rows.
func (m *Same) Rows() int { return len(m.rows) - 1 }

// Cols returns the number of columns.
func (m *Same) Cols() int { return m.cols }

// NNZ returns the number of nonzeros.
func (m *Same) NNZ() int { return len(m.indices) }

// Size returns what the rows take in memory, in bytes.
func (m *Same) Size() int { return 8*len(m.rows) + 2*len(m.indices) }

const tooShort = "compact: len(w) < Cols"

// Row returns the value and the columns of row i, which alias the matrix. A loop whose w was checked once can hand them to
// asm.DotSame and asm.AxpySame itself: Row is inlined, Dot is not.
func (m *Same) Row(i int) (value float32, idx []uint16) {
	r := m.rows[i]
	return r.value, m.indices[r.start:m.rows[i+1].start]
}

// Dot returns the dot product of row i and w, which has Cols elements or more.
func (m *Same) Dot(i int, w []float32) float32 {
	if len(w) < m.cols {
		panic(tooShort)
	}
	value, idx := m.Row(i)
	return asm.DotSame(value, idx, w)
}

// Axpy adds a times row i to w, which has Cols elements or more.
func (m *Same) Axpy(i int, a float32, w []float32) {
	if len(w) < m.cols {
		panic(tooShort)
	}
	value, idx := m.Row(i)
	asm.AxpySame(float32(a*value), idx, w)
}

// Place returns the value of row i, and where its indices are, as an asm.Step has it.
func (m *Same) Place(i int) (value float32, start, count uint32) {
	r := m.rows[i]
	return r.value, r.start, m.rows[i+1].start - r.start
}

// Steps takes the steps, with rows whose places are from Place, on w, which has Cols elements or more.
func (m *Same) Steps(steps []asm.Step, w []float32) {
	if len(w) < m.cols {
		panic(tooShort)
	}
	asm.StepsSame(steps, m.indices, w)
}

// lanes is the number of lanes of a dense sum, which the squares of a row's values are.
const lanes = 64

// SumSquares returns the squared Euclidean norm of row i.
func (m *Same) SumSquares(i int) float32 {
	value, idx := m.Row(i)
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
	// A lane has n/64 squares, or one more. With factors of 1 a dot product does no more than fold the lanes.
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

// Prefetch asks for row i to be brought into the caches, for a Dot or Axpy soon to come.
func (m *Same) Prefetch(i int) {
	start, end := m.rows[i].start, m.rows[i+1].start
	if start == end {
		return
	}
	// From the beginning of a line, so that a short row across two is fetched whole.
	before := uint32(uintptr(unsafe.Pointer(&m.indices[start]))%64) / 2
	asm.Prefetch(m.indices[start-min(before, start) : end])
}

// Take returns a copy of the given rows, in the given order. It doesn't ask for rows ahead: a copy of a short row is so few
// instructions that the processor is at work on some rows at once, and asking was slower from the caches and from memory.
func (m *Same) Take(rows []uint32) *Same {
	t := &Same{cols: m.cols, rows: make([]row, len(rows)+1)}
	nnz := 0
	for k, i := range rows {
		value, idx := m.Row(int(i))
		t.rows[k] = row{uint32(nnz), value}
		nnz += len(idx)
	}
	if uint64(nnz) > mostNonzeros {
		panic("compact: more than 2^32-1 nonzeros")
	}
	t.rows[len(rows)].start = uint32(nnz)
	t.indices = make([]uint16, nnz)
	for k, i := range rows {
		_, idx := m.Row(int(i))
		copy(t.indices[t.rows[k].start:], idx)
	}
	return t
}
