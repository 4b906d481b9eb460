package engine

import (
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Point is a model for the scaled rows, with its measured objectives.
type Point struct {
	Weights [][]float32
	Bias    []float64 // one for each weight vector; nil for none
	Result  proof.Result

	// Folded is the model for the unscaled rows, or the Point itself without a scaling; nil until
	// Fold sets it.
	Folded *Point
}

// bias returns 0 if p has no biases.
func (p *Point) bias(k int) float64 { return floats.At(p.Bias, k, 0) }

// vectors returns the n weight vectors of p from index start on, not copied, and their biases.
func (p *Point) vectors(start, n int) (w [][]float32, b []float64) {
	for k := range n {
		b = append(b, p.bias(start+k))
	}
	return p.Weights[start:][:n], b
}

// Fold returns p.Folded; s is nil without a scaling.
func (p *Point) Fold(s *scale.Scale) *Point {
	switch {
	case p.Folded != nil:
	case s == nil:
		p.Folded = p
	default:
		p.Folded = new(Point)
		p.Folded.Weights, p.Folded.Bias = s.Fold(p.Weights, p.Bias)
	}
	return p.Folded
}

func (p *Point) finite() bool {
	for k, w := range p.Weights {
		if floats.FirstNotFinite(w) >= 0 || !floats.IsFinite(p.bias(k)) {
			return false
		}
	}
	return true
}

func newPoint(s *settings.Settings, classes, cols int, biases bool) *Point {
	n, err := s.Vectors(classes)
	if err != nil {
		panic(err) // the number of classes was checked before
	}
	m := &Point{Weights: iterate.Zeros(n, cols)}
	if biases {
		m.Bias = make([]float64, n)
	}
	if !s.Joint() {
		m.Result.PerClass = proof.Unknown(n)
	}
	m.Result.Unmeasure()
	return m
}

func (p *Point) copyFrom(source *Point) {
	for k, w := range source.Weights {
		copy(p.Weights[k], w)
		if p.Bias != nil {
			p.Bias[k] = source.bias(k)
		}
		if p.Result.PerClass != nil {
			p.Result.PerClass[k].Steps = source.Result.PerClass[k].Steps
		}
	}
}
