package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Reader reads the values of rows. A Reader may be used by one goroutine at a time.
type Reader interface {
	Rows() int
	Cols() int
	// Row returns the columns and values of row i's stored elements, which include all nonzeros and
	// possibly zeros; or, for dense rows, nil and all values. The slices must not be changed, and
	// are valid until the next call.
	Row(i int) (index []int32, values []float32)
}

// Matrix is rows of a dense or sparse matrix. Row may be called from several goroutines, and its
// results stay valid.
type Matrix interface {
	Rows
	Row(i int) (index []int32, values []float32)
	// Dense returns the matrix of dense rows, and nil for sparse rows.
	Dense() *dense.Matrix
	// Examples returns the rows as a *dense.Matrix or *sparse.Matrix.
	Examples() Examples
}

// ReaderOf returns a Reader of x. The index slices of sparse rows are never nil.
func ReaderOf(x Examples) Reader {
	if m, ok := Of(x).(Matrix); ok {
		return m
	}
	return &userRows{Examples: x}
}

// MatrixOf returns x as a Matrix, or false if x is of a user-defined type.
func MatrixOf(x Examples) (Matrix, bool) {
	m, ok := Of(x).(Matrix)
	return m, ok
}

// MatrixFrom returns a Matrix m and a slice at, such that row at[k] of m is row indices[k] of x. If
// x is of a user-defined type, m is a copy of these rows; otherwise m has the rows of x itself, and
// at is indices.
func MatrixFrom(x Examples, indices []int32) (m Matrix, at []int32) {
	if m, ok := MatrixOf(x); ok {
		return m, indices
	}
	at = make([]int32, len(indices))
	for k := range at {
		at[k] = int32(k)
	}
	return copyToMatrix(&userRows{Examples: x}, asUint32(indices)), at
}

// TakeMatrix returns copies of the given rows of m, in the given order.
func TakeMatrix(m Matrix, rows []int32) Matrix { return m.Take(asUint32(rows)).(Matrix) }

// copyToMatrix returns a copy of the given rows, dense if that takes no more memory than a sparse
// copy. The column indices are in range even if the user-defined type returns other values on every
// call.
func copyToMatrix(x *userRows, rows []uint32) Matrix {
	nonzeros, cols := 0, len(x.buffer())
	for _, i := range rows {
		_, values := x.Row(int(i))
		for _, v := range values {
			if v != 0 {
				nonzeros++
			}
		}
	}
	if 2*nonzeros >= len(rows)*cols || cols > math.MaxInt32 {
		d := dense.New(len(rows), cols)
		for k, i := range rows {
			_, values := x.Row(int(i))
			copy(d.Row(k), values)
		}
		return newDenseRows(d)
	}
	starts := make([]int64, 1, len(rows)+1)
	index, values := make([]int32, 0, nonzeros), make([]float32, 0, nonzeros)
	for _, i := range rows {
		_, row := x.Row(int(i))
		for j, v := range row {
			if v != 0 {
				index, values = append(index, int32(j)), append(values, v)
			}
		}
		starts = append(starts, int64(len(values)))
	}
	m := matrices.Trusted(cols, starts, index, values)
	return ofSparse((*sparse.Matrix)(m)).(Matrix)
}

// AreBinary reports whether all values are 0 or 1.
func AreBinary(values []float32) bool {
	for _, v := range values {
		if v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// CheckRow panics unless idx and val are a row of a sparse matrix: equal lengths, and strictly
// ascending indices from 0. There is no upper bound on the indices.
func CheckRow(idx []int32, val []float32) {
	if len(idx) != len(val) {
		panic(misuse.Lengths("len(idx)", len(idx), "len(val)", len(val)))
	}
	last := int32(-1)
	for k, j := range idx {
		if j <= last {
			panic(notAscending(idx, k))
		}
		last = j
	}
}

// notAscending returns the panic value for an idx[k] that is not above the index before it.
//
//go:noinline
func notAscending(idx []int32, k int) any {
	if k == 0 {
		return misuse.Of("idx[0] = %d", idx[0])
	}
	return misuse.Of("idx[%d] = %d after %d", k, idx[k], idx[k-1])
}
