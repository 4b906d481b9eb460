package store

import (
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/misuse"
	"github.com/pegasimd/pegasimd/sparse"
)

// A Reader gives the values of rows. It is for one goroutine.
type Reader interface {
	Rows() int
	Cols() int
	// Row returns the columns and values of row i's nonzeros, which may include zeros; or, of dense
	// rows, nil and all values. The slices must not be changed, and are valid until the next call.
	Row(i int) (index []int32, values []float32)
}

// A Matrix is rows of package dense or sparse. Row may be called from several goroutines, and its
// results stay valid.
type Matrix interface {
	Rows
	Row(i int) (index []int32, values []float32)
	// Dense returns dense rows, and nil for sparse ones.
	Dense() *dense.Matrix
	// Examples returns the rows as the caller's package has them.
	Examples() Examples
}

// ReaderOf returns a reader of x. The columns of sparse rows are never nil.
func ReaderOf(x Examples) Reader {
	if m, ok := Of(x).(Matrix); ok {
		return m
	}
	return &foreign{Examples: x}
}

// MatrixOf returns x as a Matrix, or false if it is of a type that the caller has defined.
func MatrixOf(x Examples) (Matrix, bool) {
	m, ok := Of(x).(Matrix)
	return m, ok
}

// Own returns a Matrix with the given rows of x, and the place of each in it: x itself, or a copy
// of those rows if x is of a type that the caller has defined.
func Own(x Examples, only []int32) (m Matrix, at []int32) {
	if m, ok := MatrixOf(x); ok {
		return m, only
	}
	at = make([]int32, len(only))
	for k := range at {
		at[k] = int32(k)
	}
	return copied(&foreign{Examples: x}, unsigned(only)), at
}

// TakeMatrix is Take.
func TakeMatrix(m Matrix, rows []int32) Matrix { return m.Take(unsigned(rows)).(Matrix) }

// copied returns a copy of the given rows: as dense ones if that takes no more memory. The columns
// are in range even if the caller's type changes its answers from call to call.
func copied(x *foreign, rows []uint32) Matrix {
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
		return newFloats(d)
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

// AreBinary reports whether there are no other values than zeros and ones.
func AreBinary(values []float32) bool {
	for _, v := range values {
		if v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// CheckRow panics unless idx and val are a row of a sparse matrix, of any number of columns.
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

// notAscending returns what to panic with where idx[k] is not above the index before it.
//
//go:noinline
func notAscending(idx []int32, k int) any {
	if k == 0 {
		return misuse.Of("idx[0] = %d", idx[0])
	}
	return misuse.Of("idx[%d] = %d after %d", k, idx[k], idx[k-1])
}
