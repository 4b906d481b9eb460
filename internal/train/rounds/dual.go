package rounds

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/internal/order"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// This file is the dual method, CoCoA+. With
//
//	v = sum of c_i*a_i*y_i*x_i over all rows,  w = v/(lambda n),
//
// a pass over a shard makes the dual objective of its own rows larger by one a_i at a time, with
// sigma' |x_i|^2 in place of |x_i|^2: with sigma' = the number of shards the dual objective can't
// fall when the changes of all are added up. A smaller sigma' makes longer steps, and often does
// not fail. So it begins with a part of that; where the dual objective falls, the dual variables of
// the round before are in force again, and sigma' is made larger.

const (
	// firstSigma is the first sigma' as a share of the number of shards.
	initialSigmaShare = 0.6
	// dualPatience is the number of passes in which P - D has to fall by a tenth.
	dualPatience = 60
	// ascentCheck is the number of rows between looks at whether the pass is to end.
	rowsPerCancelCheck = 4096
)

// takeDual adds the sums of the dual variables, in a round of the kind Ascent those after a pass,
// and returns what the shard keeps: of each problem those before the pass, and those after it.
func (w *worker) runDual(ctx context.Context, alpha []float32) (next []float32) {
	n := len(w.p.class)
	for k := range w.state.Problems {
		now := alpha[(2*k+1)*n:][:n]
		if w.state.Problems[k].RolledBack {
			now = alpha[2*k*n:][:n]
		}
		next = append(append(next, now...), now...)
	}
	rows := make([]uint32, n)
	for k := range w.tasks {
		t := &w.tasks[k]
		after := next[(2*t.vector+1)*n:][:n]
		if w.state.Kind == Ascent {
			// Each shard and round has numbers of its own.
			stream := order.Stream ^ (uint64(w.state.Round)<<24 | uint64(w.p.number))
			order.Permute(rand.NewPCG(w.r.Config.Seed, stream), rows)
			w.ascend(ctx, t, rows, after)
		}
		if ctx.Err() != nil {
			break
		}
		w.addDuals(t, after)
	}
	return next
}

// visitAscent adds the losses with the weights before the pass.
func (w *worker) visitAscent(t *task) {
	t.block[0] += float64(w.weight * w.r.loss.At(w.margin(t.vector, t.W)))
}

// pass makes the dual objective larger, one of the rows at a time.
func (w *worker) ascend(ctx context.Context, at *task, rows []uint32, alpha []float32) {
	r, u := w.r, slices.Clone(at.W)
	step := at.Sigma / float64(r.Lambda*r.weightedRows)
	for t, i := range rows {
		if t%rowsPerCancelCheck == 0 && ctx.Err() != nil {
			return
		}
		if !w.read(int(i)) {
			continue
		}
		old, scale := float64(alpha[i]), float64(step*w.weight)
		now, _ := r.loss.Best(old, w.margin(at.vector, u), float64(scale*w.p.squareNorms[i]))
		alpha[i] = float32(now)
		if d := float64(alpha[i]) - old; d != 0 {
			w.addRow(float64(scale*float64(w.label(at.vector)*d)), u)
		}
	}
}

// ascentBounds returns bounds on the mean of the dual variables and of what they earn. Of the
// squared hinge a dual objective above 0 has a mean square below 16.
func (r *Rounds) ascentBounds() (dual, gain float64) {
	if r.loss.Kind == loss.SquaredHinge {
		return 1 << 10, 1 << 20
	}
	return 1, 1
}

// earn adds what the row earns with the dual variable a, the square and the row itself.
func (w *worker) addDual(k int, a float64, sums, u []float64) {
	if a == 0 {
		return
	}
	sums[0] += float64(w.weight * w.r.loss.Least(a))
	sums[1] += float64(w.weight * float64(a*a))
	w.addRow(float64(float64(w.weight*w.label(k))*a), u)
}

// dualSums adds what the dual variables earn, their squares in a proof, and v. v is added up over
// the whole shard: its rows have their dual variables by the shard that they are in.
func (w *worker) addDuals(t *task, alpha []float32) {
	v, last := make([]float64, w.r.vars), len(t.segments)-1
	for first := 0; first < len(alpha); first += Block {
		sums := make([]float64, 2)
		for i := first; i < min(first+Block, len(alpha)); i++ {
			if alpha[i] != 0 && w.read(i) {
				w.addDual(t.vector, float64(alpha[i]), sums, v)
			}
		}
		for j := 1; j < last; j++ {
			w.addTruncated(t.sum[j:], sums[j-1:j], t.segments[j])
		}
	}
	w.addTruncated(t.sum[last:], v, t.segments[last])
}

// nextAscent takes in a pass of the dual method.
func (r *Rounds) nextAscent(s *State, of []task) error {
	s.Iterations++
	for k := range of {
		r.updateFromPass(&of[k])
		s.updateDone(of[k].Problem, dualPatience)
	}
	r.scheduleProof(s)
	return nil
}

// takeAscent finds the objective before the pass and the dual objective after it, and whether the
// pass was one too far.
func (r *Rounds) updateFromPass(at *task) {
	r.objective(at)
	u := r.meanVector(at.segments[2], at.sum[2:])
	bound := r.mean(at.sum[1], at.segments[1]) - objectives.SquareSum(u)/(2*r.Lambda)
	safe := float64(r.Shards)
	if at.RolledBack = bound < at.Bound && at.Sigma < safe; at.RolledBack {
		at.FailedSigma = at.Sigma
		at.Sigma = min(safe, 1.5*at.Sigma)
		return
	}
	at.Bound = max(at.Bound, bound)
	for j, z := range u {
		at.W[j] = z / r.Lambda
	}
}
