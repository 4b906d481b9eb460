package dataset

import (
	"errors"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// denseFill is the share of nonzeros from which LayoutAuto is dense. It was not measured. It must
// be a constant, so that the layout depends only on the data: dense and sparse sums round
// differently.
const denseFill = 0.25

// maxThinDense is the largest size in bytes of the dense form of a set below denseFill. A small
// file can describe a large set of this kind: a few bytes of text can ask for terabytes.
const maxThinDense = 1 << 34

// A Set is examples and their labels. One of Dense and Sparse is not nil, except in the zero Set,
// which has no rows; row i is the example with the label Y[i]. Sparse matrices from this package
// store no zeros, so that NNZ is the same in both layouts.
type Set struct {
	Dense  *dense.Matrix
	Sparse *sparse.Matrix

	// Y has one label for each row: the number in the file or, if the labels are names, the name's
	// index in Names.
	Y []float32
	// Names are the class names of a CSV file, sorted by byte, or nil if the labels are numbers.
	// Positions differ between files: compare classes of two files by name. True, TRUE and true
	// are one class, which has the spelling that comes first in the file, and so are False, FALSE
	// and false.
	Names []string

	// IndexBase is the number that an svmlight file gives to column 0: 0 or 1. Other formats have
	// no indices; for them it is 1.
	IndexBase int
	// Ignored counts the nonzeros that were left out because their column is beyond
	// Options.Features.
	Ignored int64
	// Lacking is the number of columns by which a dense .pgsm file has fewer than Options.Features.
	// These features are zero.
	Lacking int
	// HashBits is the value of Options.HashBits with which the features were hashed. Then a column
	// is a bucket.
	HashBits int

	// Unlabelled says that the data have no labels: Y is all zeros. See [Labels].
	Unlabelled bool
	// Rounded counts the labels that Options.RoundLabels accepts.
	Rounded int
	// LeftOut lists the numbers, from 0, of the rows that MissingDrop left out.
	LeftOut []int

	// Form describes how the text of a table was read, and Doubts list details that could be read
	// in another way. Mixed tells that Form is that of the first of several files and that others
	// have another form, such as another separator.
	Form   *Form
	Mixed  bool
	Doubts []Doubt
	// Table describes the columns of a CSV or .npy file, with the names of Options.Table if that is
	// set. It is nil without a header if the label is the last column or missing, and for other
	// formats.
	Table *Table
	// Others are the names of the columns that were left out because Options.Table does not have
	// them.
	Others []string

	// Bytes is the number of bytes read, after decompression, of all files of the set.
	Bytes int64

	mapped *files.Mapped // the mapped file; nil for a set in memory
}

// Examples are the rows of a *dense.Matrix or a *sparse.Matrix, for training and prediction with
// packages pegasos and kernelsvm. The interface has the methods of pegasos.Examples.
type Examples interface {
	Rows() int
	Cols() int
	Dot(i int, w []float32) float32
	Axpy(i int, a float32, w []float32)
	SumSquares(i int) float32
}

// Examples returns Dense or Sparse, whichever is not nil, or nil.
func (s *Set) Examples() Examples {
	switch {
	case s.Dense != nil:
		return s.Dense
	case s.Sparse != nil:
		return s.Sparse
	}
	return nil
}

// Rows returns the number of examples.
func (s *Set) Rows() int {
	if x := s.Examples(); x != nil {
		return x.Rows()
	}
	return 0
}

// Cols returns the number of features.
func (s *Set) Cols() int {
	if x := s.Examples(); x != nil {
		return x.Cols()
	}
	return 0
}

// row returns the columns and values of row i's nonzeros, or nil columns and all values of a dense
// row. They are not a copy: they must not be written to.
func (s *Set) row(i int) (columns []int32, values []float32) {
	if s.Dense != nil {
		return nil, s.Dense.Row(i)
	}
	return (*matrices.CSR)(s.Sparse).CheckedRow(i)
}

// Layout returns LayoutDense or LayoutSparse.
func (s *Set) Layout() Layout {
	if s.Dense != nil {
		return LayoutDense
	}
	return LayoutSparse
}

// NNZ returns the number of nonzeros. It counts them if the set is dense.
func (s *Set) NNZ() int {
	if s.Sparse != nil {
		return s.Sparse.NNZ()
	}
	return s.nonzeros()
}

// nonzeros counts the nonzeros.
func (s *Set) nonzeros() (n int) {
	for i := range s.Rows() {
		_, values := s.row(i)
		n += floats.CountNonzeros(values)
	}
	return n
}

// Fill returns the share of features that are nonzero, from 0 to 1, and 0 for a set without
// features. Like NNZ it counts them if the set is dense.
func (s *Set) Fill() float64 { return fill(s.NNZ(), s.Rows(), s.Cols()) }

func fill(nnz, rows, cols int) float64 {
	if rows == 0 || cols == 0 {
		return 0
	}
	return float64(nnz) / (float64(rows) * float64(cols))
}

// choose returns the layout of a matrix of this size, and an error if its dense form would be too
// large.
func (l Layout) choose(nnz, rows, cols int) (Layout, error) {
	if err := l.check(); err != nil {
		return l, err
	}
	f := fill(nnz, rows, cols)
	if l != LayoutDense && l != LayoutSparse {
		l = LayoutSparse
		if f >= denseFill {
			l = LayoutDense
		}
	}
	if l == LayoutDense {
		size := 4 * float64(rows) * float64(cols)
		if size > math.MaxInt/2 || f < denseFill && size > maxThinDense {
			return l, fmt.Errorf("dataset: %d rows of %d features, of which %.2g%% are nonzero, "+
				"are too many for the dense layout: use the sparse one", rows, cols, 100*f)
		}
	}
	return l, nil
}

// checkRows returns an error if the set, which a caller may have built, has no rows.
func (s *Set) checkRows() error {
	switch {
	case s == nil:
		return errors.New("dataset: the set is nil")
	case s.Dense == nil && s.Sparse == nil:
		return errors.New("dataset: the set has neither dense nor sparse rows")
	case s.Dense != nil && s.Sparse != nil:
		return errors.New("dataset: the set has both dense and sparse rows")
	}
	return nil
}

// check returns an error unless the set has rows, and a label for each.
func (s *Set) check() error {
	if err := s.checkRows(); err != nil {
		return err
	}
	if len(s.Y) != s.Rows() {
		return fmt.Errorf("dataset: %d labels for %d rows", len(s.Y), s.Rows())
	}
	for i, y := range s.Y {
		if s.Names != nil && !(y >= 0 && int(y) < len(s.Names) && float32(int(y)) == y) {
			return fmt.Errorf("dataset: the label of row %d is %v: want the place of one of %d names",
				i, y, len(s.Names))
		}
	}
	return nil
}
