package engine

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/pegasimd/pegasimd/internal/replace"
)

// groupItems is how many items' parts are added in one place before the sums are: with more items,
// there are two levels.
const groupItems = 64

// pipeline returns the graph of a job: the items' numbers, spread over the workers; the work on
// them; the sum; and the file of the result.
func (j *Job) pipeline() *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	parts := beam.ParDo(s, &gather{Work: j.Work, Arg: j.Arg, Round: j.Round},
		beam.Reshuffle(s, beam.CreateList(s, j.Items)))
	if len(j.Items) > groupItems {
		parts = beam.CombinePerKey(s, &adder{}, parts)
	}
	sum := beam.Combine(s, &adder{}, beam.DropKey(s, parts))
	beam.ParDo0(s, &writer{Path: j.Out}, sum)
	return p
}

var (
	countItems = beam.NewCounter("pegasimd", "shards")
	countRows  = beam.NewCounter("pegasimd", "rows")
	countBytes = beam.NewCounter("pegasimd", "bytes")
)

// A gather works on the items of a bundle. Runners give a bundle to one goroutine, element by
// element, and the one inside this process makes one bundle of everything: so the items are
// gathered, and worked on by as many goroutines as there are cores when the bundle ends.
type gather struct {
	Work, Arg string
	Round     int

	items []int
}

func (g *gather) StartBundle(_ context.Context, _ func(int, []byte)) { g.items = nil }

func (g *gather) ProcessElement(_ context.Context, item int, _ func(int, []byte)) {
	g.items = append(g.items, item)
}

func (g *gather) FinishBundle(ctx context.Context, emit func(int, []byte)) error {
	work := works[g.Work]
	if work == nil {
		return fmt.Errorf("%sthis program has no work %q: it is another version", failure, g.Work)
	}
	done, err := workOn(ctx, work, g)
	if err != nil {
		return err
	}
	for k, r := range done {
		if r.sum != nil {
			countItems.Inc(ctx, 1)
			countRows.Inc(ctx, r.sum[headRows])
			countBytes.Inc(ctx, r.sum[headBytes])
		}
		emit(g.items[k]/groupItems, r.encode())
	}
	return nil
}

// workOn works on the gathered items. It returns when the bundle is given up, whether the work does
// or not: Beam's harness holds a lock meanwhile that all jobs of the process need.
func workOn(ctx context.Context, work Work, g *gather) ([]record, error) {
	done := make([]record, len(g.items))
	failed := make([]error, len(g.items))
	core := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for k, item := range g.items {
		wait.Go(func() {
			core <- struct{}{}
			defer func() { <-core }()
			if failed[k] = ctx.Err(); failed[k] == nil {
				done[k], failed[k] = do(ctx, work, g.Arg, g.Round, item)
			}
		})
	}
	all := make(chan struct{})
	go func() {
		wait.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-ctx.Done():
		return nil, fmt.Errorf("%s%w", failure, ctx.Err())
	}
	for k, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("%sshard %d: %w", failure, g.items[k], err)
		}
	}
	return done, nil
}

// An adder adds records.
type adder struct{}

func (*adder) CreateAccumulator() []byte            { return nil }
func (*adder) AddInput(a, v []byte) []byte          { return add(a, v) }
func (*adder) MergeAccumulators(a, b []byte) []byte { return add(a, b) }
func (*adder) ExtractOutput(a []byte) []byte        { return a }

// A writer writes the result.
type writer struct{ Path string }

func (w *writer) ProcessElement(_ context.Context, sum []byte) error {
	err := replace.WriteFile(w.Path, func(f io.Writer) error {
		_, err := f.Write(sum)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s%w", failure, err)
	}
	return nil
}

func init() {
	register.DoFn3x0[context.Context, int, func(int, []byte)](&gather{})
	register.DoFn2x1[context.Context, []byte, error](&writer{})
	register.Combiner1[[]byte](&adder{})
	register.Emitter2[int, []byte]()
}
