package rounds

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	losses "github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file is the last round. It finds anew the objective of the model as it is written, and the
// bound from the dual variables rounded to float32. The results allow for all roundings, as package
// certificate has them, and for those to the quanta of the sums: a sum of n parts is off by no more
// than n quanta.

// visitProof adds the model's losses, and of Newton's method the dual variables' sums.
func (w *worker) visitProof(t *task) {
	cost := &w.r.loss
	m := float64(w.label(t.vector) * (w.dot(t.model.w) + t.model.bias))
	t.block[0] += float64(w.weight * cost.At(m))
	if w.r.Method == Newton {
		bent, _ := cost.Bent(w.margin(t.vector, t.DualW), 1/t.DualWidth)
		w.addDual(t.vector, float64(cost.Clamp(float32(bent))), t.block[1:], t.block[3:])
	}
}

// nextProof takes in the model's objective and the bound. If they don't confirm the method's own
// numbers, it goes on.
func (r *Rounds) nextProof(s *State, of []task) error {
	s.Objective, s.Bound = 0, 0
	stuck := true
	for k := range of {
		at := &of[k]
		p, d := r.certify(at)
		if err := proof.Check(p, d); err != nil {
			return err
		}
		at.Objective, at.Bound = p, d
		at.Stall = newton.Stall{Since: s.Iterations, Falling: p}
		s.Objective += p
		s.Bound += d
		stuck = stuck && at.Stuck
	}
	s.Objective /= float64(len(s.Problems))
	s.Bound /= float64(len(s.Problems))
	if r.reached(s) || stuck || s.Retries >= newton.Retries ||
		s.Iterations >= r.Config.Epochs {
		s.Done = true
		return nil
	}
	s.Retries++
	s.Target /= 2
	for k := range s.Problems {
		r.resume(s, k)
	}
	s.Kind = r.firstKind()
	return nil
}

// certify returns the objective of a weight vector as it is written, and a bound on the least there
// is that makes up for everything that was rounded, of the objective as well.
func (r *Rounds) certify(at *task) (value, bound float64) {
	e, sum := &at.model, at.sum
	loss, gained, squared, dual := at.segments[0], at.segments[1], at.segments[2], at.segments[3]
	// The number of roundings to a quantum is parts: one for each block, or for each shard.
	parts, rows := float64(r.allRows/Block+1), Block // rows in a sum of float64
	if r.Method == Dual {
		parts, rows = parts+float64(r.Shards), r.allRows
	}
	off := func(q segment) float64 { return float64(parts*q.unit) / r.weightedRows }
	sums := objectives.SumError(rows, 8*r.vars, 1)
	weights := e.norm(r)

	meanLoss, penalty := r.mean(sum[0], loss), float64(r.Lambda/2*float64(weights*weights))
	value = penalty + meanLoss
	z := float64(sums * (1 + e.biasSize + math.Abs(e.bias) + float64(1.001*weights*r.maxLength)))
	mistake := float64(sums*value) + off(loss) + z
	if c := r.loss.Kind.Traits().Curvature; c > 0 {
		mistake += float64(z * (math.Sqrt(2*c*meanLoss) + float64(c/2*z)))
	}
	if r.biasScale > 0 {
		d := float64(sums*(e.biasSize+math.Abs(e.bias))) / r.biasScale
		mistake += float64(r.Lambda * float64(d*(math.Abs(e.bias)/r.biasScale+d)))
	}

	gain, squares := r.mean(sum[1], gained), r.mean(sum[2], squared)
	root := float64(math.Sqrt(squares+off(squared)) * (1 + 1e-6))
	rounded := 0.0
	for _, scale := range r.scale {
		o := off(dual) / scale
		rounded += float64(o * o)
	}
	uu := objectives.SquareSum(r.meanVector(dual, sum[3:]))
	u := float64(math.Sqrt(uu)*(1+sums)) + math.Sqrt(rounded) +
		float64(float64(sums*root)*r.maxLength)
	half := float64(float64(u*u) / (2 * r.Lambda) * (1 + sums))
	if r.loss.Kind == losses.Log {
		bound = gain - half - float64(64*sums)
	} else {
		q := r.loss.Kind.Traits().Quadratic
		bend := float64(q * (squares + off(squared)) * (1 + sums))
		half += bend
		linear := gain + bend - float64(2*sums*(root+float64(root*root)))
		_, s := proof.Parabola(linear, half)
		bound = certificate.DualAt(s, linear, half)
	}
	return value, max(0, bound-(off(gained)+mistake))
}

// provenEnough reports whether the last round is the last one, or has the method go on.
func (r *Rounds) reached(s *State) bool {
	if r.verified == nil || !(r.verified.Result.DualObjective > 0) {
		return s.Gap() <= r.Config.Tol
	}
	return s.Bound >= r.verified.Result.DualObjective
}

// goOn says what problem k needs further, of which the last round was not enough.
func (r *Rounds) resume(s *State, k int) {
	p := &s.Problems[k]
	enough := proof.Gap(p.Objective, p.Bound) <= s.Target
	if p.TargetBound > 0 {
		enough = p.Bound >= claimOf(r.verified, k).DualObjective
		p.TargetBound += float64((p.Objective - p.TargetBound) / 4)
	}
	p.Done = p.Stuck || enough
}
