package dataset

import (
	"errors"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// denseFill is the least share of nonzeros for which LayoutAuto chooses the dense layout. The value
// was not measured, and must not depend on the machine: dense and sparse sums round differently.
const denseFill = 0.25

// maxThinDense is the largest size in bytes for which choose returns LayoutDense if the share of
// nonzeros is below denseFill.
const maxThinDense = 1 << 34

// A Set is a set of examples and their labels: row i of Dense or Sparse is the example with the
// label Y[i]. Exactly one of Dense and Sparse is not nil, except in the zero Set, which has no
// rows, and in a mapped set after Close. Sparse matrices that this package reads store no zeros, so
// that NNZ does not depend on the layout.
type Set struct {
	Dense  *dense.Matrix
	Sparse *sparse.Matrix

	// Y has one label for each row: the number in the file or, if the labels are names, the name's
	// index in Names; NaN for a label that MissingKeep replaced.
	Y []float32
	// Names are the class names of a table or a .pgsm file, sorted by byte, or nil if the labels
	// are numbers. Files may have different Names: compare classes of two files by name. True, TRUE
	// and true are one class, which has the spelling that comes first in the table; False, FALSE
	// and false likewise.
	Names []string

	// IndexBase is the index of column 0 in an svmlight file, 0 or 1. A .pgsm file stores it. It is
	// 1 for other formats.
	IndexBase int
	// Ignored is the number of nonzeros that were left out because their columns are beyond
	// Options.Features.
	Ignored int64
	// Lacking is the number of columns by which a dense .pgsm file falls short of Options.Features.
	// These features are zero.
	Lacking int
	// HashBits is the Options.HashBits that hashed the features; 0 if they were not hashed.
	HashBits int

	// Unlabelled reports whether the data have no labels; Y is then all zeros. See [Labels].
	Unlabelled bool
	// Rounded is the number of labels that Options.RoundLabels rounded.
	Rounded int
	// LeftOut lists the numbers, from 0, of the rows that MissingDrop left out.
	LeftOut []int

	// Form describes how the text of a table was read. Doubts lists details that could be read in
	// another way and, if several files were read, files without rows, also of svmlight text. If
	// the table consists of several files, Form is the form of the first file that is not empty,
	// except that Columns, Trailing and Decimal describe all files. Mixed reports whether another
	// file has another form, such as another separator.
	Form   *Form
	Mixed  bool
	Doubts []Doubt
	// Table describes the columns of a table or an .npy file; if the columns were matched by the
	// names in Options.Table, it is Options.Table. With an Encoder whose features are not the
	// columns, Columns has the names of these features, nil if they have none. Table is nil for
	// other formats, and if the columns have no names and the label is the last column or missing.
	Table *Table
	// Others are the names of the columns that were left out because they are neither features in
	// Options.Table nor the label's column.
	Others []string

	// Bytes is the number of bytes, after decompression, of all files of the set.
	Bytes int64

	mapped *files.Mapped // nil for a set in memory
}

// Examples has the methods of pegasos.Examples; *dense.Matrix and *sparse.Matrix implement it.
type Examples interface {
	Rows() int
	Cols() int
	Dot(i int, w []float32) float32
	Axpy(i int, a float32, w []float32)
	SumSquares(i int) float32
}

// Examples returns Dense or Sparse, whichever is not nil, or nil for the zero Set.
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

// row returns the columns and values of the stored elements of row i, or nil and all values if the
// set is dense. The slices must not be written to.
func (s *Set) row(i int) (columns []int32, values []float32) {
	if s.Dense != nil {
		return nil, s.Dense.Row(i)
	}
	return (*matrices.CSR)(s.Sparse).CheckedRow(i)
}

// Layout returns LayoutDense if Dense is not nil, and LayoutSparse otherwise.
func (s *Set) Layout() Layout {
	if s.Dense != nil {
		return LayoutDense
	}
	return LayoutSparse
}

// NNZ returns the number of nonzeros. It counts them in a dense matrix, and returns the number of
// stored values of a sparse matrix.
func (s *Set) NNZ() int {
	if s.Sparse != nil {
		return s.Sparse.NNZ()
	}
	return s.nonzeros()
}

// nonzeros counts the values that are not zero, also in a sparse matrix that stores zeros.
func (s *Set) nonzeros() (n int) {
	for i := range s.Rows() {
		_, values := s.row(i)
		n += floats.CountNonzeros(values)
	}
	return n
}

// Fill returns the share of nonzeros among all values, from 0 to 1, and 0 for a set without values.
func (s *Set) Fill() float64 { return fill(s.NNZ(), s.Rows(), s.Cols()) }

func fill(nnz, rows, cols int) float64 {
	if rows == 0 || cols == 0 {
		return 0
	}
	return float64(nnz) / (float64(rows) * float64(cols))
}

// choose returns the layout for a matrix of the given size and number of nonzeros, or an error if l
// is invalid or a dense matrix would be too large.
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
			return l, fmt.Errorf("dataset: %d rows of %d features, with %.2g%% nonzero values, "+
				"are too large for the dense layout: use the sparse layout", rows, cols, 100*f)
		}
	}
	return l, nil
}

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

func (s *Set) check() error {
	if err := s.checkRows(); err != nil {
		return err
	}
	if len(s.Y) != s.Rows() {
		return fmt.Errorf("dataset: %s for %s", plural.Count(len(s.Y), "label"),
			plural.Count(s.Rows(), "row"))
	}
	for i, y := range s.Y {
		if s.Names != nil && !(y >= 0 && int(y) < len(s.Names) && float32(int(y)) == y) {
			return fmt.Errorf("dataset: the label of row %d is %v: want the index of one of %s", i, y,
				plural.Count(len(s.Names), "name"))
		}
	}
	return nil
}
