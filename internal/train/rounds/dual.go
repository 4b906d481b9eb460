package rounds

import (
	"context"
	"math"
	"math/rand/v2"

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
	firstSigma = 0.6
	// dualPatience is the number of passes in which P - D has to fall by a tenth.
	dualPatience = 60
	// ascentCheck is the number of rows between looks at whether the pass is to end.
	ascentCheck = 4096
)

// inForce returns what the shard keeps for the next round when it has not changed its dual
// variables.
func (p *Shard) inForce(s *State, alpha []float32) []float32 {
	next := make([]float32, len(alpha))
	for k := range s.Problems {
		if p.r.Method == Dual {
			now := p.alphaOf(s, alpha, k)
			n := len(p.class)
			copy(next[2*k*n:], now)
			copy(next[(2*k+1)*n:], now)
		}
	}
	return next
}

// alphaOf returns the dual variables in force of a problem.
func (p *Shard) alphaOf(s *State, alpha []float32, k int) []float32 {
	n := len(p.class)
	if s.Problems[k].Back {
		return alpha[2*k*n:][:n]
	}
	return alpha[(2*k+1)*n:][:n]
}

// ascend takes a pass of the dual method. The sums of a problem are those of the losses with the
// weights before the pass, of what the dual variables earn after it, and of v.
func (p *Shard) ascend(ctx context.Context, s *State, alpha []float32) (
	sum []int64, next []float32, err error,
) {
	r, n := p.r, len(p.class)
	next = p.inForce(s, alpha)
	total := make([]int64, r.sumLength(s))
	rows := make([]uint32, n)
	w := p.worker(s, alpha, nil)
	w.total = total
	to := 0
	for k := range s.Problems {
		if !s.works(k) {
			continue
		}
		// Each shard and round has numbers of its own.
		random := rand.NewPCG(r.Config.Seed, order.Stream^(uint64(s.Round)<<24|uint64(p.number)))
		order.Permute(random, rows)
		w.losses(k, to)
		w.pass(ctx, k, rows, next[(2*k+1)*n:][:n])
		w.dualSums(k, to, next[(2*k+1)*n:][:n])
		to += r.sumsOf(s.Kind)
	}
	return total, next, w.err
}

// losses adds the losses of problem k with its weights, by blocks.
func (w *worker) losses(k, to int) {
	r, at := w.r, &w.s.Problems[k]
	most, _, _ := r.most(length(at.W))
	q := r.quantum(most)
	for first := 0; first < len(w.p.class); first += Block {
		sum := 0.0
		for i := first; i < min(first+Block, len(w.p.class)); i++ {
			c := r.weights[w.p.class[i]]
			if c == 0 {
				continue
			}
			index, values := w.row(i)
			m := float64(r.side(k, w.p.class[i]) * w.score(index, values, at.W))
			sum += float64(c * r.cost.At(m))
		}
		w.put(to, sum, q)
	}
}

// pass makes the dual objective larger, one of the rows at a time.
func (w *worker) pass(ctx context.Context, k int, rows []uint32, alpha []float32) {
	r, at := w.r, &w.s.Problems[k]
	_, curve, low := r.cost.DualShape()
	fixed := float64(r.Lambda * r.rows)
	step := at.Sigma / fixed
	u := append([]float64(nil), at.W...)
	for t, i := range rows {
		if t%ascentCheck == 0 && ctx.Err() != nil {
			return
		}
		c := r.weights[w.p.class[i]]
		if c == 0 {
			continue
		}
		index, values := w.row(int(i))
		side := r.side(k, w.p.class[i])
		old, top := float64(alpha[i]), 1.0
		slope := 1 - float64(side*w.score(index, values, u)) - float64(curve*old)
		if curve > 0 {
			top = math.MaxFloat32
		}
		bend := curve + float64(float64(step*c)*w.p.squares[i])
		now := top
		if bend > 0 {
			now = max(low, min(old+slope/bend, top))
		} else if slope < 0 {
			now = low
		}
		next := float32(now)
		if d := float64(next) - old; d != 0 {
			alpha[i] = next
			w.add(float64(float64(step*c)*float64(side*d)), index, values, u)
		}
	}
}

// ascentBounds returns bounds on the mean of the dual variables and of what they earn. Of the
// squared hinge a dual objective above 0 has a mean square below 16.
func (r *Rounds) ascentBounds() (dual, gain float64) {
	if r.cost.Kind == loss.SquaredHinge {
		return 1 << 10, 1 << 20
	}
	return 1, 1
}

// dualSums adds what the dual variables earn, their squares in a proof, and v. v is added up over
// the whole shard: its rows have their dual variables by the shard that they are in.
func (w *worker) dualSums(k, to int, alpha []float32) {
	r, proves := w.r, w.s.Kind == Proof
	v := make([]float64, r.vars)
	dual, gain := r.ascentBounds()
	for first := 0; first < len(alpha); first += Block {
		earned, squares := 0.0, 0.0
		for i := first; i < min(first+Block, len(alpha)); i++ {
			c, a := r.weights[w.p.class[i]], float64(alpha[i])
			if c == 0 || a == 0 {
				continue
			}
			index, values := w.row(i)
			earned += float64(c * r.cost.Least(a))
			squares += float64(c * float64(a*a))
			w.add(float64(float64(c*r.side(k, w.p.class[i]))*a), index, values, v)
		}
		w.put(to+1, earned, r.quantum(gain))
		if proves {
			w.put(to+2, squares, r.quantum(float64(dual*dual)))
		}
	}
	to += r.sumsOf(w.s.Kind) - r.vars
	for j, z := range v {
		w.put(to+j, float64(z*r.scale[j]), r.quantum(dual))
	}
}

// nextAscent takes in a pass of the dual method.
func (r *Rounds) nextAscent(s *State, sum []int64) {
	s.Iterations++
	for k := range s.Problems {
		at := &s.Problems[k]
		if at.Done {
			continue
		}
		mine := sum[:r.sumsOf(Ascent)]
		sum = sum[len(mine):]
		r.takeAscent(at, mine)
		s.settle(at, dualPatience)
	}
	r.prove(s)
}

// takeAscent finds the objective before the pass and the dual objective after it, and whether the
// pass was one too far.
func (r *Rounds) takeAscent(at *Problem, sum []int64) {
	mean := func(v int64, q quantum) float64 { return float64(float64(v)*q.unit) / r.rows }
	loss, _, _ := r.most(length(at.W))
	objective := float64(r.Lambda/2*objectives.SquareSum(at.W)) + mean(sum[0], r.quantum(loss))
	if objective < at.Objective {
		at.Objective = objective
		copy(at.Best, at.W)
	}
	dual, gain := r.ascentBounds()
	w, uu := make([]float64, r.vars), 0.0
	for j, v := range sum[2:] {
		u := mean(v, r.quantum(dual)) / r.scale[j]
		uu += float64(u * u)
		w[j] = u / r.Lambda
	}
	bound := mean(sum[1], r.quantum(gain)) - uu/(2*r.Lambda)
	safe := float64(r.Shards)
	if at.Back = bound < at.Bound && at.Sigma < safe; at.Back {
		at.Failed = at.Sigma
		at.Sigma = min(safe, 1.5*at.Sigma)
		return
	}
	at.Bound = max(at.Bound, bound)
	copy(at.W, w)
}
