// Package store provides the row formats that the solvers train on. All implement Rows:
//
//   - csr: compressed sparse rows;
//   - constantCSR: sparse rows with one value each, in a quarter of the memory of csr;
//   - denseRows: dense float32 rows;
//   - pixelRows: dense rows of 8-bit pixels, in a quarter of the memory of denseRows;
//   - subset: selected rows of one of these, in any order, without copies;
//   - userRows: an adapter for Examples of a type that the caller has defined.
//
// All dense formats give the same bits, and so do all sparse ones; the float64 results of Dot64 and
// AddTo are the same for both. Package scale has a further format, scaled copies of rows, which
// computes the float64 results from values not rounded to float32.
// Each format also reports its costs: the prefetch distance, and how much reordered or compact
// copies gain. The trainer decides by these whether to copy. Other packages distinguish only dense,
// sparse and user-defined rows: see MatrixOf and Kind.
package store

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Examples is the interface of the rows that callers pass to the trainers. If it also has a method
// Err() error, that method reports errors found while the rows were read; the trainers call it
// after they have read all rows.
type Examples interface {
	Rows() int
	Cols() int
	Dot(i int, w []float32) float32
	Axpy(i int, a float32, w []float32)
	SumSquares(i int) float32
}

// Rows is the interface of the row formats. A Rows may be used by one goroutine at a time; Clone
// returns one for another goroutine.
type Rows interface {
	Examples

	// Err returns the first error found in the rows read so far, or nil.
	Err() error
	// Clone returns the same rows for use in another goroutine.
	Clone() Rows
	// Size returns the size of the rows in memory, in bytes. It is 0 if the size is unknown
	// (user-defined rows), and for sparse rows that are read from a mapped file.
	Size() int

	// Prefetch loads row i into the caches. It pays if the rows exceed the caches and are not
	// visited in the order in which they lie in memory; then it should be called PrefetchDistance
	// rows before row i is used. PrefetchDistance is 0 if prefetching never pays.
	Prefetch(i int)
	PrefetchDistance() int
	// WillNeed returns a function that announces that rows start to end-1 will soon be read from
	// disk, where start and end are its arguments. It is nil for rows that are in memory.
	WillNeed() matrices.WillNeed

	// Take returns copies of the given rows, in the given order. Function Subset returns the same
	// rows without copying them.
	Take(rows []uint32) Rows
	// ReorderGain returns how much faster a pass over the rows is on copies in the order in which
	// the pass visits them.
	ReorderGain() Gain
	// Compact returns copies of all rows in fewer bytes, made by the given number of goroutines, or
	// false if no compact format can represent the values. CompactThreshold returns the least Size
	// and the least number of visits to each row at which Compact pays.
	Compact(threads int) (Rows, bool)
	CompactThreshold() (size int, visits float64)

	// DotMany sets dst[k] to the dot product of row rows[k] and w. AxpyMany adds a[k] times row
	// rows[k] to w, for each k in order.
	DotMany(dst []float32, rows []uint32, w []float32)
	AxpyMany(a []float32, rows []uint32, w []float32)
	// DotVectors sets dst[k] to the dot product of row i and row first+k of vectors.
	DotVectors(dst []float32, i int, vectors *dense.Matrix, first int)
	// FastBatches reports whether DotMany and DotVectors are faster than separate calls of Dot.
	FastBatches() bool

	// DotError returns a bound on the rounding error of Dot(i, w), relative to the sum of the
	// products' magnitudes, apart from underflow. It is +Inf if no bound is known.
	DotError(i int) float64
	// Dot64 returns the dot product of row i and w in float64. The elements of w must be float32
	// values, so that no product is rounded. The error is below (Cols()+2) 2^-53 times the sum of
	// the products' magnitudes.
	Dot64(i int, w []float64) float64
	// AddTo adds the terms of s to u. The error of each element is below (Rows()+2) 2^-53 times the
	// sum of the magnitudes of its addends.
	AddTo(u []float64, s Sum)

	// Interleaved returns the rows with methods for interleaved weight vectors, or nil if this
	// format has no such kernels.
	Interleaved() Interleaved
	// Steps returns a Stepper, which takes many steps over the rows in one call, or nil if that is
	// not faster.
	Steps() *Stepper
}

// Gain is how much faster training is on a copy of the rows in the order in which it visits them.
type Gain uint8

const (
	NoGain    Gain = iota // no gain: each row is already a long contiguous run of memory
	SmallGain             // saves some time of a pass: the copy pays only in long training
	LargeGain             // saves most of the time of a pass, if the rows exceed the caches
)

// Interleaved is rows with kernels that process k weight vectors at once, where k is len(dst) or
// len(a). The vectors are interleaved as sparse.Matrix.DotK expects them.
type Interleaved interface {
	DotK(i int, dst, w []float32)
	AxpyK(i int, a, w []float32)
	NNZ() int
}

// Sum is a linear combination of rows: the sum of A[i]*Weight[i] times row i over the rows i in
// Only.
type Sum struct {
	Only     []uint32 // the rows to sum; nil for the rows From to To-1
	From, To int
	A        []float32
	Weight   []float64 // nil if all weights are 1

	base []uint32 // index of row i in the base rows; nil if the rows are not a subset
}

// Of returns x as Rows: x itself if it implements Rows, the format of a dense or sparse matrix, or
// an adapter for a user-defined type.
func Of(x Examples) Rows {
	switch x := x.(type) {
	case *dense.Matrix:
		return newDenseRows(x)
	case *sparse.Matrix:
		return ofSparse(x)
	case Rows:
		return x
	}
	return &userRows{Examples: x}
}

// CheckExamples returns an error in these cases:
//   - x is nil, or a nil *dense.Matrix or *sparse.Matrix. A data set has only one of the two
//     matrices, and the other is nil.
//   - Cols is negative or above 2^31-1: feature indices are int32.
//   - Rows is negative.
func CheckExamples(x Examples) error {
	given := x != nil
	switch x := x.(type) {
	case *dense.Matrix:
		given = x != nil
	case *sparse.Matrix:
		given = x != nil
	}
	if !given {
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

// MinMemory returns the least number of bytes that training on x allocates for its columns: two
// float32 vectors, and a row buffer as a third if x is of a user-defined type.
func MinMemory(x Examples) float64 {
	vectors := 3
	switch x.(type) {
	case *dense.Matrix, *sparse.Matrix, Rows:
		vectors = 2
	}
	return 4 * float64(vectors) * float64(x.Cols())
}

// CheckLabels returns an error unless x has at least one and fewer than 2^bits rows, and y has one
// label for each row. It also returns the errors of CheckExamples.
func CheckLabels(x Examples, y []float32, bits int) error {
	if err := CheckExamples(x); err != nil {
		return err
	}
	switch n := x.Rows(); {
	case n == 0:
		return errors.New("pegasos: no rows to train on")
	case len(y) != n:
		return fmt.Errorf("pegasos: %d labels for %d rows", len(y), n)
	case uint64(n) >= 1<<bits:
		return fmt.Errorf("pegasos: %d rows: want fewer than 2^%d", n, bits)
	}
	return nil
}

// CopySize returns the estimated size in bytes of copies of all rows of x.
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

// Coefficients iterates over the rows i of the sum with a nonzero A[i]. It yields the index of row
// i in the base rows (i itself if base is nil) and A[i]*Weight[i].
func (s Sum) Coefficients() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		give := func(i int) bool {
			if s.A[i] == 0 {
				return true
			}
			if s.base != nil {
				return yield(int(s.base[i]), s.coefficient(i))
			}
			return yield(i, s.coefficient(i))
		}
		if s.Only == nil {
			for i := s.From; i < s.To; i++ {
				if !give(i) {
					return
				}
			}
			return
		}
		for _, i := range s.Only {
			if !give(int(i)) {
				return
			}
		}
	}
}

// coefficient returns A[i]*Weight[i].
func (s Sum) coefficient(i int) float64 {
	if s.Weight == nil {
		return float64(s.A[i])
	}
	return float64(float64(s.A[i]) * s.Weight[i])
}

// defaults provides the Rows methods that are the same for most formats.
type defaults struct{}

func (defaults) Err() error                       { return nil }
func (defaults) WillNeed() matrices.WillNeed      { return nil }
func (defaults) FastBatches() bool                { return false }
func (defaults) ReorderGain() Gain                { return LargeGain }
func (defaults) Compact(int) (Rows, bool)         { return nil, false }
func (defaults) CompactThreshold() (int, float64) { return 0, 0 }
func (defaults) Interleaved() Interleaved         { return nil }
func (defaults) Steps() *Stepper                  { return nil }

func dotMany(x Examples, dst []float32, rows []uint32, w []float32) {
	for k, i := range rows {
		dst[k] = x.Dot(int(i), w)
	}
}

func axpyMany(x Examples, a []float32, rows []uint32, w []float32) {
	for k, i := range rows {
		x.Axpy(int(i), a[k], w)
	}
}

func dotVectors(x Examples, dst []float32, i int, vectors *dense.Matrix, first int) {
	for k := range dst {
		dst[k] = x.Dot(i, vectors.Row(first+k))
	}
}
