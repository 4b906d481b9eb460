package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/parallel"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A validation is the rows in their folds.
type validation struct {
	set     *dataset.Set
	weights []float32 // of the rows, or nil
	memory  int64     // that all runs side by side may take
	folds   int
	fold    []int    // of each row; -1 for those without weight
	sizes   []int    // of the folds
	labels  []string // nil for numbers
	rare    []string // those that some folds lack
	metric  *cvMetric
	warm    bool // runs start from the model of the next larger lambda
}

// deal cuts the rows into folds.
func (v *validation) deal(cfg pegasos.Config) error {
	y := v.set.Y
	if cfg.Loss.Regression() {
		y = make([]float32, len(y)) // as if of one class: plain folds
	}
	v.fold = pegasos.Folds(y, v.weights, v.folds, cfg.Seed)
	v.sizes = make([]int, v.folds)
	rows := map[float32]int{}
	for i, f := range v.fold {
		if f >= 0 {
			v.sizes[f]++
			rows[y[i]]++
		}
	}
	if n := slices.Min(v.sizes); n == 0 {
		return fmt.Errorf("too few rows for %d folds", v.folds)
	}
	if cfg.Loss.Regression() {
		return nil
	}
	var classes []float32
	several := 0
	for label, n := range rows {
		classes = append(classes, label)
		if n > 1 {
			several++
		}
	}
	slices.Sort(classes)
	if several < 2 {
		return fmt.Errorf("want two or more classes of two or more rows each, so that no fold " +
			"takes all of a class")
	}
	for _, label := range classes {
		name := labelName(v.set, label)
		v.labels = append(v.labels, name)
		if rows[label] < v.folds {
			v.rare = append(v.rare, name)
		}
	}
	return nil
}

// run does the runs of all points and folds, several at a time, and fills in the points. No run
// depends on another, unless warm says that each starts from the model of the next larger lambda,
// with the steps of a run that begins. Runs of a given length don't: they would take as long, and
// not be what train does. Nor do runs without a finish: their bound has to forget the start first
// (docs/training.md).
//
// Runs side by side share the memory. If that is too little for one of them, there are half as many
// at a time.
func (v *validation) run(ctx context.Context, grid []cvPoint, threads int, p *progress) error {
	threads = parallel.Threads(threads)
	for atOnce := threads; ; atOnce /= 2 {
		err := v.runSome(ctx, grid, threads, atOnce, p)
		var refused *pegasos.ConfigError
		if atOnce == 1 || !errors.As(err, &refused) || refused.Field != "MaxMemory" {
			return err
		}
	}
}

// runSome is run with at most so many runs at a time.
func (v *validation) runSome(ctx context.Context, grid []cvPoint, threads, atOnce int,
	p *progress) error {
	runs := make([]cvRun, len(grid)*v.folds)
	chains := len(runs) // of runs that depend on each other
	if v.warm {
		chains = v.folds
	}
	atOnce = min(atOnce, chains)
	within := runLimits{threads / atOnce, v.memory / int64(atOnce)}
	var mu sync.Mutex
	done := make([]float64, len(runs)) // the share of each that is
	show := func(i int, share float64) {
		mu.Lock()
		defer mu.Unlock()
		done[i] = share
		var sum float64
		finished := 0
		for _, s := range done {
			sum += s
			if s == 1 {
				finished++
			}
		}
		p.show(sum/float64(len(done)), "%d of %d runs", finished, len(done))
	}
	starts := make([]*pegasos.Model, chains)
	i, err := firstFailure(ctx, atOnce, len(runs), chains, func(ctx context.Context, i int) error {
		c := i % chains
		runs[i] = v.one(ctx, grid[i/v.folds].cfg, i%v.folds, within, starts[c],
			func(share float64) { show(i, share) })
		if runs[i].err == nil {
			starts[c], runs[i].model = runs[i].model, nil
			show(i, 1)
		}
		return runs[i].err
	})
	if err != nil {
		return fmt.Errorf("fold %d of %d: %w", i%v.folds+1, v.folds, err)
	}
	for i := range grid {
		grid[i].sum(runs[i*v.folds:][:v.folds])
	}
	return nil
}

// firstFailure does so many runs, of which c, c+chains, c+2*chains and so on go one after the
// other, several such chains at a time. It returns the first run that fails, by number and not by
// time: when one has failed those after it are cancelled, and those before it go on.
func firstFailure(
	ctx context.Context, threads, runs, chains int, do func(ctx context.Context, i int) error,
) (failed int, err error) {
	contexts, cancels := make([]context.Context, runs), make([]context.CancelFunc, runs)
	for i := range contexts {
		contexts[i], cancels[i] = context.WithCancel(ctx)
		defer cancels[i]()
	}
	errs := make([]error, runs)
	parallel.For(threads, chains, func(_, first int) {
		for i := first; i < runs; i += chains {
			if errs[i] = contexts[i].Err(); errs[i] == nil {
				errs[i] = do(contexts[i], i)
			}
			if errs[i] != nil {
				for _, cancel := range cancels[i+1:] {
					cancel()
				}
				return
			}
		}
	})
	for i, err := range errs {
		if err != nil {
			return i, err
		}
	}
	return 0, nil
}

// one trains without a fold and measures on it.
func (v *validation) one(
	ctx context.Context, cfg pegasos.Config, fold int, within runLimits, start *pegasos.Model,
	progress func(share float64),
) (r cvRun) {
	weights := make([]float32, len(v.fold))
	var total float64
	for i, f := range v.fold {
		if f >= 0 && f != fold {
			weights[i] = v.weight(i)
			total += float64(weights[i])
		}
	}
	began := time.Now()
	tr := pegasos.Trainer{Config: cfg, Threads: within.threads, Weights: weights,
		MaxMemory: within.memory, Start: fresh(start),
		Progress: func(p pegasos.Progress) {
			progress(float64(p.Steps) / float64(p.TotalSteps+1))
		}}
	x := v.set.Examples()
	m, err := tr.Train(ctx, x, v.set.Y)
	if err != nil {
		return cvRun{err: err}
	}
	r = cvRun{seconds: time.Since(began).Seconds(), lambda: m.Lambda, objective: m.Result.Objective,
		gap: m.Result.Gap}
	if v.warm {
		r.model = m
	}
	if m.Result.Weight > 0 {
		total = m.Result.Weight // with those of the classes
	}
	r.c = 1 / (m.Lambda * total)
	p, err := v.predictFold(m, fold)
	if err != nil {
		return cvRun{err: err}
	}
	if r.score = v.metric.of(p); math.IsNaN(r.score) {
		return cvRun{err: v.metric.undefined()}
	}
	return r
}

// fresh returns the model as one that has taken no steps, for a run that starts from its weights
// but takes the steps of one that begins.
func fresh(m *pegasos.Model) *pegasos.Model {
	if m == nil {
		return nil
	}
	f := *m
	f.Result.Steps = 0
	f.Result.PerClass = slices.Clone(m.Result.PerClass)
	for k := range f.Result.PerClass {
		f.Result.PerClass[k].Steps = 0
	}
	return &f
}

func (v *validation) weight(i int) float32 {
	if v.weights == nil {
		return 1
	}
	return v.weights[i]
}

// runLimits are what a run may take of the machine.
type runLimits struct {
	threads int
	memory  int64 // in bytes, beside the data
}

// A cvRun is the training of a point without one fold.
type cvRun struct {
	score, lambda, c, objective, gap, seconds float64
	model                                     *pegasos.Model // for the next run
	err                                       error
}
