package iterate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
)

const firstAdaptation = 1024

// NextAdaptation returns the first step after t at whose end AdaptOffset is due in a run of total
// steps, or math.MaxInt64 if there is none. After step total/2 none is due, so that the average of
// a complete run has only samples with the final T0.
func NextAdaptation(t, total int64) int64 {
	next := int64(firstAdaptation)
	for next <= t {
		next *= 2
	}
	if next > total/2 {
		return math.MaxInt64
	}
	return next
}

// CountGradient must be called if LeastT0 > 0, whenever g times row i is added to v.
func (s *State) CountGradient(i uint32, g float32) {
	square := float64(s.Norms[i]) + float64(s.BiasScale*s.BiasScale)
	s.Gradients += float64(float64(float64(g)*float64(g)) * square)
}

// AdaptOffset sets T0, and scales v to leave w unchanged. Let G be the root mean square of the
// sub-gradients' norms so far. If the loss limits progress, the best step size for h steps is about
// |w|/(G sqrt(h)) (Ivgi, Hinder and Carmon, DoG is SGD's Best Friend, ICML 2023). If the penalty
// limits progress, t0 need not exceed about (G/(lambda |w|))^2. AdaptOffset combines both:
//
//	q = G/(2 lambda |w|)
//	T0 = the largest of LeastT0 and 1/(1/(q sqrt(h)) + 1/q^2)
//
// where h is twice the steps so far, or half of the steps of the run if these are fewer.
func (s *State) AdaptOffset() {
	before, done, squares := s.Scale(), float64(s.Done()), 0.0
	for k, v := range s.Vectors {
		squares += asm.Dot64(v, v) + float64(s.Biases[k]*s.Biases[k])
	}
	norm := math.Sqrt(squares) / before
	q := math.Sqrt(s.Gradients/done) / float64(2*s.Lambda*norm)
	root := math.Sqrt(min(float64(s.Total)/2, 2*done))
	t0 := max(s.LeastT0, float64(q*root)*(q/(q+root)))
	if t0 == s.T0 || !(float64(s.Lambda*(t0+float64(s.Total))) <= math.MaxFloat32) {
		return // unchanged, or not a number, or the scale would leave the range of float32
	}
	s.T0 = t0
	factor := s.Scale() / before
	for k, v := range s.Vectors {
		for j, z := range v {
			v[j] = float32(float64(z)*factor) + 0 // turns -0 into 0, as in SetStart
		}
		s.Biases[k] *= factor
	}
}
