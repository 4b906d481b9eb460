// Package rows has the rows that a training is about: their labels, weights and lengths, and the
// views of them that solvers read. Nothing in it changes once it is made.
package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
)

// An Error says which row can't be used, and why.
type Error struct {
	Row    int
	Reason string
	Scale  bool // other numbers would do: scale the features
}

func (e *Error) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.Reason) }

// Bad returns an Error.
func Bad(row int, reason string) error { return &Error{Row: row, Reason: reason} }

// TooLarge says what to do where numbers leave float32's range.
const TooLarge = "the rows are too large for float32, or lambda too small; scale the rows"

// A Set is rows with their labels.
type Set struct {
	X       store.Rows
	Y       []float32
	Weight  []float64 // of each row, its own times that of its label; nil if there are none
	Classes []float32 // nil for numbers to predict
	Class   []int32   // of each row
	Norms   []float32 // squared, of each row

	Sparing   bool       // there are no copies in the order of visits, for lack of memory
	Compacted store.Rows // the rows of X once more, in fewer bytes; nil if they are not kept so

	byClass [][]uint32 // see ofClass
}

// Options say what the labels of a set are, and what rows weigh.
type Options struct {
	Numbers bool                // labels are numbers to predict
	Known   []float32           // the classes; nil to find them
	Weights []float32           // of each row; nil for 1 each
	ByLabel map[float32]float64 // by which these are multiplied; nil for 1 each
}

// New returns the rows of x with the labels y. It checks the labels and the weights; the rows are
// for Measure to check.
func New(x store.Examples, y []float32, o Options) (*Set, error) {
	if err := store.Labelled(x, y, 32); err != nil {
		return nil, err
	}
	weight, err := Weigh(y, o.Weights, o.ByLabel)
	if err != nil {
		return nil, err
	}
	s := &Set{X: store.Of(x), Y: y, Weight: weight}
	if o.Numbers {
		return s, labels.Finite(y, Bad)
	}
	s.Classes, s.Class, err = labels.Classify(y, s.Weight, o.Known, Bad)
	return s, err
}

// Weigh returns own[i] times byLabel[y[i]] for each row i, a missing factor being 1. It returns nil
// if own and byLabel are both nil, and an error if a weight is not allowed or no weight is above 0.
func Weigh(y, own []float32, byLabel map[float32]float64) ([]float64, error) {
	if own != nil && len(own) != len(y) {
		return nil, fmt.Errorf("pegasos: %d weights for %d rows", len(own), len(y))
	}
	if own == nil && byLabel == nil {
		return nil, nil
	}
	weight := make([]float64, len(y))
	some := false
	for i, label := range y {
		w := 1.0
		if own != nil {
			if w = float64(own[i]); !options.GoodWeight(w) {
				return nil, Bad(i, fmt.Sprintf("the weight is %v, want %s", own[i],
					options.GoodWeights))
			}
		}
		if c, ok := byLabel[label]; ok {
			w = float64(w * c)
		}
		weight[i] = w
		some = some || w > 0
	}
	if !some {
		return nil, fmt.Errorf("pegasos: no row has a weight above 0")
	}
	for label := range byLabel {
		if !slices.Contains(y, label) {
			return nil, options.Bad("ClassWeight", "no row has the label %v", label)
		}
	}
	return weight, nil
}

// Take returns some rows, with their classes and weights: copies or, with the same bits and in less
// memory, views. Rows that were scaled are in float32 alone then.
func (s *Set) Take(rows []uint32, copies bool) *Set {
	x := s.X
	if m, ok := store.MatrixOf(x); ok {
		x = store.Of(m.Examples())
	}
	if copies {
		x = x.Take(rows)
	} else {
		x = store.Pick(x.ForWorker(), rows)
	}
	return &Set{X: x, Y: gather(s.Y, rows), Weight: gather(s.Weight, rows),
		Classes: s.Classes, Class: gather(s.Class, rows)}
}

// LeastR2 is the least mean squared length of rows that float32 can handle: products of values and
// weights are still above its subnormal numbers then.
const LeastR2 = 0x1p-120

// Measure finds the rows' norms. It is the first pass over all rows, and tells what is wrong with
// them.
func (s *Set) Measure() error {
	x := s.Rows()
	s.Norms = store.Squares(x)
	squares := 0.0
	for _, v := range s.Norms {
		squares += float64(v)
	}
	if err := s.X.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if !floats.IsFinite(squares) { // float64 holds the sum of any that are finite
		i := floats.FirstNotFinite(s.Norms)
		if size := largestValue(x, i, 0x1p-20); !(size <= math.MaxFloat32) {
			return Bad(i, "a value is NaN or infinite")
		}
		return &Error{i, "the values are too large to be squared in float32", true}
	}
	if squares < float64(LeastR2*float64(len(s.Norms))) {
		for i := range s.Norms {
			if largestValue(x, i, 0x1p100) > 0 {
				return &Error{i, fmt.Sprintf("the values, like those of the other rows, are too "+
					"small for float32: the mean squared length is below %.1g", LeastR2), true}
			}
		}
	}
	return nil
}

// largestValue returns the largest magnitude in a row times a factor; NaN if one is NaN.
func largestValue(x store.Rows, row int, factor float32) (size float64) {
	w := make([]float32, x.Cols())
	x.Axpy(row, factor, w)
	for _, v := range w {
		size = max(size, math.Abs(float64(v)))
	}
	return size
}

// Rows returns the rows in the form that is fastest for one worker.
func (s *Set) Rows() store.Rows {
	if s.Compacted != nil {
		return s.Compacted.ForWorker()
	}
	return s.X.ForWorker()
}

// counts reports whether row i has a weight above 0.
func (s *Set) counts(i int) bool { return s.Weight == nil || s.Weight[i] > 0 }

// Counted returns the rows with a weight above 0, nil for all.
func (s *Set) Counted() []uint32 {
	if s.Weight == nil {
		return nil
	}
	rows := []uint32{} // a chunk may have none
	for i := range s.Weight {
		if s.counts(i) {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// Total returns the sum of the rows' weights.
func (s *Set) Total() (sum float64) {
	if s.Weight == nil {
		return float64(len(s.Y))
	}
	for _, w := range s.Weight {
		sum += w
	}
	return sum
}

// CountClasses returns the number of rows of each class, of those with a weight above 0.
func (s *Set) CountClasses() []int {
	rows := make([]int, len(s.Classes))
	for i, k := range s.Class {
		if s.counts(i) {
			rows[k]++
		}
	}
	return rows
}

// ofClass returns the rows of a class with a weight above 0, ascending.
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

// Fingerprint returns the kind of the rows, and a hash of the rows, the labels, the weights and the
// hash of a prior, in order: other data have another. Data of equal numbers have the same hash,
// however they are held. The rows are read once, by the given number of goroutines. It is empty if
// stop is true before that is done.
func (s *Set) Fingerprint(prior string, threads int, stop func() bool) string {
	h := sha256.New()
	fmt.Fprintln(h, s.X.Rows(), s.X.Cols(), len(s.Weight), prior)
	modelfile.WriteNumbers(h, s.Y)
	modelfile.WriteNumbers(h, store.Hashes(store.Raw(s.X), threads, stop))
	modelfile.WriteNumbers(h, s.Weight)
	if stop() {
		return ""
	}
	return store.Kind(s.X) + ":" + hex.EncodeToString(h.Sum(nil))
}
