package rounds

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A proof round recomputes the objective of the model as stored, and the lower bound from float32
// dual variables. From the bound it subtracts all rounding errors, including the objective's, and
// the truncation errors of sums: at most n quanta for n addends.

// If truncation may change the objective by more than this fraction, the remainders of the block
// sums are added to it.
const maxTruncation = 1e-11

// remainderScale returns the number of units of a remainder in a quantum: a power of 2 for which
// the sum of all blocks' remainders can't overflow.
func (r *Rounds) remainderScale() float64 {
	_, e := math.Frexp(float64(r.blocks()))
	return math.Ldexp(1, 61-e)
}

// remainder returns the part of the block sum v that truncation to quanta of q drops, in units of
// 1/remainderScale quanta.
func (r *Rounds) remainder(v float64, q segment) int64 {
	v = float64(v * q.inverse)
	return int64(float64((v - math.Trunc(v)) * r.remainderScale()))
}

// In Newton's method, the dual variables are computed from the weights DualW.
func (w *worker) visitProof(t *task) {
	loss := &w.r.loss
	m := float64(w.label(t.vector) * (w.dot(t.model.w) + t.model.bias))
	t.block[0] += float64(w.weight * loss.At(m))
	if w.r.Method == Newton {
		a, _ := loss.DerivativesAt(w.margin(t.vector, t.DualW), 1/t.DualWidth)
		w.addDual(t.vector, float64(loss.Clamp(float32(a))), t.block[1:], t.block[3:])
	}
}

// nextProof stores the model's proven objective and lower bound in s. If s is not Done then,
// training continues with half the target gap.
func (r *Rounds) nextProof(s *State, tasks []task) error {
	s.Objective, s.Bound = 0, 0
	stuck := true
	for k := range tasks {
		t := &tasks[k]
		p, d := r.certify(t)
		if err := proof.Check(p, d); err != nil {
			return err
		}
		t.Objective, t.Bound = p, d
		t.Stall = newton.Stall{Since: s.Iterations, Falling: p}
		s.Objective += p
		s.Bound += d
		stuck = stuck && t.Stuck
	}
	s.Objective /= float64(len(s.Problems))
	s.Bound /= float64(len(s.Problems))
	if r.reached(s) || stuck || s.Retries >= newton.Retries || s.Iterations >= r.Config.Epochs {
		s.Done = true
		return nil
	}
	s.Retries++
	s.Target /= 2
	for k := range s.Problems {
		r.resume(s, k)
	}
	s.Kind = firstKind[r.Method]
	return nil
}

func (r *Rounds) certify(t *task) (value, bound float64) {
	e, sum := &t.model, t.sum
	loss, dualTerms, squared, vectors := t.segments[0], t.segments[1], t.segments[2], t.segments[3]
	// An integer sum has at most parts addends, one per block or shard; a float64 sum at most rows.
	parts, rows := float64(r.blocks()), Block
	if r.Method == Dual {
		parts, rows = parts+float64(r.Shards), r.rows
	}
	truncation := func(q segment) float64 { return float64(parts*q.unit) / r.weightedRows }
	roundoff := objective.SumError(rows, 8*r.vars, 1)
	wNorm := e.norm(r)

	meanLoss, penalty := r.mean(sum[0], loss), float64(r.Lambda/2*float64(wNorm*wNorm))
	lossError := truncation(loss)
	if lossError > maxTruncation*(penalty+meanLoss) {
		meanLoss += r.mean(sum[t.size-1], loss) / r.remainderScale()
		lossError /= r.remainderScale()
	}
	value = penalty + meanLoss
	bias := math.Abs(e.bias)
	marginError := float64(roundoff * (1 + e.biasSize + bias + float64(1.001*wNorm*r.maxLength)))
	valueError := float64(roundoff*value) + lossError + marginError
	if c := r.loss.Kind.Traits().Curvature; c > 0 {
		valueError += float64(marginError * (math.Sqrt(2*c*meanLoss) + float64(c/2*marginError)))
	}
	if r.biasScale > 0 {
		d := float64(roundoff*(e.biasSize+bias)) / r.biasScale
		valueError += float64(r.Lambda * float64(d*(bias/r.biasScale+d)))
	}

	meanTerm, squares := r.mean(sum[1], dualTerms), r.mean(sum[2], squared)
	rmsDual := float64(math.Sqrt(squares+truncation(squared)) * (1 + 1e-6))
	truncated := 0.0
	for _, scale := range r.scale {
		o := truncation(vectors) / scale
		truncated += float64(o * o)
	}
	uu := objective.SquareSum(r.meanVector(vectors, sum[3:]))
	u := float64(math.Sqrt(uu)*(1+roundoff)) + math.Sqrt(truncated) +
		float64(float64(roundoff*rmsDual)*r.maxLength)
	half := float64(float64(u*u) / (2 * r.Lambda) * (1 + roundoff))
	if r.loss.Kind.Traits().Entropy {
		bound = meanTerm - half - float64(64*roundoff)
	} else {
		q := r.loss.Kind.Traits().Quadratic
		quadratic := float64(q * (squares + truncation(squared)) * (1 + roundoff))
		half += quadratic
		linear := meanTerm + quadratic - float64(2*roundoff*(rmsDual+float64(rmsDual*rmsDual)))
		_, s := certificate.Parabola(linear, half)
		bound = certificate.DualAt(s, linear, half)
	}
	return value, max(0, bound-(truncation(dualTerms)+valueError))
}

// reached reports whether the proof in s suffices.
func (r *Rounds) reached(s *State) bool {
	if r.claimed == nil || !(r.claimed.Result.DualObjective > 0) {
		return s.Gap() <= r.Config.Tol
	}
	return s.Bound >= r.claimed.Result.DualObjective
}

func (r *Rounds) resume(s *State, k int) {
	p := &s.Problems[k]
	enough := proof.Gap(p.Objective, p.Bound) <= s.Target
	if p.TargetBound > 0 {
		enough = p.Bound >= r.claimed.claim(k).DualObjective
		p.TargetBound += float64((p.Objective - p.TargetBound) / 4)
	}
	p.Done = p.Stuck || enough
}
