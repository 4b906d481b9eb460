// Package scale implements feature scaling: statistics of columns (Measure), a scale fitted to them
// (Fit), scaled copies of rows (Apply), and the conversion of weights and biases for scaled rows to
// those for raw rows (Fold) and back (Unfold). Scale, its main type, also scales targets.
package scale

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
)

// Kind is a kind of scaling, by its name in files and flags.
type Kind string

const (
	None     Kind = "none"
	Standard Kind = "standard" // columns of mean 0 and standard deviation 1
	MaxAbs   Kind = "max-abs"  // columns divided by their largest magnitude
	Unit     Kind = "unit"     // rows divided by their length
)

// Scale describes how rows and regression targets are scaled: feature x of column j becomes (x -
// Shift[j])*Factor[j], or each row is divided by its length if Kind is Unit. Target y becomes (y -
// Centre)/Spread, unless Spread is 0. The fields must match those of pegasos.Scaling.
type Scale struct {
	Kind   Kind
	Folded bool      // the scale is folded into the model's weights and biases
	Shift  []float32 // for Standard; nil for other kinds
	Factor []float32 // for Standard and MaxAbs; nil for other kinds
	Centre float64
	Spread float64 // 0 if the targets are unscaled
	R2     float64 // mean squared length of the scaled rows, without a bias feature
	Note   string  // explains choices of the trainer, for the model file; may be empty
	// Expansion lists the terms appended to scaled rows; nil if there are none.
	Expansion *curves.Expansion
}

func (s *Scale) TargetUnit() float64 {
	if s == nil || s.Spread == 0 {
		return 1
	}
	return s.Spread
}

func (s *Scale) Terms() int {
	if s == nil {
		return 0
	}
	return s.Expansion.Len()
}

func (s *Scale) Check(cols int) error {
	shifts, factors := s.Lengths(cols)
	if !slices.Contains([]Kind{None, Standard, MaxAbs, Unit}, s.Kind) ||
		len(s.Shift) != shifts || len(s.Factor) != factors ||
		shifts == 0 && cols > 0 && s.Shift != nil || factors == 0 && cols > 0 && s.Factor != nil ||
		floats.FirstNotFinite(s.Shift) >= 0 || floats.FirstNotFinite(s.Factor) >= 0 ||
		!(s.TargetUnit() > 0) || !floats.IsFinite(s.TargetUnit()) || !floats.IsFinite(s.Centre) {
		return fmt.Errorf("the scaling %q is not valid for %s: the kind is unknown, the number of "+
			"shifts or factors is wrong, or a number is out of range", s.Kind,
			plural.Count(cols, "feature"))
	}
	if s.Folded && (s.Kind == Unit || s.Expansion != nil) {
		return fmt.Errorf("the scaling %q with %s can't be folded into weights", s.Kind,
			plural.Count(s.Terms(), "term"))
	}
	if s.Kind == Unit && s.Expansion != nil { // Dots does not expand such rows
		return errors.New("the scaling \"unit\" can't have an expansion")
	}
	if err := s.Expansion.Check(cols); err != nil {
		return err
	}
	if s.Spread == 0 && s.Centre != 0 { // Fold would shift the biases, but Apply not the targets
		return fmt.Errorf("the scaling has a centre, %v, but no spread", s.Centre)
	}
	for _, f := range s.Factor {
		if !(f > 0) {
			return fmt.Errorf("the scaling has the factor %v, want a number above 0", f)
		}
	}
	return nil
}

// Same reports whether s and t scale rows alike. Targets and Folded may differ. The result is false
// for a nil s.
func (s *Scale) Same(t *Scale) bool {
	return s != nil && s.Kind == t.Kind && slices.Equal(s.Shift, t.Shift) &&
		slices.Equal(s.Factor, t.Factor) && s.Expansion.Same(t.Expansion)
}

func (s *Scale) Lengths(cols int) (shifts, factors int) {
	switch s.Kind {
	case Standard:
		return cols, cols
	case MaxAbs:
		return 0, cols
	}
	return 0, 0
}

// WithCols returns s resized to cols columns. Columns that s lacks are left unscaled. s may be nil.
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

func resized(v []float32, n int, fill float32) []float32 {
	return slices.Concat(v[:min(n, len(v))], slices.Repeat([]float32{fill}, max(0, n-len(v))))
}
