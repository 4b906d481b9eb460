package rounds

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// The dual method is CoCoA+. With
//
//	v = sum of c_i*a_i*y_i*x_i over all rows,  w = v/(lambda n),
//
// a pass over a shard is dual coordinate ascent with sigma' |x_i|^2 in place of |x_i|^2. If sigma'
// is the number of shards, adding the changes of all shards can't lower the dual objective, except
// by rounding. With several shards, sigma' begins below that number: the steps are longer. If the
// dual objective then falls below Problem.Bound, the pass is rolled back and sigma' increased.

const (
	// initialSigmaShare is the first sigma', if at least 1, as a fraction of the number of shards.
	initialSigmaShare = 0.6
	// dualPatience is the number of passes in which P - D must fall by a tenth.
	dualPatience       = 60
	rowsPerCancelCheck = 4096
)

// alpha and next hold each problem's dual variables before the last pass, followed by those after
// it. If the pass is rolled back, those before it are valid.
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

func (w *worker) visitAscent(t *task) {
	t.block[0] += float64(w.weight * w.r.loss.At(w.margin(t.vector, t.W)))
}

// rows is the order of visits. The pass is incomplete if ctx is done.
func (w *worker) ascend(ctx context.Context, t *task, rows []uint32, alpha []float32) {
	r, u := w.r, slices.Clone(t.W)
	step := t.Sigma / float64(r.Lambda*r.weightedRows)
	for j, i := range rows {
		if j%rowsPerCancelCheck == 0 && ctx.Err() != nil {
			return
		}
		if !w.read(int(i)) {
			continue
		}
		old, scale := float64(alpha[i]), float64(step*w.weight)
		now, _ := r.loss.DualStep(old, w.margin(t.vector, u), float64(scale*w.p.squareNorms[i]))
		alpha[i] = float32(now)
		if d := float64(alpha[i]) - old; d != 0 {
			w.addRow(float64(scale*float64(w.label(t.vector)*d)), u)
		}
	}
}

// addDual adds sums for the current row and its dual variable a in problem k, times the row's
// weight: the dual term to sums[0], a^2 to sums[1], and label times a times the row to u.
func (w *worker) addDual(k int, a float64, sums, u []float64) {
	if a == 0 {
		return
	}
	sums[0] += float64(w.weight * w.r.loss.DualTerm(a))
	sums[1] += float64(w.weight * float64(a*a))
	w.addRow(float64(float64(w.weight*w.label(k))*a), u)
}

// addDuals adds the sums over all rows of the shard to t.sum. It truncates v once, not for each
// block: dual variables depend on the division into shards anyway.
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

func (r *Rounds) nextAscent(s *State, tasks []task) error {
	s.Iterations++
	for k := range tasks {
		r.updateFromPass(&tasks[k])
		s.updateDone(tasks[k].Problem, dualPatience)
	}
	r.scheduleProof(s)
	return nil
}

// updateFromPass computes the primal objective before the pass, and the dual objective after it.
func (r *Rounds) updateFromPass(t *task) {
	r.objective(t)
	u := r.meanVector(t.segments[2], t.sum[2:])
	bound := r.mean(t.sum[1], t.segments[1]) - objective.SquareSum(u)/(2*r.Lambda)
	safe := float64(r.Shards)
	if t.RolledBack = bound < t.Bound && t.Sigma < safe; t.RolledBack {
		t.FailedSigma = t.Sigma
		t.Sigma = min(safe, 1.5*t.Sigma)
		return
	}
	t.Bound = max(t.Bound, bound)
	for j, z := range u {
		t.W[j] = z / r.Lambda
	}
}
