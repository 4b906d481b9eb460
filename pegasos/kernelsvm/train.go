package kernelsvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
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
	// or no cache where it would not help; below 0 there is no cache. Problems are solved one after
	// another, with at least as many problems as Threads each goroutine one of its own, and the cache
	// has kernel values of those that are being solved.
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

	// Objective and Gap (relative, as in Result) are those of the current weight vectors, w = 0 for
	// problems that are not begun; NaN if unknown.
	Objective, Gap float64
}

// run is one training run: the problems, which do not depend on each other, and their solutions.
type run struct {
	*trainingSet
	cacheMB   int
	progress  func(Progress)
	problems  []*problem
	solutions []solution
	values    atomic.Int64 // kernel values computed; see Progress.Values
	reporting sync.Mutex
}

// Train trains a model as the function [Train] does, with the settings of tr.
func (tr *Trainer) Train(ctx context.Context, x pegasos.Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	r, err := newRun(tr, x, y)
	if err != nil {
		return nil, err
	}
	if err := r.solve(ctx); err != nil {
		return nil, err
	}
	stopped := ctx.Err()
	m, err := r.model(stopped == nil)
	if err != nil || stopped != nil {
		return m, cmp.Or(err, stopped)
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
	r := &run{trainingSet: set, cacheMB: tr.CacheMB, progress: tr.Progress}
	if r.cacheMB == 0 && (set.store.words == nil || set.store.width > wordsUncached) {
		r.cacheMB = DefaultCacheMB
	}
	for _, classes := range set.cfg.pairsOf(len(set.classes)) {
		p, err := newProblem(set, classes[0], classes[1])
		if err != nil {
			return nil, err
		}
		r.problems = append(r.problems, p)
		r.solutions = append(r.solutions, solution{objective: 1})
	}
	return r, nil
}

// solve solves the problems, each of them in one goroutine if there are enough of them, else one
// after another in all goroutines. It returns early once ctx is done.
func (r *run) solve(ctx context.Context) error {
	outer, inner := r.threads, 1
	if len(r.problems) < r.threads {
		outer, inner = 1, r.threads
	}
	solvers, errs := make([]*solver, outer), make([]error, len(r.problems))
	var failed atomic.Bool
	parallel.For(outer, len(r.problems), func(worker, k int) {
		if failed.Load() || ctx.Err() != nil {
			return
		}
		p := r.problems[k]
		s := newSolver(p, r.cfg)
		if last := solvers[worker]; last != nil {
			s.cache, s.block, s.workers = last.cache, last.block, last.workers
		} else {
			s.cache, s.block = newCache(float64(r.cacheMB)/float64(outer)), newBlock()
			for range inner {
				s.workers = append(s.workers, &tileWorker{buffer: make([]float32,
					tileProbes*tileRows)})
			}
		}
		if solvers[worker] == nil || p.first >= 0 { // all problems of one-vs-rest have the same rows
			s.cache.reset(p.size)
		}
		s.threads, s.values = inner, &r.values
		s.report = func(now solution) { r.report(k, now) }
		solvers[worker] = s
		if errs[k] = s.solve(ctx, !r.partial); errs[k] != nil {
			failed.Store(true)
		}
		r.reporting.Lock()
		r.solutions[k] = s.solution
		r.reporting.Unlock()
	})
	return cmp.Or(errs...)
}

// report records the state of problem k and reports the progress.
func (r *run) report(k int, now solution) {
	if r.progress == nil {
		return
	}
	r.reporting.Lock()
	defer r.reporting.Unlock()
	r.solutions[k] = now
	res := r.result()
	r.progress(Progress{Epoch: now.epochs, Pass: now.passes, Values: r.values.Load(),
		Objective: res.Objective, Gap: res.Gap})
}

// result returns the Result of the run so far.
func (r *run) result() Result {
	var res Result
	n := float64(len(r.problems))
	var sum, bound float64
	for k, f := range r.solutions {
		res.Steps, res.Passes = max(res.Steps, f.steps), max(res.Passes, f.passes)
		res.Epochs = max(res.Epochs, float64(f.steps)/float64(r.problems[k].rows))
		res.Violations += f.updates
		res.R2 += r.problems[k].r2 / n
		res.T0 += f.t0 / n
		sum += f.objective
		bound += f.bound
		res.PerProblem = append(res.PerProblem, ProblemResult{f.objective, f.bound})
	}
	res.Objective, res.DualObjective = sum/n, bound/n
	res.Gap = proof.Gap(res.Objective, res.DualObjective)
	return res
}

// checkColumns returns an error if x.Cols() is negative or too large, or if vectors of that length
// need more memory than MaxMemory.
func (tr *Trainer) checkColumns(x pegasos.Examples) error {
	if err := store.CheckExamples(x); err != nil {
		return err
	}
	what := fmt.Sprintf("vectors of %d features", x.Cols())
	most := cmp.Or(tr.MaxMemory, options.Allowed)
	return check([]options.Rule{options.Memory(most, store.MinMemory(x), what)})
}

// checkMemory returns an error if the estimated memory of the problems, without the data and the
// kernel cache, exceeds limit bytes, or 4 GiB if limit is 0. It must be called before that memory
// is allocated.
func (set *trainingSet) checkMemory(limit int64) error {
	const (
		sliceSize = 96 // bytes for the slices of a class in one of its problems
		perRow    = 8  // bytes for a row of a problem: its coefficient, of the problem and of the model
		solving   = 64 // bytes for a row of a problem that is being solved
	)
	n, rows := float64(len(set.classes)), float64(set.rows)
	problems, states, visited := n, n*n, n*rows // one-vs-rest
	if set.cfg.pairs(len(set.classes)) {
		problems, states, visited = n*(n-1)/2, n*(n-1), (n-1)*rows
	}
	what := fmt.Sprintf("%.0f problems, which have %.3g rows in all,", problems, visited)
	live := min(problems, float64(set.threads)) * visited / problems
	return check([]options.Rule{options.Memory(limit,
		states*sliceSize+visited*perRow+live*solving, what)})
}

// lambda returns the weight of the penalty for a problem of the given number of rows, or an error
// if C makes that weight unusable.
func (cfg Config) lambda(rows float64) (float64, error) {
	lambda, rule := options.LambdaFor(cfg.Lambda, cfg.C, rows)
	return lambda, check([]options.Rule{rule})
}

const (
	maxRows     = math.MaxInt32
	maxProblems = 1 << 16
)

// pairsOf returns the classes of every problem's labels -1 and +1: each pair of classes, or -1 and
// each class.
func (cfg Config) pairsOf(classes int) (all [][2]int) {
	if !cfg.pairs(classes) {
		for c := range classes {
			all = append(all, [2]int{-1, c})
		}
	}
	for a := range classes {
		for b := a + 1; b < classes && cfg.pairs(classes); b++ {
			all = append(all, [2]int{a, b})
		}
	}
	return all
}
