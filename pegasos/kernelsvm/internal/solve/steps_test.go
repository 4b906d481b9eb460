package solve

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// The labels y are 0 or 1. The settings are those of one epoch of Pegasos in the given order.
func problemOf(t *testing.T, f kernel.Function, x store.Examples, y []float32, lambda float64,
	kind string) (*Problem, Settings) {
	t.Helper()
	n := len(y)
	var at []int32
	for class := range 2 {
		for i, label := range y {
			if int(label) == class {
				at = append(at, int32(i))
			}
		}
	}
	count := slices.IndexFunc(at, func(i int32) bool { return y[i] == 1 })
	m, ok := store.MatrixOf(x)
	rows := kernel.NewRows(f, m, at, []int{count, n - count})
	if bad := rows.Measure(); bad >= 0 || !ok {
		t.Fatalf("Measure refuses row %d; the rows are a matrix: %v", bad, ok)
	}
	set := Settings{Visits: order.New(kind, n, 0, 0, 5), Visit: make([]int32, n), Total: int64(n),
		Measured: true, Problems: 1}
	for p, i := range at {
		set.Visit[i] = int32(p)
	}
	return NewProblem(rows, n, lambda, func(group int) float64 { return float64(2*group - 1) }), set
}

// The test computes margins with the factor 1/(lambda (t-1)), not Fig. 3's 1/(lambda t).
func TestFigure3(t *testing.T) {
	const rows, steps, lambda = 60, 400, 0.01
	data := sample.Random(3, rows, 5, 2, 1)
	none := func(Solution) {}
	for _, f := range []kernel.Function{
		{Kind: kernel.RBF, Gamma: 0.3}, {Kind: kernel.Linear},
		{Kind: kernel.Polynomial, Gamma: 0.5, Coef0: 1, Degree: 3},
		// a coef0 for which the model is better than w = 0
		{Kind: kernel.Sigmoid, Gamma: 0.1, Coef0: 0.5},
	} {
		p, set := problemOf(t, f, data.Dense, data.Y, lambda, order.IID)
		set.Total = steps
		var computed atomic.Int64
		s := newSolver(p, set, NewMemory(1, 0, &computed), none)
		k := func(i, j int) float64 {
			values := [1][]float64{make([]float64, kernel.TileRows)}
			var some kernel.Rows
			p.Rows.Select(&some, []int32{int32(i)})
			kernel.Values(&some, values[:], []kernel.Probe{p.Rows.Probe(j)}, 0)
			return values[0][0]
		}
		draws := order.New(order.IID, rows, 0, 0, 5)
		alpha, violations := make([]float64, rows), 0
		scoreOf := func(i int) (sum float64) {
			for j, a := range alpha {
				if a != 0 {
					sum += a * p.Sign[j] * k(i, j)
				}
			}
			return sum
		}
		for step := 1; step <= steps; step++ {
			idx := draws.Next(1)
			i := int(set.Visit[idx[0]])
			if step == 1 || p.Sign[i]*scoreOf(i)/(lambda*float64(step-1)) < 1 {
				alpha[i]++
				violations++
			}
			if err := s.pegasosSteps(idx); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(s.alpha, alpha) {
				t.Fatalf("%s: step %d: alphas %v, want %v", f.Kind, step, s.alpha, alpha)
			}
		}
		if violations == steps || violations < steps/10 {
			t.Errorf("%s: %d violations of %d steps: too few or too many for a test", f.Kind,
				violations, steps)
		}
		set.Visits = order.New(order.IID, rows, 0, 0, 5)
		found, err := Solve(context.Background(), p, set, NewMemory(1, 0, &computed), none)
		if err != nil || found.Updates != int64(violations) {
			t.Errorf("%s: %d violations, want %d; %v", f.Kind, found.Updates, violations, err)
		}
		coef := s.coefficients(s.mean())
		if !slices.Equal(toFloat32(coef), found.Coef) {
			t.Errorf("%s: blocks of one row and of many rows give different models", f.Kind)
		}
		for i, score := range p.model(context.Background(), coef, 1).score {
			have, want := score/p.dualScale(), scoreOf(i)/(lambda*steps)
			if math.Abs(have-want) > 1e-4*(1+math.Abs(want)) {
				t.Fatalf("%s: score %d is %v, want %v", f.Kind, i, have, want)
			}
		}
	}
}

func TestMean(t *testing.T) {
	data := sample.Random(4, 300, 6, 2, 1)
	p, set := problemOf(t, kernel.Function{Kind: kernel.RBF, Gamma: 0.3}, data.Dense, data.Y, 1e-3,
		order.Permutation)
	set.Total, set.Average = 900, true
	s := newSolver(p, set, NewMemory(2, 0, new(atomic.Int64)), func(Solution) {})
	sum := make([]float64, 300)
	for i := range set.Total {
		if err := s.pegasosSteps(s.Visits.Next(1)); err != nil {
			t.Fatal(err)
		}
		for j, a := range s.alpha {
			if i >= set.Total/2 {
				sum[j] += a / s.scale() / float64(set.Total-set.Total/2)
			}
		}
	}
	w := s.mean()
	exact := p.model(context.Background(), p.coefficients(w), 1)
	for i, want := range sum {
		if have := w.alpha[i] / w.scale; math.Abs(have-want) > 1e-12*(1+want) {
			t.Fatalf("alpha %d: %v, want %v", i, have, want)
		}
		have, want := w.score[i]/w.scale, exact.score[i]/exact.scale
		if math.Abs(have-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("score %d: %v, want %v", i, have, want)
		}
	}
	s.measure(w, s.updatedErrors(w, p.Rows.Error.WithRoundedWeights()), 0)
	objective, off := s.Objective, s.objectiveError
	s.Problems = 0 // makes measureModel estimate a cost of 0
	if s.measureModel(p.coefficients(w)); !(math.Abs(objective-s.Objective) <= off) || off > 1e-3 {
		t.Errorf("objective %v +- %v, but %v from float64 scores", objective, off, s.Objective)
	}
}

// TestCosts compares the solver, which updates all scores, with computing each step's score from
// the current support rows.
func TestCosts(t *testing.T) {
	const epochs = 3
	data := sample.Random(18, 3000, 10, 2, 1)
	var x store.Examples = data.Dense
	y, f, lambda := data.Y, kernel.Function{Kind: kernel.RBF, Gamma: 0.2}, 1e-3
	if dir := sample.DataDir(t); dir != "" && !testing.Short() {
		x, y = sample.ReadSet(t, dir, "a9a/a9a.svm.gz", 123)
		for i, v := range y {
			y[i] = max(0, v)
		}
		f.Gamma, lambda = 0.05, 3.07e-5
	}
	n := float64(x.Rows())
	var taken [3][epochs]float64 // kernel rows: no cache, 256 MB, scores computed anew
	for i, cacheMB := range []float64{-1, 256} {
		p, set := problemOf(t, f, x, y, lambda, order.Permutation)
		set.Total, set.Offset = epochs*int64(n), true
		var computed atomic.Int64
		_, err := Solve(context.Background(), p, set, NewMemory(2, cacheMB, &computed),
			func(now Solution) { taken[i][now.Epochs-1] = float64(computed.Load()) / n })
		if err != nil {
			t.Fatal(err)
		}
	}
	p, set := problemOf(t, f, x, y, lambda, order.Permutation)
	set.Total, set.Offset = epochs*int64(n), true
	s := newSolver(p, set, NewMemory(2, 0, new(atomic.Int64)), func(Solution) {})
	for epoch := range epochs {
		if epoch > 0 {
			taken[2][epoch] = taken[2][epoch-1]
		}
		for done := 0; done < x.Rows(); {
			idx := s.Visits.Next(blockRows)
			done += len(idx)
			support := 0
			for _, a := range s.alpha {
				if a > 0 {
					support++
				}
			}
			taken[2][epoch] += float64(support) * float64(len(idx)) / n
			if err := s.pegasosSteps(idx); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("after epoch %d: %.0f rows of kernel values without a cache, %.0f with one of 256 MB, "+
			"%.0f if each score were computed anew",
			epoch+1, taken[0][epoch], taken[1][epoch], taken[2][epoch])
		if epoch == 0 && taken[0][0] > 2.5*taken[2][0] || epoch > 0 && taken[1][epoch]-
			taken[1][epoch-1] > taken[2][epoch]-taken[2][epoch-1] {
			t.Errorf("epoch %d: updating all scores takes too many kernel values", epoch+1)
		}
	}
}
