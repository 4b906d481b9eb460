// Package scale brings rows, and numbers to predict, to one scale for training, and the vectors
// that come of it back to rows as they are: it folds the scale into their weights.
package scale

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// A Scale is how rows and numbers are scaled: see pegasos.Scaling, whose fields these are. No Scale,
// nil, leaves them as they are.
type Scale struct {
	Kind    string
	Folded  bool
	Shift   []float32
	Factor  []float32
	Centre  float64
	Spread  float64
	R2      float64
	Note    string
	Epsilon float64 // the setting of that name, of numbers as they are
}

// Scales within these limits can be folded: float32 has room for the weights, and for differences
// from the mean.
const (
	largestRatio  = 1e3     // of a mean to the standard deviation
	largestFactor = 0x1p60  // of a column
	leastFactor   = 0x1p-60 // likewise
)

// Foldable reports whether the scale can be folded into weights.
func (s *Scale) Foldable() bool {
	if s.Kind == scaling.Unit {
		return false
	}
	for j, f := range s.Factor {
		if f > largestFactor || f < leastFactor {
			return false
		}
		// A constant column, of the factor 1 and the weight 0, has no deviation.
		if s.Shift != nil && f != 1 &&
			math.Abs(float64(s.Shift[j]))*float64(f) > largestRatio {
			return false
		}
	}
	return true
}

// Unit returns the deviation that numbers to predict were divided by.
func (s *Scale) Unit() float64 {
	if s == nil || s.Spread == 0 {
		return 1
	}
	return s.Spread
}

// scaler returns the arithmetic of the scale.
func (s *Scale) scaler() *scaling.Scaler {
	return &scaling.Scaler{Kind: s.Kind, Shift: s.Shift, Factor: s.Factor}
}

// Check returns an error unless the scale is one of cols columns.
func (s *Scale) Check(cols int) error {
	if !s.scaler().Check(cols) || !(s.Unit() > 0) || !floats.IsFinite(s.Unit()) ||
		!floats.IsFinite(s.Centre) {
		return fmt.Errorf("the scaling %q does not fit %d features", s.Kind, cols)
	}
	if s.Folded && s.Kind == scaling.Unit {
		return fmt.Errorf("the scaling %q can't be folded into weights", s.Kind)
	}
	for _, f := range s.Factor {
		if !(f > 0) {
			return fmt.Errorf("the scaling has the factor %v", f)
		}
	}
	return nil
}

// Same reports whether the features are scaled alike.
func (s *Scale) Same(t *Scale) bool {
	return s != nil && s.Kind == t.Kind && slices.Equal(s.Shift, t.Shift) &&
		slices.Equal(s.Factor, t.Factor)
}

// Numbers returns how many shifts and factors there are for cols columns.
func (s *Scale) Numbers(cols int) (shifts, factors int) {
	switch s.Kind {
	case scaling.Standard:
		return cols, cols
	case scaling.MaxAbs:
		return 0, cols
	}
	return 0, 0
}

// WithCols returns the scale over cols features: further ones are left as they are.
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

func resized(v []float32, n int, with float32) []float32 {
	return slices.Concat(v[:min(n, len(v))], slices.Repeat([]float32{with}, max(0, n-len(v))))
}

// Apply returns rows and numbers to predict as they are scaled. Once stop is true, the rows are of
// no use.
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

// Dots calls set with the product of each vector, which takes scaled rows, and a row as it is: of
// all values if index is nil.
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

// Rest returns the part of a score by w, which takes scaled rows, that zeros in the columns from
// cols on add.
func (s *Scale) Rest(w []float32, cols int) (sum float64) {
	scaler := s.scaler()
	for j := cols; j < len(w); j++ {
		sum += float64(float64(w[j]) * scaler.At(j, 0))
	}
	return sum
}
