package kernelsvm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/solve"
)

type run struct {
	*trainingSet
	cacheMB   int
	progress  func(Progress)
	solutions []solve.Solution
	values    atomic.Int64
	reporting sync.Mutex
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

// solve solves one problem per goroutine or, if there are fewer problems than threads, one problem
// at a time in all goroutines. It returns early once ctx is done.
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

func (r *run) model(f Func, finished bool) (*Model, error) {
	for k := range r.solutions {
		// safety margin, since verification adds in another order
		s := &r.solutions[k]
		s.Bound = max(0, s.Bound-float64(1e-12*s.Objective))
	}
	m := &Model{Classes: slices.Clone(r.classes), Config: r.cfg, Lambda: r.lambda, Func: f,
		Result: r.result()}
	if nan := math.NaN(); !finished {
		m.Result.Objective, m.Result.DualObjective, m.Result.Gap = nan, nan, nan
		m.Result.PerProblem = nil
	}
	notFinite := func(what string) error {
		return &iterate.Error{Step: m.Result.Steps, Row: -1,
			Reason: what + " is not finite: " + store.TooLarge}
	}
	var at []int32
	for c := range r.classes {
		at = append(at, r.addSupport(m, c)...)
	}
	for _, s := range r.solutions {
		if floats.FirstNotFinite(s.Coef) >= 0 {
			return nil, notFinite("a coefficient")
		}
	}
	m.rows = store.TakeMatrix(r.rows.Matrix, at)
	if !finished || r.partial {
		return m, nil
	}
	for _, p := range m.Result.PerProblem {
		if err := proof.Check(p.Objective, p.DualObjective); err != nil {
			return nil, fmt.Errorf("kernelsvm: %w", err)
		}
	}
	if !floats.IsFinite(m.Result.Objective) {
		return nil, notFinite("the objective")
	}
	return m, nil
}

// addSupport appends the number of class c's support rows and their coefficients to m. It returns
// the rows' indices in r.rows.Matrix.
func (r *run) addSupport(m *Model, c int) (at []int32) {
	var own [][]float32                 // by slot: coefficients from the class's first row on
	rows := r.starts[c+1] - r.starts[c] // 0 if no step visits the class
	for slot := range r.cfg.slots(len(r.classes)) {
		k := r.cfg.problem(len(r.classes), c, slot)
		own = append(own, nil)
		if coef := r.solutions[k].Coef; coef != nil && rows > 0 {
			own[slot] = coef[r.number(k, int32(r.starts[c])):]
		}
	}
	var support []int // rows of the class
	for i := range rows {
		if !slices.ContainsFunc(own, func(coef []float32) bool { return coef != nil && coef[i] != 0 }) {
			continue
		}
		at, support = append(at, r.rows.At[r.starts[c]+i]), append(support, i)
	}
	var all []float32
	if len(support) > 0 {
		all = make([]float32, 0, len(own)*len(support))
	}
	for _, coef := range own {
		for _, i := range support {
			a := float32(0)
			if coef != nil {
				a = coef[i]
			}
			all = append(all, a)
		}
	}
	m.counts, m.coef = append(m.counts, len(at)), append(m.coef, all)
	return at
}
