// Package scale scales the rows and regression targets of a training run, and folds the scale into
// the trained weights and biases, so that a model takes raw rows. Scale is its main type; package
// choose fits a Scale to the data, and package scaling has the arithmetic.
package scale

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/scaling"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

// Scale describes how rows and regression targets are scaled: feature x of column j becomes
// (x - Shift[j])*Factor[j], or each row is divided by its length if Kind is scaling.Unit. Target y
// becomes (y - Centre)/Spread, unless Spread is 0. A nil Scale changes nothing. pegasos.Scaling has
// the same fields.
type Scale struct {
	Kind    string    // scaling.None, Standard, MaxAbs or Unit
	Folded  bool      // the scale is folded into the model's weights and biases
	Shift   []float32 // shift of each column for scaling.Standard; nil for other kinds
	Factor  []float32 // factor of each column for scaling.Standard and MaxAbs; nil for other kinds
	Centre  float64   // value subtracted from the targets
	Spread  float64   // standard deviation that the targets are divided by; 0 if they are unscaled
	R2      float64   // mean squared length of the scaled rows, without a bias feature
	Note    string    // explains the choices of scale, lambda and proof in the model; may be empty
	Epsilon float64   // setting Epsilon, in units of the unscaled targets
}

// A scale within these limits can be folded: float32 can hold the folded weights, and the
// differences of the features from their means lose few digits.
const (
	maxMeanRatio = 1e3     // largest ratio of a column's |mean| to its standard deviation
	maxFactor    = 0x1p60  // largest factor of a column
	minFactor    = 0x1p-60 // smallest factor of a column
)

// Foldable reports whether the scale can be folded into weights.
func (s *Scale) Foldable() bool {
	if s.Kind == scaling.Unit {
		return false
	}
	for j, f := range s.Factor {
		if f > maxFactor || f < minFactor {
			return false
		}
		// A constant column has the factor 1 and the weight 0, and no deviation to lose.
		if s.Shift != nil && f != 1 &&
			math.Abs(float64(s.Shift[j]))*float64(f) > maxMeanRatio {
			return false
		}
	}
	return true
}

// TargetUnit returns the number that the targets are divided by: Spread, or 1 if they are unscaled.
func (s *Scale) TargetUnit() float64 {
	if s == nil || s.Spread == 0 {
		return 1
	}
	return s.Spread
}

// scaler returns a Scaler with the kind, shifts and factors of s.
func (s *Scale) scaler() *scaling.Scaler {
	return &scaling.Scaler{Kind: s.Kind, Shift: s.Shift, Factor: s.Factor}
}

// Check returns an error if s is not a valid scale for rows with cols columns.
func (s *Scale) Check(cols int) error {
	if !s.scaler().Check(cols) || !(s.TargetUnit() > 0) || !floats.IsFinite(s.TargetUnit()) ||
		!floats.IsFinite(s.Centre) {
		return fmt.Errorf("the scaling %q does not fit %d features", s.Kind, cols)
	}
	if s.Folded && s.Kind == scaling.Unit {
		return fmt.Errorf("the scaling %q can't be folded into weights", s.Kind)
	}
	for _, f := range s.Factor {
		if !(f > 0) {
			return fmt.Errorf("the scaling has the factor %v, want a number above 0", f)
		}
	}
	return nil
}

// Same reports whether s and t scale rows alike. It compares neither targets nor Folded.
func (s *Scale) Same(t *Scale) bool {
	return s != nil && s.Kind == t.Kind && slices.Equal(s.Shift, t.Shift) &&
		slices.Equal(s.Factor, t.Factor)
}

// Lengths returns the lengths that Shift and Factor have in a scale of this kind for rows with cols
// columns.
func (s *Scale) Lengths(cols int) (shifts, factors int) {
	switch s.Kind {
	case scaling.Standard:
		return cols, cols
	case scaling.MaxAbs:
		return 0, cols
	}
	return 0, 0
}

// WithCols returns s for rows with cols columns. Columns that s lacks are left unscaled. The result
// is s itself if s is nil or has no factors.
func (s *Scale) WithCols(cols int) *Scale {
	if s == nil || s.Factor == nil {
		return s
	}
	c := *s
	c.Factor = resized(s.Factor, cols, 1)
	if s.Shift != nil {
		c.Shift = resized(s.Shift, cols, 0)
	}
	return &c
}

// resized returns a copy of v with n values: v is cut off, or padded with the value fill.
func resized(v []float32, n int, fill float32) []float32 {
	return slices.Concat(v[:min(n, len(v))], slices.Repeat([]float32{fill}, max(0, n-len(v))))
}

// Apply returns the scaled rows and targets, using the given number of goroutines. It returns x
// itself if the kind is scaling.None, and y itself if Spread is 0. Once stop returns true, the
// returned rows are unusable.
func (s *Scale) Apply(x store.Examples, y []float32, threads int, stop func() bool) (
	store.Examples, []float32,
) {
	if s.Kind != scaling.None {
		x = store.Scale(store.Of(x), s.scaler(), s.Kind == scaling.Standard, threads, stop)
	}
	if s.Spread == 0 {
		return x, y
	}
	scaled := make([]float32, len(y))
	for i, v := range y {
		scaled[i] = float32((float64(v) - s.Centre) / s.Spread)
	}
	return x, scaled
}

// Dots scales a raw row and calls set(k, z) for each vector k of w, where z is the dot product of
// the vector and the scaled row. If index is nil, the row is dense; otherwise it is sparse. s must
// not be of the kind scaling.None.
func (s *Scale) Dots(index []int32, values []float32, w [][]float32, set func(k int, z float64)) {
	cols := len(w[0])
	if s.Kind == scaling.Unit {
		length, n := scaling.Length(values), len(index)
		for n > 0 && int(index[n-1]) >= cols {
			n--
		}
		for k, v := range w {
			if index == nil {
				set(k, float64(asm.Dot(values, v))/length)
			} else {
				set(k, float64(asm.DotSparse(index[:n], values[:n], v))/length)
			}
		}
		return
	}
	row := matrices.Vectors(1, cols)[0]
	if index == nil {
		copy(row, values)
	}
	for k, j := range index {
		if int(j) < len(row) {
			row[j] = values[k]
		}
	}
	s.scaler().Row(row, nil, row)
	for k, v := range w {
		set(k, float64(asm.Dot(row, v)))
	}
}

// ScoreOfZeros returns the contribution of the columns from cols on to the score w*x of a row x
// whose raw values in these columns are 0. w is a vector for scaled rows. s must have factors.
func (s *Scale) ScoreOfZeros(w []float32, cols int) (sum float64) {
	scaler := s.scaler()
	for j := cols; j < len(w); j++ {
		sum += float64(float64(w[j]) * scaler.At(j, 0))
	}
	return sum
}
