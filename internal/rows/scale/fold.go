package scale

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
)

func (s *Scale) factor(j int) float64 {
	if !s.Folded || s.Factor == nil {
		return 1
	}
	return float64(s.Factor[j])
}

func (s *Scale) shift(j int) float64 {
	if !s.Folded || s.Shift == nil {
		return 0
	}
	return float64(s.Shift[j])
}

// w is a weight for scaled rows and targets.
func (s *Scale) foldWeight(j int, w float32) float32 {
	return float32(float64(float64(w)*s.factor(j)) * s.TargetUnit())
}

func (s *Scale) shiftSum(w []float32) (sum, size float64) {
	if !s.Folded || s.Shift == nil {
		return 0, 0
	}
	for j, v := range w {
		p := float64(float64(s.foldWeight(j, v)) * s.shift(j))
		sum += p
		size += math.Abs(p)
	}
	return sum, size
}

// Fold converts the weight vectors w and biases b for scaled rows and targets to vectors and biases
// for raw ones. If the scale is not Folded, rows stay scaled and only the targets become raw. b may
// be nil; the returned biases are nil if b is nil and s adds neither a center nor shifts to them.
func (s *Scale) Fold(w [][]float32, b []float64) (folded [][]float32, biases []float64) {
	folded = matrices.Vectors(len(w), len(w[0]))
	if b != nil || s.Centre != 0 || s.Folded && s.Shift != nil {
		biases = make([]float64, len(w))
	}
	for k, v := range w {
		for j, z := range v {
			folded[k][j] = s.foldWeight(j, z)
		}
		if biases != nil {
			sum, _ := s.shiftSum(v)
			biases[k] = float64(floats.At(b, k, 0)*s.TargetUnit()) + s.Centre - sum
		}
	}
	return folded, biases
}

// Unfold converts the weight vectors w and biases b of a model to vectors and biases for rows and
// targets scaled by s; for Unit, only the targets change. old is the scale of the model; it may be
// nil. If old is not nil and not Folded, it must scale rows like s. If bias is false, the returned
// biases are nil if they are 0 within rounding errors.
func (s *Scale) Unfold(w [][]float32, b []float64, old *Scale, bias bool) ([][]float32, []float64) {
	from := *s
	if old == nil || old.Folded { // w is for raw rows
		from.Folded = s.Kind != Unit
	}
	unfolded, biases := matrices.Vectors(len(w), len(w[0])), make([]float64, len(w))
	for k, v := range w {
		wide, b := from.UnfoldExact(v, floats.At(b, k, 0))
		for j, z := range wide {
			unfolded[k][j] = float32(z)
		}
		biases[k] = b
	}
	if !bias && from.onlyShifts(w, b, biases) {
		biases = nil
	}
	return unfolded, biases
}

// onlyShifts reports whether the unfolded biases are 0 within rounding errors: b, the biases of the
// vectors w, then come from the shifts and the center alone.
func (s *Scale) onlyShifts(w [][]float32, b, unfolded []float64) bool {
	for k, rest := range unfolded {
		size := math.Abs(floats.At(b, k, 0)) + math.Abs(s.Centre)
		for j, v := range w[k] {
			size += math.Abs(float64(float64(v) * s.shift(j)))
		}
		if math.Abs(rest)*s.TargetUnit() > float64(0x1p-44*size) {
			return false
		}
	}
	return true
}

// UnfoldExact converts a vector folded by s, and its bias, to the vector and bias for scaled rows
// and targets, in float64.
func (s *Scale) UnfoldExact(v []float32, b float64) ([]float64, float64) {
	w := make([]float64, len(v))
	b -= s.Centre
	for j, z := range v {
		w[j] = float64(z) / float64(s.factor(j)*s.TargetUnit())
		b += float64(float64(z) * s.shift(j))
	}
	return w, b / s.TargetUnit()
}

// BiasError returns the largest sum of the magnitudes of the numbers that folding adds to a bias,
// in units of the scaled targets. w holds the weights for scaled rows.
func (s *Scale) BiasError(w [][]float32) (size float64) {
	for _, v := range w {
		_, magnitude := s.shiftSum(v)
		size = max(size, magnitude)
	}
	return (size + math.Abs(s.Centre)) / s.TargetUnit()
}

func (s *Scale) Changes() bool {
	return s.Factor != nil || s.Shift != nil || s.TargetUnit() != 1 || s.Centre != 0 ||
		s.Kind == Unit || s.Expansion != nil
}

// WeightError returns a bound on the relative rounding error of a folded weight, apart from
// underflow.
func (s *Scale) WeightError() float64 {
	if s.Factor == nil && s.TargetUnit() == 1 {
		return 0
	}
	return 0x1.01p-24
}
