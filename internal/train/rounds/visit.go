package rounds

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Visit computes the shard's sums for the round whose input is state, in up to the given number of
// goroutines. alpha has the dual variables that the shard's Visit returned as next in the round
// before; it may be nil in the first round. next has the dual variables to store for the next
// round; it is nil with Newton's method.
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
	if len(alpha) != p.AlphaLength() || floats.FirstNotFinite(alpha) >= 0 {
		return nil, nil, fmt.Errorf("pegasos: got %d dual variables, want %d finite ones", len(alpha),
			p.AlphaLength())
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
