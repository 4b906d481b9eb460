package pegasos

import "math"

// This file has what stands between the numbers of a certificate and the truth. Let P be the
// objective of the model as it is written, with exact sums, and P* the least there is. What is told
// is P', the objective as it was added up, and a bound D' with
//
//	D' <= P* - |P' - P|
//
// so that D' <= P', and the excess of P over P* is at most P' - D'. Every step of the way to P' and
// D' is bounded as follows. u is 2^-53, the rounding of float64; a sum of n numbers in any order
// errs by at most n u times the sum of their magnitudes.
//
// Sums. All that is added up in float64 is added over rows, columns or vectors, of products that
// took a few operations each, with weights whose mean was itself such a sum. One number, s.sums =
// (8 rows + columns + classes + 64) u, is more than the relative error of any of them, in terms of
// the sum of the magnitudes. Where sums of sums are formed, it is taken once for each.
//
// Scores. A dot product of float32 errs by at most k 2^-24 of the sum of its products' magnitudes,
// and so by k 2^-24 |w| |x_i|, where k is the number of roundings that a product goes through:
// store.Rows.DotError. One of float64 has exact products and errs by s.sums |w| |x_i|. The bias,
// the label and the loss's own constants are added in float64. The mean over the rows of the
// scores' squared errors has therefore the root
//
//	z = |w| sqrt(mean(k_i^2 |x_i|^2)) + s.sums (|w| R + |b| + the loss's constants)
//
// Losses. The hinge, the log and the epsilon-insensitive loss change by no more than the score, and
// their mean by no more than z. The squared losses c/2 d^2, c being Curvature of its traits, change by
// c/2 e (2d + e) where d does by e: their mean by no more than z (sqrt(2c mean loss) + c/2 z). The
// joint losses change by no more than the largest change of any score and that of the row's own
// class together: 2z, of the longest vector.
//
// P' errs by that and by s.sums (P' itself). If that is more than a hundredth of P' - D', or
// without a bound than 1e-4 P', P' is found once more from float64 dot products. With Tol it always
// is, and the runs' end is decided by it, so that it does not depend on how the rows are held.
//
// The bound. Shares are float32 numbers within their range, whatever they came from, and are taken
// for what they are. The vector u of certificate.go is a sum over the rows: it errs by at most
// s.sums mean(|a_i| |x_i|) <= s.sums sqrt(mean(a_i^2) R^2), which is added to its length. The mean
// of what the shares earn errs by s.sums times the mean of the magnitudes; so does that of the
// entropies, to which floats.Log adds 2^-52 of each. A prior's scores are found anew in
// float64, and err by s.sums (|w0| |x_i| + |b0|), times the shares. With an unregularised bias the
// shares' sums over both sides must be the same, and so they could be made by moving one of them a
// little: balance.go has what that costs. In joint problems each row's own share is rounded to
// float32, and so known up to 2^-23 of itself.
//
// The gap of several problems is that of the means of their P' and D', and these are sums again.

// sumError is s.sums.
func sumError(rows, cols, classes int) float64 {
	return (8*float64(rows) + float64(cols) + float64(classes) + 64) * 0x1p-53
}

// dotSize returns the root of the mean, over the rows, of the squared error of a dot product with a
// vector of length 1.
func (r *run) dotSize(wide bool) float64 {
	if wide {
		return 0 // it is in learnerState.sums
	}
	if r.dotError == 0 {
		var sum float64
		for j := range r.Count() {
			i := r.Row(j)
			e, weight := r.X.DotError(i), 1.0
			if r.Weight != nil {
				weight = r.Weight[i]
			}
			sum += float64(weight * float64(float64(e*e)*float64(r.Norms[i])))
		}
		// The factor covers the roundings of the norms.
		r.dotError = 1.001*math.Sqrt(sum/float64(r.Count())) + 0x1p-100
	}
	return r.dotError
}

// scoreError returns the root of the mean, over the rows, of a score's squared error, without that
// of what the loss adds to it. No vector is longer than length.
func (s *learnerState) scoreError(length float64, b []float64, dotSize, r2 float64) float64 {
	bias := 0.0
	for _, v := range b {
		bias = max(bias, math.Abs(v))
	}
	if length == 0 {
		return float64(s.sums * bias)
	}
	return float64(length*dotSize) + float64(s.sums*(float64(1.001*length*math.Sqrt(r2))+bias))
}

// longest returns the largest length of the vectors, whose penalty is given.
func (s *learnerState) longest(w [][]float32, penalty float64) (length float64) {
	if s.prior == nil && len(w) == 1 {
		return math.Sqrt(2*penalty/s.lambda) * (1 + 0x1p-30)
	}
	for _, v := range w {
		length = max(length, math.Sqrt(squareSum(v)))
	}
	return length
}

// lossError returns by how much the mean loss may be off where the scores are, by z.
func (p *problem) lossError(z, loss float64) float64 {
	var squares float64
	if p.Target != nil {
		for j := range p.Count() {
			i := p.Row(j)
			t := float64(p.Target[i])
			squares += float64(p.Share(i) * float64(t*t))
		}
	}
	z += float64(p.sums * (1 + p.cost.Epsilon + math.Sqrt(squares/float64(p.Count()))))
	if c := p.cost.Kind.Traits().Curvature; c > 0 {
		return float64(z * (math.Sqrt(2*c*loss) + c/2*z))
	}
	return z
}

func (j *joint) lossError(z, loss float64) float64 {
	most := 1.0
	for _, row := range j.costs {
		for _, c := range row {
			most = max(most, c)
		}
	}
	return float64(2*z) + float64(j.sums*most)
}

// priorError returns the root of the mean, over the rows, of the squared error of a wideScore.
func (s *learnerState) priorError(r2 float64) float64 {
	if s.prior == nil {
		return 0
	}
	return s.scoreError(s.longest(s.prior, 0), s.priorBias, 0, r2)
}

// widenPrior finds the prior's scores that the certificate takes.
func (s *learnerState) widenPrior() {
	if s.prior == nil || s.wideScores != nil {
		return
	}
	prior := wideVectors(s.prior)
	s.wideScores = make([]float64, len(s.priorScores))
	for j := range s.Count() {
		i := s.Row(j)
		for k, w := range prior {
			s.wideScores[i*len(prior)+k] = s.X.WideDot(i, w) + s.priorBias[k]
		}
	}
}

// wideScore returns the prior's score of row i by vector k; 0 without one.
func (s *learnerState) wideScore(i, k int) float64 {
	if s.wideScores == nil {
		return 0
	}
	return s.wideScores[i*len(s.prior)+k]
}

// wideTarget is the target of frame, by such a score.
func (p *problem) wideTarget(i int) float64 {
	side, target := p.label(uint32(i))
	return target - float64(float64(side)*p.wideScore(i, 0))
}
