package store

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Of returns x as Rows: x itself, the format of a dense or sparse matrix, or an adapter for a
// user-defined type.
func Of(x Examples) Rows {
	switch x := x.(type) {
	case *dense.Matrix:
		return newDenseRows(x)
	case *sparse.Matrix:
		return ofSparse(x)
	case Rows:
		return x
	}
	return newUserRows(x)
}

func MatrixOf(x Examples) (Matrix, bool) {
	m, ok := Of(x).(Matrix)
	return m, ok
}

// MatrixFrom returns m and at such that row at[k] of m is row indices[k] of x. If x is of a
// user-defined type, m is a copy of these rows.
func MatrixFrom(x Examples, indices []int32) (m Matrix, at []int32) {
	if m, ok := MatrixOf(x); ok {
		return m, indices
	}
	at = make([]int32, len(indices))
	for k := range at {
		at[k] = int32(k)
	}
	return Of(x).Take(asUint32(indices)).(Matrix), at
}

func TakeMatrix(m Matrix, rows []int32) Matrix { return m.Take(asUint32(rows)).(Matrix) }

// None of the rows may be negative.
func asUint32(rows []int32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(rows))), len(rows))
}

// Kind returns "dense" or "sparse" if MatrixOf accepts x, otherwise "other"; expanded rows have the
// kind of their scaled rows.
func Kind(x Examples) string {
	if r, ok := x.(*expanded); ok {
		return Kind(r.rows)
	}
	switch m, ok := MatrixOf(x); {
	case !ok:
		return "other"
	case m.Dense() != nil:
		return "dense"
	}
	return "sparse"
}

// CopySize estimates the bytes of a copy of x.
func CopySize(x Rows) float64 {
	if p := subsetOf(x); p != nil {
		return CopySize(p.rows) * float64(p.Rows()) / float64(max(1, p.rows.Rows()))
	}
	switch m, ok := MatrixOf(x); {
	case ok && m.Dense() != nil:
		return 4 * float64(x.Rows()) * float64(matrices.Stride(x.Cols()))
	case ok:
		if s, ok := m.Examples().(*sparse.Matrix); ok {
			return 8 * (float64(s.NNZ()) + float64(x.Rows()))
		}
	}
	return 4 * float64(x.Rows()) * float64(x.Cols())
}

// CheckExamples returns an error if x is nil or a nil matrix, or its size is negative or too large.
func CheckExamples(x Examples) error {
	switch x {
	case nil, Examples((*dense.Matrix)(nil)), Examples((*sparse.Matrix)(nil)):
		return errors.New("pegasos: the rows are nil: want a dense or sparse matrix or Examples")
	}
	if cols := x.Cols(); cols < 0 || cols > math.MaxInt32 {
		return fmt.Errorf("pegasos: Cols returns %d features: want 0 to 2^31-1", cols)
	}
	if rows := x.Rows(); rows < 0 {
		return fmt.Errorf("pegasos: Rows returns %d: want 0 or more", rows)
	}
	return nil
}

// MinMemory estimates the least bytes that training on x needs: two float32 vectors of x.Cols()
// elements or, for a user-defined type, three.
func MinMemory(x Examples) float64 {
	vectors := 3
	switch x.(type) {
	case *dense.Matrix, *sparse.Matrix, Rows:
		vectors = 2
	}
	return 4 * float64(vectors) * float64(x.Cols())
}

// CheckLabels returns the error of CheckExamples, or an error unless x has 1 to 2^bits-1 rows and y
// a label for each.
func CheckLabels(x Examples, y []float32, bits int) error {
	if err := CheckExamples(x); err != nil {
		return err
	}
	switch n := x.Rows(); {
	case n == 0:
		return errors.New("pegasos: there are no rows")
	case len(y) != n:
		return fmt.Errorf("pegasos: %s for %s", plural.Count(len(y), "label"), plural.Count(n, "row"))
	case uint64(n) >= 1<<bits:
		return fmt.Errorf("pegasos: %d rows: want fewer than 2^%d", n, bits)
	}
	return nil
}

func AreBinary(values []float32) bool {
	for _, v := range values {
		if v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// CheckRow panics unless idx and val have equal lengths, and idx is strictly ascending from 0 or
// more.
func CheckRow(idx []int32, val []float32) {
	misuse.CheckEqual("len(idx)", len(idx), "len(val)", len(val))
	last := int32(-1)
	for k, j := range idx {
		if j <= last {
			panic(notAscending(idx, k))
		}
		last = j
	}
}

//go:noinline
func notAscending(idx []int32, k int) any {
	if k == 0 {
		return misuse.Of("idx[0] = %d", idx[0])
	}
	return misuse.Of("idx[%d] = %d after %d", k, idx[k], idx[k-1])
}
