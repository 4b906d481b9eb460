package kernelsvm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/labels"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/solve"
)

// Verification matches the support rows with rows of the data and computes float64 scores. The
// coefficients times label, lambda and the number of rows, clamped to [0, 1], are dual variables.

// Verify recomputes the objective of m and a lower bound on the optimum from the rows of x and the
// labels y, and compares them with the Result of m. Of tr only Threads and MaxMemory are used. A
// model whose Kernel is Function cannot be verified.
func (tr *Trainer) Verify(ctx context.Context, m *Model, x pegasos.Examples, y []float32) (
	*pegasos.Verification, error,
) {
	misuse.Context(ctx)
	r, err := tr.verifyRun(m, x, y)
	if err != nil {
		return nil, publicError(err)
	}
	claimed := m.Result
	v := &pegasos.Verification{Hash: m.Hash(), Claimed: pegasos.Result{Objective: claimed.Objective,
		DualObjective: claimed.DualObjective, Gap: claimed.Gap}}
	v.Data = store.Fingerprint(x, y, r.threads, func() bool { return ctx.Err() != nil })
	_, have, _ := strings.Cut(v.Data, ":")
	_, want, known := strings.Cut(m.Data, ":") // the layout before the colon may differ
	if v.Known = known && have == want; m.Data != "" && !v.Known {
		why := "they have other rows or labels, or another order"
		if m.Table != nil {
			why += ", or the model's table was changed"
		}
		v.Contradict("the data are not the model's training data: %s", why)
	}
	coef, unmatched := r.matchSupport(m)
	if unmatched > 0 {
		v.Contradict("support rows that match no row of their class in the data: %d", unmatched)
	}
	errs := make([]float64, len(r.pairs))
	set := solve.Settings{Bounded: r.cfg.bounded(), Tol: r.cfg.Tol}
	for k := range r.pairs {
		p, err := r.problem(k)
		if err != nil {
			return nil, publicError(err)
		}
		r.solutions[k], errs[k] = p.Remeasure(ctx, coef[k], set, r.threads)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	found := r.result()
	v.Objective, v.Bound, v.Gap = found.Objective, found.DualObjective, found.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, fmt.Errorf("kernelsvm: the objective is %v: the rows or the model's coefficients "+
			"are too large", v.Objective)
	}
	if m.Lambda != r.lambda {
		v.Contradict("the model's config and the data give lambda %v, but its lambda is %v", r.lambda,
			m.Lambda)
	}
	unconfirmed := checkClaims(v, m, found, errs)
	if m.wrongGap != "" {
		v.Contradict("%s", m.wrongGap)
	}
	v.Verdict = pegasos.Verdict(proof.Verdict(len(v.Reasons), claimed.claim(), unconfirmed))
	return v, nil
}

func (tr *Trainer) verifyRun(m *Model, x pegasos.Examples, y []float32) (*run, error) {
	c := m.Config
	if c.Kernel == Function {
		return nil, errors.New("kernelsvm: the model's kernel is a Go function, which can't be verified")
	}
	if x.Cols() != m.Cols() {
		return nil, fmt.Errorf("kernelsvm: the rows have %s, the model has %d",
			plural.Count(x.Cols(), "feature"), m.Cols())
	}
	inner := &Trainer{Threads: tr.Threads, MaxMemory: tr.MaxMemory, CacheMB: -1,
		Config: Config{Kernel: c.Kernel, Gamma: c.Gamma, Coef0: c.Coef0, Degree: c.Degree,
			Lambda: c.Lambda, C: c.C, Multiclass: c.Multiclass}}
	r, err := newRun(inner, x, y)
	if err != nil {
		return nil, options.OfModel("kernelsvm", err)
	}
	for _, label := range r.classes {
		if _, found := labels.Find(m.Classes, label); !found {
			return nil, fmt.Errorf("kernelsvm: the label %v of the rows is not a class of the model",
				label)
		}
	}
	for k, class := range m.Classes {
		if _, found := labels.Find(r.classes, class); !found {
			return nil, fmt.Errorf("kernelsvm: no row has the label %s, a class of the model",
				escape.Name(escape.Cut(m.ClassName(k))))
		}
	}
	return r, nil
}

// matchSupport returns, by problem, the model's coefficients for the rows of the run. unmatched is
// the number of support rows that match no row of their class.
func (r *run) matchSupport(m *Model) (coef [][]float64, unmatched int) {
	type key struct {
		class int
		hash  uint64
	}
	all := func() bool { return false }
	hashes := store.Hashes(r.x, r.threads, all)
	rows := map[key][]int32{}
	for c := range r.classes {
		for p := r.starts[c]; p < r.starts[c+1]; p++ {
			k := key{c, hashes[r.rowOf[p]]}
			rows[k] = append(rows[k], int32(p))
		}
	}
	for k := range r.pairs {
		coef = append(coef, make([]float64, r.count(k)))
	}
	hashes = store.Hashes(m.SupportRows(), r.threads, all)
	i := 0
	for c, count := range m.counts {
		for j := range count {
			k := key{c, hashes[i]}
			at := slices.IndexFunc(rows[k], func(p int32) bool {
				return kernel.RowOf(m.rows, i).Equal(kernel.RowOf(r.rows.Matrix, int(r.rows.At[p])))
			})
			i++
			if at < 0 {
				unmatched++
				continue
			}
			p := rows[k][at]
			rows[k] = slices.Delete(rows[k], at, at+1)
			m.eachProblem(c, func(problem int, own []float32) {
				coef[problem][r.number(problem, p)] = float64(own[j])
			})
		}
	}
	return coef, unmatched
}

// errs[k] is the largest plausible difference between the objectives that training and
// verification compute for problem k.
func checkClaims(v *pegasos.Verification, m *Model, found Result,
	errs []float64) (unconfirmed bool) {
	claimed := m.Result
	if math.IsNaN(claimed.Objective) {
		return true
	}
	if len(claimed.PerProblem) != len(found.PerProblem) {
		v.Contradict("the model has results of %s, want %d", plural.Count(len(claimed.PerProblem),
			"problem"), len(found.PerProblem))
		return true
	}
	t := proof.Comparison{Contradict: v.Contradict}
	for k, p := range claimed.PerProblem {
		of := proof.ProblemSuffix("problem", k, len(errs))
		c, now := proof.Claim(p), proof.Claim(found.PerProblem[k])
		t.Objective(of, c.Objective, now.Objective, c.Tolerance()+1e-12, errs[k])
		if t.Bound(of, c, now); !now.AsGood(c) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
	}
	t.Means(claimed.claim())
	t.All(claimed.claim(), found.claim())
	return t.Unsure
}
