package dense

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Matrix is a matrix stored by rows, each padded to a multiple of 64 bytes and starting at an
// address that is a multiple of 64. Rows from a mapped file are checked when they are first read:
// see Err.
type Matrix matrices.Dense // no exported fields; this module's packages convert to matrices.Dense

// New returns a matrix of zeros. It panics if rows or cols is negative or the matrix would exceed
// the address space.
func New(rows, cols int) *Matrix { return (*Matrix)(matrices.NewDense(rows, cols)) }

// FromSlice copies rows*cols values, row by row, into a new matrix. It returns an error if rows or
// cols is negative or len(values) is not rows*cols.
func FromSlice(rows, cols int, values []float32) (*Matrix, error) {
	if rows < 0 || cols < 0 {
		return nil, fmt.Errorf("dense: rows = %d, cols = %d, want 0 or more", rows, cols)
	}
	if cols > 0 && rows != len(values)/cols || rows*cols != len(values) {
		return nil, fmt.Errorf("dense: have %s, want %d rows of %d", plural.Count(len(values), "value"),
			rows, cols)
	}
	m := New(rows, cols)
	if cols == 0 {
		return m, nil // there may be 2^63-1 rows
	}
	for i := range rows {
		copy(m.Row(i), values[i*cols:])
	}
	return m, nil
}

// Rows returns the number of rows.
func (m *Matrix) Rows() int { return (*matrices.Dense)(m).Rows() }

// Cols returns the number of columns.
func (m *Matrix) Cols() int { return (*matrices.Dense)(m).Cols() }

// Err returns nil unless the rows come from a mapped file (see package dataset). Such rows are
// checked in blocks, each when one of its rows is first read. The rows of an invalid block are
// zeros, and Err returns the error of the first of the invalid blocks found so far: call Err when
// all rows have been read.
func (m *Matrix) Err() error { return (*matrices.Dense)(m).Guard().Err() }

// Row returns row i, a slice of Cols elements that aliases the matrix. A row from a mapped file
// must not be written to.
func (m *Matrix) Row(i int) []float32 { return (*matrices.Dense)(m).Row(i) }

// Dot returns the dot product of row i and w, which has Cols elements.
func (m *Matrix) Dot(i int, w []float32) float32 { return Dot((*matrices.Dense)(m).Row(i), w) }

// Axpy adds a times row i to w, which has Cols elements.
func (m *Matrix) Axpy(i int, a float32, w []float32) { Axpy(a, (*matrices.Dense)(m).Row(i), w) }

// SumSquares returns the squared Euclidean norm of row i.
func (m *Matrix) SumSquares(i int) float32 { return asm.SumSquares((*matrices.Dense)(m).Row(i)) }

// DotRows sets dst[k] to the dot product of row first+k and w, which has Cols elements. It panics
// if first is negative or the matrix has fewer than first+len(dst) rows.
func (m *Matrix) DotRows(dst []float32, first int, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	if first < 0 || first > m.Rows() || len(dst) > m.Rows()-first {
		panic(misuse.Of("first = %d, len(dst) = %d, Rows = %d", first, len(dst), m.Rows()))
	}
	if m.unchecked() {
		for k := range dst {
			dst[k] = m.Dot(first+k, w)
		}
		return
	}
	values, stride := (*matrices.Dense)(m).Padded()
	asm.DotRows(dst, values[first*stride:], stride, w)
}

// DotRowsAt sets dst[k] to the dot product of row idx[k] and w, which has Cols elements.
func (m *Matrix) DotRowsAt(dst []float32, idx []int32, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	values, stride := (*matrices.Dense)(m).Padded()
	if m.unchecked() && len(dst) == len(idx) {
		asm.CheckRowsAt(len(values), stride, idx, len(w))
		for k, i := range idx {
			dst[k] = m.Dot(int(i), w)
		}
		return
	}
	asm.DotRowsAt(dst, values, stride, idx, w)
}

// AxpyRows adds a[k] times row idx[k] to w, which has Cols elements, for each k in order.
func (m *Matrix) AxpyRows(a []float32, idx []int32, w []float32) {
	misuse.CheckEqual("len(w)", len(w), "Cols", m.Cols())
	values, stride := (*matrices.Dense)(m).Padded()
	if m.unchecked() && len(a) == len(idx) {
		asm.CheckRowsAt(len(values), stride, idx, len(w))
		for k, i := range idx {
			m.Axpy(int(i), a[k], w)
		}
		return
	}
	asm.AxpyRows(a, values, stride, idx, w)
}

func (m *Matrix) unchecked() bool { return !(*matrices.Dense)(m).Guard().Verified() }

// Take returns a new matrix with copies of the given rows, in the given order.
func (m *Matrix) Take(rows []uint32) *Matrix {
	t := New(len(rows), m.Cols())
	for k, i := range rows {
		copy(t.Row(k), m.Row(int(i)))
	}
	return t
}
