// Package rows holds the labeled rows of a training run. A Set has the rows with their labels,
// weights and norms, and checks them; a View is the selection of rows that a learner visits, in the
// order of its visits, and computes sums over them. The package sits on package store, which has
// the row formats.
package rows

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

// Error is the error of a row that can't be used.
type Error struct {
	Row    int    // index of the row in the set
	Reason string // what is wrong with the row
	Scale  bool   // whether scaling the features would help
}

// Error returns a message with the row and the reason.
func (e *Error) Error() string { return fmt.Sprintf("row %d: %s", e.Row, e.Reason) }

// Bad returns an Error for the row with the reason.
func Bad(row int, reason string) error { return &Error{Row: row, Reason: reason} }

// TooLarge is the end of error messages about numbers beyond the range of float32: the possible
// causes and the remedy.
const TooLarge = "the rows are too large for float32, or lambda too small; scale the rows"

// Set is the labeled rows of a training run.
type Set struct {
	X       store.Rows // rows, scaled if the run scales them
	Y       []float32  // label of each row: a class or a regression target
	Weight  []float64  // weight of each row, times the weight of its label; nil if neither is given
	Classes []float32  // the distinct labels, ascending; nil for regression
	Class   []int32    // index of each label in Classes; -1 if absent, only for rows of weight 0
	Norms   []float32  // squared norm of each row; nil before Measure

	NoCopies  bool       // rows are not copied in the order of visits, for lack of memory
	Compacted store.Rows // copy of X in fewer bytes, read in place of X; nil if there is none

	byClass [][]uint32 // results of ofClass for all classes; nil before its first call
}

// Options describes the labels and the weights of a set.
type Options struct {
	Regression bool                // labels are regression targets
	Known      []float32           // the classes, ascending; nil to collect them from the labels
	Weights    []float32           // weight of each row; nil if all are 1
	ByLabel    map[float32]float64 // factor for the weights of a label's rows; 1 if missing
}

// New returns the set of the rows of x with the labels y. It checks the labels and the weights;
// Measure checks the rows.
func New(x store.Examples, y []float32, o Options) (*Set, error) {
	if err := store.CheckLabels(x, y, 32); err != nil {
		return nil, err
	}
	weight, err := Weigh(y, o.Weights, o.ByLabel)
	if err != nil {
		return nil, err
	}
	s := &Set{X: store.Of(x), Y: y, Weight: weight}
	if o.Regression {
		return s, labels.Finite(y, Bad)
	}
	s.Classes, s.Class, err = labels.Classify(y, s.Weight, o.Known, Bad)
	return s, err
}

// Weigh returns own[i] times byLabel[y[i]] for each row i. If own is nil, 1 takes the place of
// own[i]; a label that is not in byLabel has the factor 1. Weigh returns nil if own and byLabel are
// both nil. It returns an error if own has the wrong length or a weight that is not allowed, if no
// weight is above 0, or if byLabel has a label that no row has.
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

// Subset returns the set of the given rows, with their labels, classes and weights. If copies is
// set, Subset copies the rows. Otherwise the subset refers to the rows of s, which takes less
// memory and gives the same bits. A subset of scaled rows has only their scaled float32 values, not
// the raw rows.
func (s *Set) Subset(rows []uint32, copies bool) *Set {
	x := s.X
	if m, ok := store.MatrixOf(x); ok {
		x = store.Of(m.Examples())
	}
	if copies {
		x = x.Take(rows)
	} else {
		x = store.Subset(x.Clone(), rows)
	}
	return &Set{X: x, Y: gather(s.Y, rows), Weight: gather(s.Weight, rows),
		Classes: s.Classes, Class: gather(s.Class, rows)}
}

// MinR2 is the least mean squared length of rows that can be trained on in float32: for shorter
// rows, products of values and weights could be subnormal.
const MinR2 = 0x1p-120

// Measure computes the rows' norms. It is the first pass over all rows, and returns an Error for a
// value that is not finite, and for values too large or too small for float32.
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
	if !floats.IsFinite(squares) { // finite norms can't overflow the float64 sum
		i := floats.FirstNotFinite(s.Norms)
		if size := largestValue(x, i, 0x1p-20); !(size <= math.MaxFloat32) {
			return Bad(i, "a value is NaN or infinite")
		}
		return &Error{i, "the values are too large to be squared in float32", true}
	}
	if squares < float64(MinR2*float64(len(s.Norms))) {
		for i := range s.Norms {
			if largestValue(x, i, 0x1p100) > 0 {
				return &Error{i, fmt.Sprintf("the values, like those of the other rows, are too "+
					"small for float32: the mean squared length is below %.1g", MinR2), true}
			}
		}
	}
	return nil
}

// largestValue returns the largest magnitude of a value in the row, times the factor; it returns
// NaN if a value is NaN.
func largestValue(x store.Rows, row int, factor float32) (size float64) {
	w := make([]float32, x.Cols())
	x.Axpy(row, factor, w)
	for _, v := range w {
		size = max(size, math.Abs(float64(v)))
	}
	return size
}

// Rows returns a clone of the rows in their fastest format, for one goroutine: a clone of Compacted
// or, if that is nil, of X.
func (s *Set) Rows() store.Rows {
	if s.Compacted != nil {
		return s.Compacted.Clone()
	}
	return s.X.Clone()
}

// counts reports whether row i has a weight above 0.
func (s *Set) counts(i int) bool { return s.Weight == nil || s.Weight[i] > 0 }

// Counted returns the indices of the rows with a weight above 0, nil if the set has no weights.
func (s *Set) Counted() []uint32 {
	if s.Weight == nil {
		return nil
	}
	rows := []uint32{} // not nil if all weights are 0, as they can be in a chunk
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

// CountClasses returns, for each class, the number of its rows that have a weight above 0.
func (s *Set) CountClasses() []int {
	rows := make([]int, len(s.Classes))
	for i, k := range s.Class {
		if s.counts(i) {
			rows[k]++
		}
	}
	return rows
}

// ofClass returns the indices, in ascending order, of the rows of the class that have a weight
// above 0.
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

// Fingerprint returns the kind of the rows, such as "dense", a colon, and a SHA-256. The hash
// covers the numbers of rows and columns, the argument prior (itself a hash of the run's prior),
// the labels, the rows and the weights. raw is the rows before scaling, and X if they were not
// scaled. Rows with equal values have the same hash in any format. Fingerprint reads raw once, with the given number of goroutines, and then returns "" if stop
// returns true.
func (s *Set) Fingerprint(raw store.Rows, prior string, threads int, stop func() bool) string {
	h := sha256.New()
	fmt.Fprintln(h, s.X.Rows(), s.X.Cols(), len(s.Weight), prior)
	modelfile.WriteNumbers(h, s.Y)
	modelfile.WriteNumbers(h, store.Hashes(raw, threads, stop))
	modelfile.WriteNumbers(h, s.Weight)
	if stop() {
		return ""
	}
	return store.Kind(s.X) + ":" + hex.EncodeToString(h.Sum(nil))
}
