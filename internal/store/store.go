// Package store has every way in which rows are held while training, one a file, behind the
// interface Rows:
//
//   - csr: sparse rows;
//   - same: sparse rows of one value each, in a quarter of the memory;
//   - floats: dense rows;
//   - bytes: dense rows of pixels, in a quarter of the memory;
//   - picked: some rows of one of these, in any order, without copies;
//   - foreign: rows of a type that the caller has defined.
//
// All ways of holding dense rows give the same bits, and so do all of sparse ones; the results in
// float64, of WideDot and AddTo, are the same for both. The facts about the rows are here: how they
// are multiplied, how soon they have to be fetched, how much a copy of them gains. The trainer
// decides what a run makes of these facts. Nothing outside this package asks in which way rows are
// held.
package store

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Examples are the rows as a caller of the trainers gives them. If they have a method Err() error
// as well it tells what is wrong with them, once all have been read.
type Examples interface {
	Rows() int
	Cols() int
	Dot(i int, w []float32) float32
	Axpy(i int, a float32, w []float32)
	SumSquares(i int) float32
}

// Rows is a way to hold rows. A value is for one goroutine: see ForWorker.
type Rows interface {
	Examples

	// Err returns what was found to be wrong with the rows that have been read, or nil.
	Err() error
	// ForWorker returns the same rows for another goroutine.
	ForWorker() Rows
	// Size returns what the rows take in memory, in bytes. It is 0 where that is not known, or
	// where they need not be in memory.
	Size() int

	// Fetch asks for row i to be brought into the caches. It pays to do so Ahead rows before it is
	// used, if the rows exceed the caches and are used in another order than that in memory. If
	// Ahead is 0 it never pays.
	Fetch(i int)
	Ahead() int
	// WillNeed returns the function to be told which rows, from first to end-1, will soon be read
	// from the disk; nil for rows that are not.
	WillNeed() matrices.WillNeed

	// Take returns copies of the given rows, in the given order. Pick returns the same rows without
	// copying them.
	Take(rows []uint32) Rows
	// TakeGain tells how much faster a pass is over copies in the order of the pass.
	TakeGain() Gain
	// Compact returns copies of all rows in fewer bytes, made by the given number of goroutines, or
	// false if there is no such form for their values. CompactPays returns the least Size and the
	// least number of visits to each row for which that pays.
	Compact(threads int) (Rows, bool)
	CompactPays() (size int, visits float64)

	// DotMany sets dst[k] to the dot product of row rows[k] and w. AxpyMany adds a[k] times row
	// rows[k] to w, for each k in order.
	DotMany(dst []float32, rows []uint32, w []float32)
	AxpyMany(a []float32, rows []uint32, w []float32)
	// DotVectors sets dst[k] to the dot product of row i and row first+k of vectors.
	DotVectors(dst []float32, i int, vectors *dense.Matrix, first int)
	// Contiguous reports whether DotMany and DotVectors are faster than as many calls of Dot.
	Contiguous() bool

	// DotError returns a bound on the error of Dot(i, w), as a share of the sum of its products'
	// magnitudes, beside what underflows. It is +Inf where nothing is known of it.
	DotError(i int) float64
	// WideDot returns the dot product of row i and w, whose values are those of float32, so that no
	// product is rounded. Its error is below (Cols()+2) 2^-53 of the sum of their magnitudes.
	WideDot(i int, w []float64) float64
	// AddTo adds rows to u. The error of each sum is below (Rows()+2) 2^-53 of the sum of the
	// addends' magnitudes.
	AddTo(u []float64, s Sum)

	// Interleaved returns the rows as multipliers of interleaved vectors, or nil if there is no
	// such kernel for them.
	Interleaved() Interleaved
	// Steps returns a Stepper, which takes many steps with the rows in one call, or nil if that is
	// not faster.
	Steps() *Stepper
}

// Gain is how much a copy in another order gains.
type Gain uint8

const (
	GainsNothing Gain = iota // each row is a long run of memory as it is
	GainsLittle              // a part of each pass, which pays for the copy in long runs only
	Gains                    // most of a pass, if the rows are beyond the caches
)

// Interleaved rows are multiplied by k = len(dst) or len(a) vectors at once, interleaved as package
// sparse has them.
type Interleaved interface {
	DotK(i int, dst, w []float32)
	AxpyK(i int, a, w []float32)
	NNZ() int
}

// A Sum is rows times coefficients: A[i]*Weight[i] times row i, for the rows in Only.
type Sum struct {
	Only     []uint32 // nil for those in From to To-1
	From, To int
	A        []float32
	Weight   []float64 // nil for ones

	picked []uint32 // the number of row i among all rows; nil if no rows were picked
}

// Of returns x as rows to train on.
func Of(x Examples) Rows {
	switch x := x.(type) {
	case *dense.Matrix:
		return newFloats(x)
	case *sparse.Matrix:
		return ofSparse(x)
	case Rows:
		return x
	}
	return &foreign{Examples: x}
}

// Given returns an error if x is nil or a nil *dense.Matrix or *sparse.Matrix (a set has only one
// of the two), if Cols is negative or above 2^31-1, since indices of features are int32, or if Rows
// is negative.
func Given(x Examples) error {
	given := x != nil
	switch x := x.(type) {
	case *dense.Matrix:
		given = x != nil
	case *sparse.Matrix:
		given = x != nil
	}
	if !given {
		return errors.New("pegasos: the rows are nil")
	}
	if cols := x.Cols(); cols < 0 || cols > math.MaxInt32 {
		return fmt.Errorf("pegasos: Cols returns %d features, want 0 to 2^31-1", cols)
	}
	if rows := x.Rows(); rows < 0 {
		return fmt.Errorf("pegasos: Rows returns %d", rows)
	}
	return nil
}

// LeastMemory returns the least number of bytes that training on x allocates for its columns: two
// float32 vectors, and a buffer for a row if the caller has defined the type of the rows.
func LeastMemory(x Examples) float64 {
	vectors := 3
	switch x.(type) {
	case *dense.Matrix, *sparse.Matrix, Rows:
		vectors = 2
	}
	return 4 * float64(vectors) * float64(x.Cols())
}

// Labelled returns an error unless there are rows, fewer than 2^bits, and a label for each.
func Labelled(x Examples, y []float32, bits int) error {
	if err := Given(x); err != nil {
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

// CopySize returns how many bytes copies of all rows of x would take.
func CopySize(x Rows) float64 {
	if p := pickedOf(x); p != nil {
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

// all yields the number and the coefficient of each row of the sum whose coefficient is not 0.
func (s Sum) all() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		give := func(i int) bool {
			if s.A[i] == 0 {
				return true
			}
			if s.picked != nil {
				return yield(int(s.picked[i]), s.at(i))
			}
			return yield(i, s.at(i))
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

// at returns coefficient i.
func (s Sum) at(i int) float64 {
	if s.Weight == nil {
		return float64(s.A[i])
	}
	return float64(float64(s.A[i]) * s.Weight[i])
}

// plain is what most rows have of Rows.
type plain struct{}

func (plain) Err() error                  { return nil }
func (plain) WillNeed() matrices.WillNeed { return nil }
func (plain) Contiguous() bool            { return false }
func (plain) TakeGain() Gain              { return Gains }
func (plain) Compact(int) (Rows, bool)    { return nil, false }
func (plain) CompactPays() (int, float64) { return 0, 0 }
func (plain) Interleaved() Interleaved    { return nil }
func (plain) Steps() *Stepper             { return nil }

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
