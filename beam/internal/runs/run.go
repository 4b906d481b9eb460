package runs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
)

const roundWork = "round"

func init() { work.Register(roundWork, takeShard) }

func takeShard(ctx context.Context, dir string, k, number int) ([]int64, error) {
	f, err := open(dir)
	if err != nil {
		return nil, err
	}
	state, err := f.state(k - 1)
	if err != nil {
		return nil, err
	}
	shard, err := f.shard(number)
	if err != nil {
		return nil, err
	}
	part, alpha, err := f.take(ctx, state, number, shard)
	if err == nil && len(alpha) > 0 {
		err = f.writeAlpha(k, number, alpha)
	}
	if err != nil {
		return nil, fmt.Errorf("shard %d: %w", number, err)
	}
	return part, nil
}

func (f *Folder) take(ctx context.Context, state *rounds.State, number int,
	shard *rounds.Shard,
) (part []int64, alpha []float32, err error) {
	before, err := f.alpha(ctx, state.Round, number, shard)
	if err != nil {
		return nil, nil, err
	}
	// Assume that all shards are worked on at the same time.
	threads := max(1, runtime.GOMAXPROCS(0)/max(1, len(f.used())))
	return shard.Visit(ctx, state, before, threads)
}

// alpha returns the dual variables of a shard after round k. It computes them again if their file
// is damaged or missing.
func (f *Folder) alpha(ctx context.Context, k, number int, shard *rounds.Shard) (
	[]float32, error,
) {
	n := shard.AlphaLength()
	if k == 0 || n == 0 {
		return make([]float32, n), nil
	}
	alpha, failed := f.readAlpha(k, number, n)
	if failed == nil {
		return alpha, nil
	}
	before, err := f.state(k - 1)
	if err == nil {
		_, alpha, err = f.take(ctx, before, number, shard)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; computing the file again failed, too: %w", failed, err)
	}
	return alpha, nil
}

// RoundError is the error of a round. Another call of Run continues after the last complete round.
type RoundError struct{ error }

func (e RoundError) Unwrap() error { return e.error }

// Run runs the rounds after the last committed round, and reports each to progress, unless progress
// is nil. It locks the folder: a second process gets an error.
func (f *Folder) Run(ctx context.Context, r work.Runner, progress func(Report)) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for {
		state, err := f.newest()
		if err != nil || state.Done {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		if state, err = f.round(ctx, r, state); err != nil {
			return RoundError{err}
		}
		if progress != nil {
			report := f.report(state)
			report.Seconds = time.Since(began).Seconds()
			progress(report)
		}
	}
}

// lock has no effect where locks are not supported.
func (f *Folder) lock() (unlock func() error, err error) {
	l := flock.New(filepath.Join(f.dir, "lock"))
	locked, err := l.TryLock()
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	if err == nil && !locked {
		return nil, fmt.Errorf("%s: another process uses this folder: wait until it ends, or "+
			"choose another folder", escape.Name(f.dir))
	}
	return l.Unlock, nil
}

func (f *Folder) round(ctx context.Context, r work.Runner, state *rounds.State) (
	*rounds.State, error,
) {
	k := state.Round + 1
	sum, err := r.Run(ctx, work.Job{Work: roundWork, Arg: f.dir, Round: k, Items: f.used(),
		Out: filepath.Join(f.dir, "sum"), Name: fmt.Sprintf("round %d", k)})
	if err != nil {
		return nil, err
	}
	next, err := f.rounds.Next(state, sum)
	if err != nil {
		return nil, err
	}
	if err := f.writeState(next); err != nil {
		return nil, err
	}
	f.clear(k)
	return next, nil
}

type Report struct {
	*rounds.State
	Reached bool    // Done with a gap of at most Tol
	Seconds float64 // wall-clock seconds of the round; 0 if not measured
}

func (f *Folder) report(state *rounds.State) Report {
	return Report{State: state, Reached: state.Done && state.Gap() <= f.rounds.Config.Tol}
}

func (f *Folder) Status() (Report, error) {
	state, err := f.newest()
	if err != nil {
		return Report{}, err
	}
	return f.report(state), nil
}

func (f *Folder) Plan() string {
	used := len(f.used())
	plan := fmt.Sprintf("%s, lambda %.6g, %d classes, %s", f.rounds.Method, f.rounds.Lambda,
		len(f.manifest.Classes), plural.Count(used, "shard"))
	if used < len(f.manifest.Shards) {
		plan += " with rows"
	}
	if warning := f.rounds.Warning(); warning != "" {
		plan += "\n" + warning
	}
	return plan
}
