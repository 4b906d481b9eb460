package kernelsvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/solve"
)

// Train trains a kernel support vector machine on the rows of x with the labels y, one for each
// row. It runs Pegasos in its kernelized form (the paper's Fig. 3), then dual coordinate ascent.
// Both solve the problem of [pegasos.Train] with the hinge loss. Two labels make one problem, in
// which the larger is +1. More labels make a problem for each pair of them, or for each label
// against all others.
//
// Train returns the same kinds of errors as [pegasos.Train]: *[pegasos.RowError] for unusable data,
// *[pegasos.ConfigError] for a bad setting, *[pegasos.StepError] for numbers beyond float32. If ctx
// is done before the run ends, Train returns ctx.Err() and the model so far, whose objective, bound
// and gap are NaN, and in which problems that were not begun have no coefficients.
func Train(ctx context.Context, x pegasos.Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// DefaultCacheMB is the default size of the kernel cache, in MB of 10^6 bytes. By default there is
// no cache for rows of zeros and ones in at most 256 columns, whose kernel values are computed as
// fast as they would be read from memory: see docs/kernelised.md.
const DefaultCacheMB = 256

// wordsUncached is the largest number of 64-bit words per row of zeros and ones for which no kernel
// cache is used by default.
const wordsUncached = 4

// Trainer is a Config together with settings that do not influence the model, and with Func, which
// cannot be written to a file.
type Trainer struct {
	Config

	// Func is the kernel; required if Config.Kernel is Function, nil for all other kernels.
	Func Func

	// Threads is the number of goroutines; 0 means GOMAXPROCS. It does not influence the model.
	Threads int

	// CacheMB is the maximum size of the kernel cache in MB of 10^6 bytes. 0 means DefaultCacheMB,
	// or no cache where it would not help; below 0 there is no cache. The cache has kernel values of
	// the problems that are being solved: one for each goroutine, or one in all if there are fewer
	// problems than Threads.
	CacheMB int

	// MaxMemory is the maximum number of bytes that a run may need besides the data and the kernel
	// cache; 0 means 4 GiB. The need is estimated before the run's memory is allocated; a run that
	// needs more is refused with a *[pegasos.ConfigError].
	MaxMemory int64

	// Fingerprint makes Train store a fingerprint of the rows and labels in Model.Data, for Verify.
	Fingerprint bool

	// Progress, if not nil, is called after each epoch of Pegasos, including an incomplete last
	// one, when a pass of dual coordinate ascent begins, and after each problem.
	Progress func(Progress)
}

// Progress reports the state of a run.
type Progress struct {
	Epoch  int   // finished epochs of Pegasos, including an incomplete last one, of the last problem
	Pass   int   // begun passes of dual coordinate ascent of the last problem
	Values int64 // kernel values computed so far, without those read from the cache

	// Objective and relative Gap of the current weight vectors, as in Result; w is 0 in problems that
	// are not begun. Both are NaN if unknown.
	Objective, Gap float64
}

// run is one training run: the problems, which do not depend on each other, and their solutions.
type run struct {
	*trainingSet
	cacheMB   int
	progress  func(Progress)
	solutions []solve.Solution
	values    atomic.Int64 // kernel values computed; see Progress.Values
	reporting sync.Mutex
}

// Train trains a model as the function [Train] does, with the settings of tr.
func (tr *Trainer) Train(ctx context.Context, x pegasos.Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	r, err := newRun(tr, x, y)
	if err == nil {
		err = r.solve(ctx)
	}
	if err != nil {
		return nil, publicError(err)
	}
	stopped := ctx.Err()
	m, err := r.model(tr.Func, stopped == nil)
	if err != nil || stopped != nil {
		return m, cmp.Or(publicError(err), stopped)
	}
	if tr.Fingerprint {
		m.Data = fingerprint(x, y, r.threads, func() bool { return false })
	}
	return m, nil
}

func newRun(tr *Trainer, x pegasos.Examples, y []float32) (*run, error) {
	set, err := newTrainingSet(tr, x, y)
	if err != nil {
		return nil, err
	}
	r := &run{trainingSet: set, cacheMB: tr.CacheMB, progress: tr.Progress,
		solutions: slices.Repeat([]solve.Solution{{Objective: 1}}, len(set.pairs))}
	if r.cacheMB == 0 && !set.rows.AreBits(wordsUncached) {
		r.cacheMB = DefaultCacheMB
	}
	return r, nil
}

// solve solves the problems, each of them in one goroutine if there are enough of them, else one
// after another in all goroutines. It returns early once ctx is done.
func (r *run) solve(ctx context.Context) error {
	outer, inner := r.threads, 1
	if len(r.pairs) < r.threads {
		outer, inner = 1, r.threads
	}
	memories, errs := make([]*solve.Memory, outer), make([]error, len(r.pairs))
	var failed atomic.Bool
	parallel.For(outer, len(r.pairs), func(worker, k int) {
		if failed.Load() || ctx.Err() != nil {
			return
		}
		p, err := r.problem(k)
		if err == nil {
			if memories[worker] == nil {
				memories[worker] = solve.NewMemory(inner, float64(r.cacheMB)/float64(outer), &r.values)
			}
			var found solve.Solution
			found, err = solve.Solve(ctx, p, r.settings(k), memories[worker],
				func(now solve.Solution) { r.report(k, now) })
			r.reporting.Lock()
			r.solutions[k] = found
			r.reporting.Unlock()
		}
		if bad, is := err.(*iterate.Error); is && bad.Row >= 0 {
			bad.Row = int(r.rowOf[bad.Row])
		}
		if errs[k] = err; err != nil {
			failed.Store(true)
		}
	})
	return cmp.Or(errs...)
}

// report records the state of problem k and reports the progress.
func (r *run) report(k int, now solve.Solution) {
	if r.progress == nil {
		return
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.solutions[k] = now
	res := r.result()
	r.progress(Progress{Epoch: now.Epochs, Pass: now.Passes, Values: r.values.Load(),
		Objective: res.Objective, Gap: res.Gap})
}

// result returns the Result of the run so far.
func (r *run) result() Result {
	var res Result
	n := float64(len(r.pairs))
	var sum, bound float64
	for k, f := range r.solutions {
		res.Steps, res.Passes = max(res.Steps, f.Steps), max(res.Passes, f.Passes)
		res.Epochs = max(res.Epochs, float64(f.Steps)/float64(r.count(k)))
		res.Violations += f.Updates
		res.R2 += f.R2 / n
		res.T0 += f.T0 / n
		sum += f.Objective
		bound += f.Bound
		res.PerProblem = append(res.PerProblem, ProblemResult{f.Objective, f.Bound})
	}
	res.Objective, res.DualObjective = sum/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return res
}

// checkMemory returns an error if the estimated memory of the problems, without the data and the
// kernel cache, exceeds limit bytes, or 4 GiB if limit is 0. It must be called before that memory
// is allocated.
func (set *trainingSet) checkMemory(limit int64) error {
	const (
		sliceSize = 96 // bytes for the slices of a class in one of its problems
		perRow    = 8  // bytes for a row of a problem: its coefficient, of the problem and of the model
		solving   = 96 // bytes for a row of a problem that is being solved
	)
	n, rows := float64(len(set.classes)), float64(set.x.Rows())
	problems, states, visited := n, n*n, n*rows // one-vs-rest
	if set.cfg.pairs(len(set.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	what := fmt.Sprintf("%.0f problems, which have %.3g rows in all,", problems, visited)
	live := min(problems, float64(set.threads)) * visited / problems
	return options.Memory(limit, states*sliceSize+visited*perRow+live*solving, what).Err()
}

// lambda returns the weight of the penalty for a problem of the given number of rows, or an error
// if C makes that weight unusable.
func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, rule.Err()
}

const (
	maxRows     = math.MaxInt32
	maxProblems = 1 << 16
)
