// Package calibrate makes probabilities of scores: it fits sigmoids to them, and joins what they
// say of several classes. It deals rows out to folds, too, because the scores that a sigmoid is
// fitted to should be of rows that the training has not seen.
package calibrate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// A Sigmoid makes a probability of a score z: 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct{ A, B float64 }

// At returns the probability.
func (s Sigmoid) At(z float64) float64 { return floats.Sigmoid(-(float64(s.A*z) + s.B)) }

// Fit returns the sigmoid that makes what is known of the scores z likeliest, with Platt's targets
// in place of 0 and 1. It is the method of Lin, Lin and Weng (Machine Learning 68, 2007): Newton's,
// with a line search and a ridge.
func Fit(z []float64, positive []bool) Sigmoid {
	var pos float64
	for _, p := range positive {
		if p {
			pos++
		}
	}
	neg := float64(len(positive)) - pos
	l := &likelihood{z, make([]float64, len(z))}
	for i, p := range positive {
		l.target[i] = 1 / (neg + 2)
		if p {
			l.target[i] = (pos + 1) / (pos + 2)
		}
	}
	s := Sigmoid{0, floats.Log((neg + 1) / (pos + 1))}
	best := l.value(s)
newton:
	for range 100 {
		da, db, slope, flat := l.newtonStep(s)
		if flat {
			break
		}
		for step := 1.0; step >= 1e-10; step /= 2 {
			next := Sigmoid{s.A + float64(step*da), s.B + float64(step*db)}
			if v := l.value(next); v < best+float64(1e-4*float64(step*slope)) {
				s, best = next, v
				continue newton
			}
		}
		break
	}
	return s
}

// A likelihood is the problem of Fit: scores, and what their probabilities should be.
type likelihood struct{ z, target []float64 }

// value returns minus the logarithm of the likelihood. Its terms are t*f + log(1 + e^-f), which
// does not overflow where f is below 0 either.
func (l *likelihood) value(s Sigmoid) (sum float64) {
	for i, z := range l.z {
		f := float64(s.A*z) + s.B
		sum += float64(l.target[i]*f) + floats.Log1pExp(-f)
	}
	return sum
}

// newtonStep returns the step of Newton's method from s and the slope along it, or that the
// gradient is 0, nearly.
func (l *likelihood) newtonStep(s Sigmoid) (da, db, slope float64, flat bool) {
	const ridge = 1e-12
	h11, h22, h21, g1, g2 := ridge, ridge, 0.0, 0.0, 0.0
	for i, z := range l.z {
		p := s.At(z)
		d2 := float64(p * (1 - p))
		zd := float64(z * d2)
		h11 += float64(z * zd)
		h22 += d2
		h21 += zd
		d1 := l.target[i] - p
		g1 += float64(z * d1)
		g2 += d1
	}
	if math.Abs(g1) < 1e-5 && math.Abs(g2) < 1e-5 {
		return 0, 0, 0, true
	}
	det := float64(h11*h22) - float64(h21*h21)
	da = -(float64(h22*g1) - float64(h21*g2)) / det
	db = -(float64(h11*g2) - float64(h21*g1)) / det
	return da, db, float64(g1*da) + float64(g2*db), false
}
