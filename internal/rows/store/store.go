// Package store provides the rows that the solvers train on. A Set holds and checks the rows of a
// training run with their labels, weights and norms. A View is the rows that a learner visits, in
// the order of its visits, and computes sums over them. The row formats implement Rows:
//
//   - csr: compressed sparse rows;
//   - constantCSR: sparse rows with one value each;
//   - denseRows: dense float32 rows;
//   - pixelRows: dense rows of 8-bit pixels;
//   - subset: selected rows of another format, in any order, without copies;
//   - expanded: scaled rows with the terms of a curves.Expansion as further columns;
//   - userRows: an adapter for Examples of a user-defined type.
//
// Results on rows with equal stored elements have the same bits in csr and constantCSR, and in
// denseRows and pixelRows.
package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Examples is the interface of the rows that callers pass to the trainers. An optional method
// Err() error reports errors found while the rows were read.
type Examples interface {
	Rows() int
	Cols() int
	Dot(i int, w []float32) float32
	Axpy(i int, a float32, w []float32)
	SumSquares(i int) float32
}

// Rows is the interface of the row formats. A Rows may be used by one goroutine at a time.
type Rows interface {
	Examples

	// Row returns the columns and values of row i's stored elements, which include all nonzeros;
	// for dense rows, nil and all values. The columns of sparse rows are never nil. The slices are
	// read-only. They are valid until the next call of any method, or permanently if the Rows is a
	// Matrix.
	Row(i int) (index []int32, values []float32)

	Err() error
	// Clone returns the rows for another goroutine.
	Clone() Rows
	// Size estimates the bytes of the rows; 0 for user-defined rows and mapped sparse rows.
	Size() int

	// Prefetch loads row i into the caches. Call it PrefetchDistance rows before row i is used, or
	// never if PrefetchDistance is 0.
	Prefetch(i int)
	PrefetchDistance() int
	// WillNeed returns a function that announces which rows will soon be read from disk; nil for
	// rows in memory.
	WillNeed() matrices.WillNeed

	Take(rows []uint32) Rows
	// ReorderGain returns how much faster a pass is on copies of the rows in the order of the
	// visits.
	ReorderGain() Gain
	// Compact returns copies of all rows in fewer bytes, or false if no compact format fits.
	// CompactThreshold returns the least Size and the least visits to each row at which Compact
	// pays.
	Compact(threads int) (Rows, bool)
	CompactThreshold() (size int, visits float64)

	// DotMany sets dst[k] to the dot product of row rows[k] and w. AxpyMany adds a[k] times row
	// rows[k] to w, for each k in order.
	DotMany(dst []float32, rows []uint32, w []float32)
	AxpyMany(a []float32, rows []uint32, w []float32)
	// DotVectors sets dst[k] to the dot product of row i and row first+k of vectors.
	DotVectors(dst []float32, i int, vectors *dense.Matrix, first int)
	// FastBatches reports whether DotMany or DotVectors is faster than calls of Dot.
	FastBatches() bool

	// DotError returns a bound on the rounding error of Dot(i, w), relative to the sum of the
	// products' magnitudes, apart from underflow. It is +Inf if no bound is known.
	DotError(i int) float64
	// Dot64 returns the dot product of row i and w in float64. The error is below (Cols()+2)*2^-53
	// times the sum of the products' magnitudes, apart from underflow and the rounding of scaled
	// values.
	Dot64(i int, w []float64) float64
	// AddTo adds the terms of s to u. The error of each element is below (Rows()+2)*2^-53 times the
	// sum of the magnitudes of its addends, apart from the rounding of scaled values.
	AddTo(u []float64, s Sum)

	// Interleaved returns the rows as a matrix for DotK and AxpyK, or nil.
	Interleaved() *sparse.Matrix
	// Steps returns a Stepper, or nil if it is not faster than single steps.
	Steps() *Stepper
}

// Matrix is rows of a dense or sparse matrix. Several goroutines may call Row, and its results stay
// valid.
type Matrix interface {
	Rows
	// Dense returns nil if the rows are sparse. The result for a subset is the matrix of its base.
	Dense() *dense.Matrix
	// Examples returns a *dense.Matrix or *sparse.Matrix.
	Examples() Examples
}

// Gain is a result of ReorderGain, for rows that exceed the caches.
type Gain uint8

const (
	NoGain Gain = iota // a row is already a long contiguous run of memory
	SmallGain
	LargeGain
)

// Sum is the sum of A[i]*Weight[i] times row i over the rows i in Only.
type Sum struct {
	Only     []uint32 // nil for the rows From to To-1
	From, To int
	A        []float32 // nil if all elements are 1
	Weight   []float64 // nil if all weights are 1

	base []uint32 // index of row i in a subset's base; nil for other rows
}

func (s *Sum) Len() int {
	if s.Only == nil {
		return s.To - s.From
	}
	return len(s.Only)
}

// Term returns, for term k, the index in the base of its row i, and A[i]*Weight[i].
func (s *Sum) Term(k int) (row int, a float64) {
	row = s.From + k
	if s.Only != nil {
		row = int(s.Only[k])
	}
	if a = 1; s.A != nil {
		a = float64(s.A[row])
	}
	if s.Weight != nil {
		a = float64(a * s.Weight[row])
	}
	if s.base != nil {
		row = int(s.base[row])
	}
	return row, a
}

type defaults struct{}

func (defaults) Err() error                       { return nil }
func (defaults) WillNeed() matrices.WillNeed      { return nil }
func (defaults) FastBatches() bool                { return false }
func (defaults) ReorderGain() Gain                { return LargeGain }
func (defaults) Compact(int) (Rows, bool)         { return nil, false }
func (defaults) CompactThreshold() (int, float64) { return 0, 0 }
func (defaults) Interleaved() *sparse.Matrix      { return nil }
func (defaults) Steps() *Stepper                  { return nil }

const sparsePrefetchDistance = 6

type reader interface {
	Row(i int) (index []int32, values []float32)
}

// The product in column j is added to sum j mod dot64Lanes.
const dot64Lanes = floats.Lanes

func dot64(x reader, i int, w []float64) float64 {
	index, values := x.Row(i)
	if index == nil {
		return floats.Dot(values, w)
	}
	values = values[:len(index)]
	var lane [dot64Lanes]float64
	for n, j := range index {
		lane[j&(dot64Lanes-1)] += float64(w[j] * float64(values[n]))
	}
	return floats.Fold(lane)
}

// narrow is the largest number of dense columns for which a Go loop is faster than a kernel call.
const narrow = 16

func addTo(x reader, u []float64, s Sum) {
	for k := range s.Len() {
		if i, a := s.Term(k); a != 0 {
			index, values := x.Row(i)
			addRow(u, a, index, values)
		}
	}
}

// index is nil if the row is dense.
func addRow(u []float64, a float64, index []int32, values []float32) {
	to := u[:len(values)]
	switch {
	case index != nil:
		values = values[:len(index)]
		for n, j := range index {
			u[j] += float64(a * float64(values[n]))
		}
	case len(values) <= narrow:
		for j, v := range values {
			to[j] += float64(a * float64(v))
		}
	default:
		asm.Axpy64(a, values, to)
	}
}

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

// dotErrorBound returns the DotError of a float32 dot product of length n. Each block of asm.Block
// products is added up in lanes, whose sums are then combined by rounds of additions (folds). A
// product is rounded itself, then by the additions of its lane, the folds, and the additions of the
// blocks. The error of k roundings by at most 2^-24 can slightly exceed k*2^-24, hence 1.01.
func dotErrorBound(n, lanes, folds int) float64 {
	most := min(n, asm.Block)
	roundings := 1 + (most+lanes-1)/lanes + folds + (n+asm.Block-1)/asm.Block
	return 1.01 * float64(roundings) * 0x1p-24
}

func denseError(cols int) float64      { return dotErrorBound(cols, 64, 6) }
func sparseError(nonzeros int) float64 { return dotErrorBound(nonzeros, 8, 3) }
