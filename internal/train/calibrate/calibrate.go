// Package calibrate fits sigmoids to scores (Platt scaling), combines the probabilities of pairs of
// classes, and assigns rows to cross-validation folds.
package calibrate

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Sigmoid maps a score z to the probability 1/(1 + e^(A*z+B)) (Platt 1999).
type Sigmoid struct{ A, B float64 }

func (s Sigmoid) At(z float64) float64 { return floats.Sigmoid(-(float64(s.A*z) + s.B)) }

// Fit returns the sigmoid that nearly maximizes the likelihood of the outcomes of the scores z;
// positive[i] reports whether the outcome of z[i] is 1. It replaces the outcomes 1 and 0 by Platt's
// targets, (n1+1)/(n1+2) and 1/(n0+2), where n1 and n0 are their numbers. Fit follows Lin, Lin and
// Weng (Machine Learning 68, 2007).
//
// A score of weight 2 counts as two scores, in Platt's targets as well; nil weights are ones. If
// the mean of the weights above 0 is below 1, Fit first raises it to 1 by a factor, because Platt's
// targets would outweigh small weights.
func Fit(z []float64, positive []bool, weight []float64) Sigmoid {
	p := problem{z, make([]float64, len(z)), unitWeights(weight, len(z))}
	var pos, neg float64
	for i, c := range p.weight {
		if positive[i] {
			pos += c
		} else {
			neg += c
		}
	}
	for i := range z {
		p.target[i] = 1 / (neg + 2)
		if positive[i] {
			p.target[i] = (pos + 1) / (pos + 2)
		}
	}
	s := Sigmoid{0, floats.Log((neg + 1) / (pos + 1))}
	best := p.negLogLikelihood(s)
newton:
	for range 100 {
		da, db, slope, flat := p.newtonStep(s)
		if flat {
			break
		}
		for step := 1.0; step >= 1e-10; step /= 2 {
			next := Sigmoid{s.A + float64(step*da), s.B + float64(step*db)}
			if v := p.negLogLikelihood(next); v < best+float64(1e-4*float64(step*slope)) {
				s, best = next, v
				continue newton
			}
		}
		break
	}
	return s
}

func unitWeights(weight []float64, n int) []float64 {
	if weight == nil {
		return slices.Repeat([]float64{1}, n)
	}
	var sum, counted float64
	for _, c := range weight {
		if c > 0 {
			sum += c
			counted++
		}
	}
	if !(sum < counted) {
		return weight
	}
	unit := make([]float64, n)
	for i, c := range weight {
		unit[i] = c / sum * counted
	}
	return unit
}

type problem struct{ z, target, weight []float64 }

func (p *problem) negLogLikelihood(s Sigmoid) (sum float64) {
	for i, z := range p.z {
		f := float64(s.A*z) + s.B
		sum += float64(p.weight[i] * (float64(p.target[i]*f) + floats.Log1pExp(-f)))
	}
	return sum
}

// slope is the derivative of negLogLikelihood along the step (da, db). If the gradient is nearly 0,
// flat is true and the other results are 0.
func (p *problem) newtonStep(s Sigmoid) (da, db, slope float64, flat bool) {
	const ridge = 1e-12
	h11, h22, h21, g1, g2 := ridge, ridge, 0.0, 0.0, 0.0
	for i, z := range p.z {
		c, at := p.weight[i], s.At(z)
		d2 := float64(c * float64(at*(1-at)))
		zd := float64(z * d2)
		h11 += float64(z * zd)
		h22 += d2
		h21 += zd
		d1 := float64(c * (p.target[i] - at))
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

// Normalize divides the elements of p by their sum. Unless the sum is above 0, it sets each to
// 1/len(p).
func Normalize(p []float64) {
	var sum float64
	for _, v := range p {
		sum += v
	}
	for k := range p {
		if sum > 0 {
			p[k] /= sum
		} else {
			p[k] = 1 / float64(len(p))
		}
	}
}

// Softmax stores the softmax of z in p, which may be z.
func Softmax(p, z []float64) {
	top := slices.Max(z)
	for k, v := range z {
		p[k] = floats.Exp(v - top)
	}
	Normalize(p)
}

// Couple stores in p a distribution over len(p) classes, computed from the probabilities of pairs
// of classes by the second method of Wu, Lin and Weng (JMLR 5, 2004). For each pair of classes a <
// b, pairs holds r_ba, the probability of b rather than a, in the order (0, 1), (0, 2), ..., (1,
// 2), .... Couple clamps r_ba to [1e-7, 1 - 1e-7].
//
// p approximately minimizes the sum over the pairs of (r_ba*p_a - r_ab*p_b)^2, where r_ab is 1 -
// r_ba.
func Couple(p, pairs []float64) {
	const most = 10 // largest number of classes without allocations
	n := len(p)
	var few [most*most + most]float64
	space := few[:]
	if n > most {
		space = make([]float64, n*n+n)
	}
	q, qp := space[:n*n], space[n*n:][:n]
	k := 0
	for a := range n {
		p[a] = 1 / float64(n)
		for b := a + 1; b < n; b++ {
			v := max(1e-7, min(pairs[k], 1-1e-7))
			k++
			q[a*n+a] += float64(v * v)
			q[b*n+b] += float64((1 - v) * (1 - v))
			q[a*n+b] = -float64(v * (1 - v))
			q[b*n+a] = q[a*n+b]
		}
	}
	for range max(100, n) {
		var pqp, worst float64
		for a := range n {
			qp[a] = 0
			for b := range n {
				qp[a] += float64(q[a*n+b] * p[b])
			}
			pqp += float64(p[a] * qp[a])
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-pqp))
		}
		if worst < 0.005/float64(n) {
			break
		}
		for a := range n {
			d := (pqp - qp[a]) / q[a*n+a]
			p[a] += d
			pqp = (pqp + float64(d*(float64(d*q[a*n+a])+2*qp[a]))) / float64((1+d)*(1+d))
			for b := range n {
				qp[b] = (qp[b] + float64(d*q[a*n+b])) / (1 + d)
				p[b] /= 1 + d
			}
		}
	}
	Normalize(p)
}
