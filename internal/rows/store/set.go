package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

// RowError is the error of a row that can't be used.
type RowError struct {
	Row    int // index in the set
	Reason string
	Scale  bool
}

func (e *RowError) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.Reason) }

func BadRow(row int, reason string) error { return &RowError{Row: row, Reason: reason} }

// TooLarge is advice for an error message about a number that is not finite.
const TooLarge = "smaller values in the data, or a larger lambda, may help"

// Set is the labeled rows of a training run.
type Set struct {
	X       Rows // scaled if the run scales its rows
	Y       []float32
	Weight  []float64 // row's weight times its label's weight; nil if neither is given
	Classes []float32 // the distinct labels, ascending; nil for regression
	Class   []int32   // index in Classes of each label; -1 for unknown labels, of weight 0
	Norms   []float32 // squared norm of each row; nil before Measure

	NoCopies  bool
	Compacted Rows // copy of X in fewer bytes, read instead of X; may be nil

	byClass [][]uint32 // rows with a weight above 0 of each class; nil before ofClass
}

type SetOptions struct {
	Regression bool
	Known      []float32           // classes, ascending; nil to collect them from the labels
	Weights    []float32           // nil if all are 1
	ByLabel    map[float32]float64 // factor for the weights of a label's rows; 1 if missing
}

// NewSet checks the labels and the weights; Measure checks the rows.
func NewSet(x Examples, y []float32, o SetOptions) (*Set, error) {
	if err := CheckLabels(x, y, 32); err != nil {
		return nil, err
	}
	weight, err := labels.Weigh(y, o.Weights, o.ByLabel, BadRow)
	if err != nil {
		return nil, err
	}
	s := &Set{X: Of(x), Y: y, Weight: weight}
	if o.Regression {
		return s, labels.Finite(y, BadRow)
	}
	s.Classes, s.Class, err = labels.Classify(y, s.Weight, o.Known, BadRow)
	return s, err
}

// Subset returns the set of the given rows, as copies if copies is set. A subset of scaled rows
// without terms has only the float32 values. A small subset of dense expanded rows is a copy, with
// float32 values, in any case.
func (s *Set) Subset(rows []uint32, copies bool) *Set {
	x := s.X
	if m, ok := MatrixOf(x); ok {
		x = Of(m.Examples())
	}
	if flat := flatten(x, rows); flat != nil {
		x = flat
	} else if copies {
		x = x.Take(rows)
	} else {
		x = Subset(x.Clone(), rows)
	}
	return &Set{X: x, Y: gather(s.Y, rows), Weight: gather(s.Weight, rows),
		Classes: s.Classes, Class: gather(s.Class, rows)}
}

// MinR2 is the least mean squared length that Measure accepts unless all values are 0. Shorter rows
// could have subnormal products with the weights.
const MinR2 = 0x1p-120

// Measure computes Norms. It returns an error of reading the rows, or a RowError if a value is not
// finite, or if squared lengths are too large or too small for float32.
func (s *Set) Measure() error {
	x := s.Rows()
	s.Norms = Squares(x)
	squares := 0.0
	for _, v := range s.Norms {
		squares += float64(v)
	}
	if err := s.X.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if !floats.IsFinite(squares) { // finite norms can't overflow a float64 sum
		i := floats.FirstNotFinite(s.Norms)
		if size := largestValue(x, i, 0x1p-20); !(size <= math.MaxFloat32) {
			return BadRow(i, "a value, or its scaled value, is NaN or infinite")
		}
		return &RowError{i, "the squared length is too large for float32", true}
	}
	if squares < float64(MinR2*float64(len(s.Norms))) {
		for i := range s.Norms {
			if largestValue(x, i, 0x1p100) > 0 {
				return &RowError{i, fmt.Sprintf("a value is not 0, but the mean squared length of all "+
					"rows is below %.1g, too small for float32", MinR2), true}
			}
		}
	}
	return nil
}

// MeanNorm returns the mean of Norms over the rows with a weight above 0, and their number.
func (s *Set) MeanNorm() (mean, rows float64) {
	for i, norm := range s.Norms {
		if s.counts(i) {
			mean += float64(norm)
			rows++
		}
	}
	return mean / rows, rows
}

func Squares(x Rows) []float32 {
	squares := make([]float32, x.Rows())
	for i := range squares {
		squares[i] = x.SumSquares(i)
	}
	return squares
}

// The result is the largest magnitude times factor; NaN if a value is NaN.
func largestValue(x Rows, row int, factor float32) (size float64) {
	w := make([]float32, x.Cols())
	x.Axpy(row, factor, w)
	for _, v := range w {
		size = max(size, math.Abs(float64(v)))
	}
	return size
}

// Rows returns a clone of Compacted or, if that is nil, of X.
func (s *Set) Rows() Rows {
	if s.Compacted != nil {
		return s.Compacted.Clone()
	}
	return s.X.Clone()
}

func (s *Set) counts(i int) bool { return s.Weight == nil || s.Weight[i] > 0 }

// Counted returns the indices of the rows with a weight above 0; nil without weights.
func (s *Set) Counted() []uint32 {
	if s.Weight == nil {
		return nil
	}
	rows := []uint32{} // not nil, even if all weights are 0
	for i := range s.Weight {
		if s.counts(i) {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

func (s *Set) Total() (sum float64) {
	if s.Weight == nil {
		return float64(len(s.Y))
	}
	for _, w := range s.Weight {
		sum += w
	}
	return sum
}

// CountClasses returns each class's number of rows with a weight above 0.
func (s *Set) CountClasses() []int {
	rows := make([]int, len(s.Classes))
	for i, k := range s.Class {
		if s.counts(i) {
			rows[k]++
		}
	}
	return rows
}

func (s *Set) ofClass(class int32) []uint32 {
	if s.byClass == nil {
		s.byClass = make([][]uint32, len(s.Classes))
		for i, k := range s.Class {
			if s.counts(i) {
				s.byClass[k] = append(s.byClass[k], uint32(i))
			}
		}
	}
	return s.byClass[class]
}

// Fingerprint returns Kind(x), a colon, and a SHA-256 of the rows and the labels y. Once stop
// returns true, the fingerprint is unusable.
func Fingerprint(x Examples, y []float32, threads int, stop func() bool) string {
	h := sha256.New()
	fmt.Fprintln(h, x.Rows(), x.Cols())
	modelfile.WriteNumbers(h, y)
	modelfile.WriteNumbers(h, Hashes(x, threads, stop))
	return Kind(x) + ":" + hex.EncodeToString(h.Sum(nil))
}

// Fingerprint returns Kind(s.X), a colon, and a SHA-256 of prior (a hash of the run's prior, or
// empty), the labels, the unscaled rows raw, and the weights. Once stop returns true, Fingerprint
// returns "".
func (s *Set) Fingerprint(raw Rows, prior string, threads int, stop func() bool) string {
	h := sha256.New()
	fmt.Fprintln(h, raw.Rows(), raw.Cols(), len(s.Weight), prior)
	modelfile.WriteNumbers(h, s.Y)
	modelfile.WriteNumbers(h, Hashes(raw, threads, stop))
	modelfile.WriteNumbers(h, s.Weight)
	if stop() {
		return ""
	}
	return Kind(s.X) + ":" + hex.EncodeToString(h.Sum(nil))
}
