package rounds

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

var handlers = map[Kind]struct {
	visit func(*worker, *task)
	next  func(*Rounds, *State, []task) error
}{
	Sums:   {(*worker).visitNewton, (*Rounds).nextSums},
	Line:   {(*worker).visitLine, (*Rounds).nextLine},
	Ascent: {(*worker).visitAscent, (*Rounds).nextAscent},
	Proof:  {(*worker).visitProof, (*Rounds).nextProof},
}

// targetShare is the first State.Target as a fraction of Config.Tol. It is below 1 because the
// proof subtracts rounding errors.
const targetShare = 0.95

func (r *Rounds) Start() *State {
	s := &State{Kind: firstKind[r.Method], Target: targetShare * r.Config.Tol,
		Problems: make([]Problem, r.Problems()), Objective: r.loss.At(0)}
	for _, v := range s.Vectors() {
		*v = make([]float64, r.vars)
	}
	for k := range s.Problems {
		p := &s.Problems[k]
		p.Objective, p.Falling = s.Objective, s.Objective
		p.Width, p.DualWidth = initialWidth, initialWidth
		p.Sigma = max(1, initialSigmaShare*float64(r.Shards))
		if r.claimed != nil {
			r.startVerifying(p, k)
		}
	}
	return s
}

// Visit computes the shard's sums for the round that begins with state. With the dual method, next
// holds the dual variables to store and to pass as alpha in the next round. In the first round,
// alpha may be nil.
func (p *Shard) Visit(ctx context.Context, state *State, alpha []float32, threads int) (
	sum []int64, next []float32, err error,
) {
	tasks, size, err := p.r.tasks(state)
	if err != nil {
		return nil, nil, err
	}
	if alpha == nil && state.Round == 0 {
		alpha = make([]float32, p.AlphaLength())
	}
	if len(alpha) != p.AlphaLength() {
		return nil, nil, fmt.Errorf("pegasos: got %s, want %d",
			plural.Count(len(alpha), "dual variable"), p.AlphaLength())
	}
	if i := floats.FirstNotFinite(alpha); i >= 0 {
		return nil, nil, fmt.Errorf("pegasos: dual variable %d is %v, want a finite number", i,
			alpha[i])
	}
	blocks := (len(p.class) + Block - 1) / Block
	workers := make([]*worker, max(1, min(threads, blocks)))
	for k := range workers {
		workers[k] = p.worker(state, tasks, size)
	}
	parallel.For(len(workers), blocks, func(k, block int) {
		if ctx.Err() == nil {
			workers[k].block(block*Block, min((block+1)*Block, len(p.class)))
		}
	})
	if p.r.Method == Dual {
		next = workers[0].runDual(ctx, alpha)
	}
	sum = make([]int64, size)
	for _, w := range workers {
		err = cmp.Or(err, w.err)
		for j, v := range w.sums {
			sum[j] += v
		}
	}
	if err = cmp.Or(err, ctx.Err(), p.x.Err()); err != nil {
		return nil, nil, err
	}
	return sum, next, nil
}

func (w *worker) block(start, end int) {
	for k := range w.tasks {
		clear(w.tasks[k].block)
	}
	visit := handlers[w.state.Kind].visit
	for i := start; i < end; i++ {
		if !w.read(i) {
			continue
		}
		for k := range w.tasks {
			visit(w, &w.tasks[k])
		}
	}
	for k := range w.tasks {
		t, at := &w.tasks[k], 0
		for j := 0; at < t.blockSums; j++ {
			q := t.segments[j]
			w.addTruncated(t.sum[at:], t.block[at:][:q.size], q)
			at += q.size
		}
		if w.state.Kind == Proof {
			t.sum[t.size-1] += w.r.remainder(t.block[0], t.segments[0])
		}
		if w.products != nil {
			w.addHessians(t.sum[at:], t.ringRows)
		}
	}
}

// Next returns the state after the round that began with s. It does not change s. sum is the
// elementwise total of the shards' sums.
func (r *Rounds) Next(s *State, sum []int64) (*State, error) {
	next := s.clone()
	tasks, size, err := r.tasks(next)
	if err != nil {
		return nil, err
	}
	if len(sum) != size {
		return nil, fmt.Errorf("pegasos: round %d: got %s, want %d", s.Round+1,
			plural.Count(len(sum), "sum"), size)
	}
	next.Round++
	if err := handlers[s.Kind].next(r, next, splitSums(tasks, sum)); err != nil {
		return nil, err
	}
	if !next.Done {
		next.Objective, next.Bound = 0, 0
		for _, p := range next.Problems {
			next.Objective += p.Objective / float64(len(next.Problems))
			next.Bound += p.Bound / float64(len(next.Problems))
		}
	}
	return next, nil
}
