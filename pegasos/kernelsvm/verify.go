package kernelsvm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Verification matches the support rows with rows of the data and computes the scores of all rows
// from float64 kernel values. The coefficients times lambda and the number of rows, clamped to [0,
// 1], are dual variables: they give a lower bound that does not depend on the training run.

// Verify recomputes the objective of m and a lower bound on the optimum from the rows of x and the
// labels y, and compares them with the Result of m: see [pegasos.Trainer.Verify]. Of tr only
// Threads and MaxMemory are used. It computes the float64 kernel of all rows with all support rows.
// A model whose Kernel is Function cannot be verified.
func (tr *Trainer) Verify(ctx context.Context, m *Model, x pegasos.Examples, y []float32) (
	*pegasos.Verification, error,
) {
	misuse.Context(ctx)
	r, err := tr.verifyRun(m, x, y)
	if err != nil {
		return nil, err
	}
	claimed := m.Result
	v := &pegasos.Verification{Hash: m.Hash(), Claimed: pegasos.Result{Objective: claimed.Objective,
		DualObjective: claimed.DualObjective, Gap: claimed.Gap}}
	v.Data = fingerprint(x, y, r.threads, func() bool { return ctx.Err() != nil })
	_, have, _ := strings.Cut(v.Data, ":")
	_, want, known := strings.Cut(m.Data, ":") // the part before it, the layout, is allowed to differ
	if v.Known = known && have == want; m.Data != "" && !v.Known {
		v.Contradict("the data are not those that the model was trained on: other rows or " +
			"labels, or another order")
	}
	coef, unmatched := r.matchSupport(m)
	if unmatched > 0 {
		v.Contradict("%d support rows are not among the data's rows of their class", unmatched)
	}
	errors := make([]float64, len(r.problems))
	for k := range r.problems {
		errors[k] = r.remeasure(ctx, k, coef[k])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	found := r.result()
	v.Objective, v.Bound, v.Gap = found.Objective, found.DualObjective, found.Gap
	if !(v.Objective < math.Inf(1)) {
		return nil, fmt.Errorf("kernelsvm: the objective is not finite: %s", tooLarge)
	}
	if m.Lambda != r.lambda {
		v.Contradict("lambda is %v, not %v", r.lambda, m.Lambda)
	}
	unconfirmed := checkClaims(v, m, found, errors)
	if m.wrongGap != "" {
		v.Contradict("%s", m.wrongGap)
	}
	v.Verdict = pegasos.Verdict(proof.Verdict(len(v.Reasons), claimed.claim(), unconfirmed))
	return v, nil
}

// verifyRun returns a run on x and y with the model's problems. The run is to take no steps.
func (tr *Trainer) verifyRun(m *Model, x pegasos.Examples, y []float32) (*run, error) {
	c := m.Config
	if c.Kernel == Function {
		return nil, badField("Kernel", "have %q: a kernel defined by the caller can't be verified",
			Function)
	}
	if x.Cols() != m.Cols() {
		return nil, fmt.Errorf("kernelsvm: the rows have %d features, the model has %d", x.Cols(),
			m.Cols())
	}
	inner := &Trainer{Threads: tr.Threads, MaxMemory: tr.MaxMemory, CacheMB: -1,
		Config: Config{Kernel: c.Kernel, Gamma: c.Gamma, Coef0: c.Coef0, Degree: c.Degree,
			Lambda: c.Lambda, C: c.C, Multiclass: c.Multiclass}}
	r, err := newRun(inner, x, y)
	if err == nil && !slices.Equal(r.classes, m.Classes) {
		err = fmt.Errorf("kernelsvm: the rows have the labels %v, want those of the model, %v",
			r.classes, m.Classes)
	}
	return r, err
}

// fingerprint returns the layout of x ("dense", "sparse" or "other"), a colon, and a hash of the
// rows and labels in hexadecimal.
func fingerprint(x pegasos.Examples, y []float32, threads int, stop func() bool) string {
	h := sha256.New()
	fmt.Fprintln(h, x.Rows(), x.Cols())
	modelfile.WriteNumbers(h, y)
	modelfile.WriteNumbers(h, store.Hashes(x, threads, stop))
	return store.Kind(x) + ":" + hex.EncodeToString(h.Sum(nil))
}

// matchSupport returns the model's coefficients for the rows of the run, by problem, and the number
// of support rows that match no row of their class. Each row matches at most one support row.
func (r *run) matchSupport(m *Model) (coef [][]float64, unmatched int) {
	type key struct {
		class int32
		hash  uint64
	}
	all := func() bool { return false }
	rows := map[key][]int{}
	for i, h := range store.Hashes(r.x, r.threads, all) {
		p := int(r.pos[i])
		c := slices.IndexFunc(r.groups, func(g span) bool { return g.has(p) })
		k := key{int32(c), h}
		rows[k] = append(rows[k], p)
	}
	for _, p := range r.problems {
		coef = append(coef, make([]float64, p.size))
	}
	hashes, first := store.Hashes(m.SupportRows(), r.threads, all), 0
	for c, count := range m.counts {
		own := classSlices(r, coef, c)
		for j := range count {
			k := key{int32(c), hashes[first+j]}
			at := slices.IndexFunc(rows[k], func(p int) bool {
				return sameRow(m.rows, first+j, r.store.matrix, int(r.store.at[p]))
			})
			if at < 0 {
				unmatched++
				continue
			}
			p := rows[k][at]
			rows[k] = slices.Delete(rows[k], at, at+1)
			for s := range own {
				own[s][p-r.groups[c].start] = float64(m.coef[c][s][j])
			}
		}
		first += count
	}
	return coef, unmatched
}

// sameRow reports whether row i of x and row j of z have equal nonzero values in equal columns.
func sameRow(x store.Rows, i int, z store.Rows, j int) bool {
	var a, b rowBuffer
	index, values := a.nonzeros(x.Row(i))
	index2, values2 := b.nonzeros(z.Row(j))
	return slices.Equal(index, index2) && slices.Equal(values, values2)
}

// remeasure recomputes the objective and the lower bound of problem k from the coefficients coef,
// and returns by how much the objective may differ from the one that training computed. For the
// bound it clamps coefficients whose dual variables are outside [0, 1].
func (r *run) remeasure(ctx context.Context, k int, coef []float64) (off float64) {
	s := &solver{problem: r.problems[k], cfg: r.cfg, threads: r.threads}
	scale, alpha := s.dualScale(), make([]float64, len(coef))
	tally := func(values errorBound, score []float64) tally {
		return s.tally(alpha, score, scale, s.errorsOf(alpha, values, 4*unit64))
	}
	scores := func() []float64 {
		for i, a := range coef {
			_, sign := s.row(i)
			alpha[i] = float64(float64(sign*a) * scale)
		}
		score := s.scores64(ctx, coef)
		for i := range score {
			score[i] *= scale
		}
		return score
	}
	rough := r.bound32
	rough.product += 2 * more * unit
	score := scores()
	t := tally(rough, score)
	_, off = s.measure(&t, scale)
	t = tally(r.bound64, score)
	s.objective, s.objectiveError = s.measure(&t, scale)
	s.gap = s.measuredGap(&t, s.objective)
	if slices.Min(alpha) < 0 || slices.Max(alpha) > 1 {
		s.gap = math.Inf(1)
		for i, a := range alpha {
			_, sign := s.row(i)
			coef[i] = float64(sign*roundAlpha(max(0, min(a, 1)), scale)) / scale
		}
		t = tally(r.bound64, scores())
	}
	s.raiseLowerDual(&t, s.problem)
	s.setBound(r.cfg)
	r.solutions[k] = s.solution
	return 2*off + 1e-12 + s.objectiveError
}

// checkClaims compares the recomputed Result with the claimed one, for each problem and for the
// mean, and adds contradictions to v. errors[k] is the largest plausible difference between the
// objectives that training and verification compute for problem k. It reports whether a claim could
// not be confirmed.
func checkClaims(v *pegasos.Verification, m *Model, found Result,
	errors []float64) (unconfirmed bool) {
	claimed := m.Result
	if math.IsNaN(claimed.Objective) {
		return true
	}
	if len(claimed.PerProblem) != len(found.PerProblem) {
		v.Contradict("the model has claims on %d problems, but has %d problems",
			len(claimed.PerProblem), len(found.PerProblem))
		return true
	}
	t := proof.Comparison{Contradict: v.Contradict}
	for k, p := range claimed.PerProblem {
		of := proof.ProblemSuffix("problem", k, len(errors))
		c, now := proof.Claim(p), proof.Claim(found.PerProblem[k])
		t.Objective(of, c.Objective, now.Objective, c.Tolerance()+1e-12, errors[k])
		if t.Bound(of, c, now); !now.AsGood(c) {
			v.Unconfirmed = append(v.Unconfirmed, k)
		}
	}
	t.Means(claimed.claim())
	t.All(claimed.claim(), found.claim())
	return t.Unsure
}
