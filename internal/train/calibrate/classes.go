package calibrate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/floats"
)

// Normalise divides the numbers of p by their sum. If all have underflowed, they become the same.
func Normalise(p []float64) {
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

// Softmax writes e^z, divided by the sum, to p, which may be z.
func Softmax(p, z []float64) {
	top := math.Inf(-1)
	for _, v := range z {
		top = max(top, v)
	}
	for k, v := range z {
		p[k] = floats.Exp(v - top)
	}
	Normalise(p)
}

// Couple writes the probabilities of the classes to p that agree best with those of the pairs (Wu,
// Lin and Weng, JMLR 5, 2004, the second method): those with a sum of 1 that make the sum of
// (r_ba*p_a - r_ab*p_b)^2 least. Of the pair of a and b, in the order (0, 1), (0, 2), ..., pairs
// has r_ba, the probability of b rather than a; r_ab is 1 - r_ba.
func Couple(p, pairs []float64) {
	n := len(p)
	var few [10*10 + 10]float64
	space := few[:]
	if n > 10 {
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
	Normalise(p)
}
