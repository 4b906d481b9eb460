package scale

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/internal/scaling"
)

// factor returns what column j is multiplied by when it is folded.
func (s *Scale) factor(j int) float64 {
	if !s.Folded || s.Factor == nil {
		return 1
	}
	return float64(s.Factor[j])
}

// shift returns what is taken off column j when it is folded.
func (s *Scale) shift(j int) float64 {
	if !s.Folded || s.Shift == nil {
		return 0
	}
	return float64(s.Shift[j])
}

// foldWeight returns the weight of column j in a model that takes rows as they are, if it is w for
// scaled rows and numbers.
func (s *Scale) foldWeight(j int, w float32) float32 {
	return float32(float64(float64(w)*s.factor(j)) * s.Unit())
}

// moved returns the sum of the shifts times the weights of w, as folding rounds them, and the sum
// of the magnitudes.
func (s *Scale) moved(w []float32) (sum, size float64) {
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

// Fold returns vectors for rows and numbers as they are, and their biases, of those for scaled
// ones. There may be no biases, nil.
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
			moved, _ := s.moved(v)
			biases[k] = float64(at(b, k)*s.Unit()) + s.Centre - moved
		}
	}
	return folded, biases
}

// Unfold returns vectors for scaled rows and numbers, and their biases, of those of a model with
// the scale of, nil for none. They are for rows as they are, or were folded by s. Without a bias of
// its own the model gets none where the shifts account for all of it.
func (s *Scale) Unfold(w [][]float32, b []float64, of *Scale, bias bool) ([][]float32, []float64) {
	from := *s
	if of == nil || of.Folded { // they are for rows as they are
		from.Folded = s.Kind != scaling.Unit
	}
	unfolded, biases := matrices.Vectors(len(w), len(w[0])), make([]float64, len(w))
	for k, v := range w {
		wide, b := from.Exact(v, at(b, k))
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

func at(b []float64, k int) float64 {
	if b == nil {
		return 0
	}
	return b[k]
}

// onlyShifts reports whether the biases of w are made of the shifts alone: what is left of them,
// for scaled rows, is no more than roundings.
func (s *Scale) onlyShifts(w [][]float32, b, left []float64) bool {
	for k, rest := range left {
		size := math.Abs(at(b, k)) + math.Abs(s.Centre)
		for j, v := range w[k] {
			size += math.Abs(float64(float64(v) * s.shift(j)))
		}
		if math.Abs(rest)*s.Unit() > float64(0x1p-44*size) {
			return false
		}
	}
	return true
}

// Exact returns a vector that was folded by s, and its bias, for scaled rows and numbers.
func (s *Scale) Exact(v []float32, b float64) ([]float64, float64) {
	w := make([]float64, len(v))
	b -= s.Centre
	for j, z := range v {
		w[j] = float64(z) / float64(s.factor(j)*s.Unit())
		b += float64(float64(z) * s.shift(j))
	}
	return w, b / s.Unit()
}

// BiasError returns a number that float64's relative error in sums has to be multiplied by for the
// error of a folded bias, for scaled rows.
func (s *Scale) BiasError(w [][]float32) (size float64) {
	for _, v := range w {
		_, moved := s.moved(v)
		size = max(size, moved)
	}
	return (size + math.Abs(s.Centre)) / s.Unit()
}

// Changes reports whether scaled rows or numbers are others than those as they are.
func (s *Scale) Changes() bool {
	return s.Factor != nil || s.Shift != nil || s.Unit() != 1 || s.Centre != 0 ||
		s.Kind == scaling.Unit
}

// WeightError returns by what share of itself folding changes a weight at most.
func (s *Scale) WeightError() float64 {
	if s.Factor == nil && s.Unit() == 1 {
		return 0 // nothing is rounded
	}
	return 0x1.01p-24
}
