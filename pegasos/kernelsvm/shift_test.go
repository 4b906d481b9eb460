package kernelsvm

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// shifted rounds to eighths so that adding shift is exact.
func shifted(x *dense.Matrix, shift float32) *dense.Matrix {
	d := dense.New(x.Rows(), x.Cols())
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			d.Row(i)[j] = float32(math.Round(8*float64(v)))/8 + shift
		}
	}
	return d
}

func TestShiftedRows(t *testing.T) {
	p := sample.Random(20, 200, 8, 2, 1)
	for _, gamma := range []float64{0.07, 0} {
		cfg := Config{Gamma: gamma, C: 10, Tol: 0.002, Passes: 1000}
		at := mustTrain(t, shifted(p.Dense, 0), p.Y, Trainer{Config: cfg})
		right := accuracy(at, shifted(p.Dense, 0), p.Y)
		for _, shift := range []float32{100, 1000, 4000, -30000} {
			x := shifted(p.Dense, shift)
			for form, x := range map[string]pegasos.Examples{"dense": x,
				"sparse": sample.ToSparse(x)} {
				m := mustTrain(t, x, p.Y, Trainer{Config: cfg})
				r := m.Result
				if g := m.Config.Gamma; math.Abs(g/at.Config.Gamma-1) > 1e-6 {
					t.Errorf("shift %v, %s: gamma %v, want %v", shift, form, g, at.Config.Gamma)
				}
				// Dot products of sparse rows lose precision even in float64.
				tol := cfg.Tol
				if form == "sparse" && shift == -30000 {
					tol = 0.03
				}
				if math.Abs(r.Objective/at.Result.Objective-1) > 0.004 || !(r.Gap <= tol) {
					t.Errorf("shift %v, %s: %+v, want about %+v", shift, form, r, at.Result)
				}
				if a := accuracy(m, x, p.Y); math.Abs(a-right) > 0.02 {
					t.Errorf("shift %v, %s: accuracy %v, want about %v", shift, form, a, right)
				}
			}
		}
	}
}

// No model may be worse than w = 0, even if large kernel values stop coordinate ascent far from the
// optimum, or the kernel is not an inner product.
func TestNoWorseThanZero(t *testing.T) {
	p := sample.Random(22, 150, 6, 2, 1)
	for _, c := range []struct {
		cfg   Config
		shift float32
	}{
		{Config{Kernel: Linear, Passes: 5}, 1000}, {Config{Kernel: Linear}, 30000},
		{Config{Kernel: Linear, Finish: pegasos.FinishNone}, 1000},
		{Config{Kernel: Polynomial, Gamma: 1, Passes: 3}, 100},
		{Config{Kernel: Sigmoid, Gamma: 0.01, Coef0: -1, C: 1}, 0},
		{Config{Kernel: Sigmoid, Gamma: 0.01, Coef0: -1, C: 1, Order: pegasos.IID}, 0},
		{Config{Gamma: 0.1, Lambda: 1e-6, Finish: pegasos.FinishNone, Epochs: 1}, 0},
	} {
		x := shifted(p.Dense, c.shift)
		m := mustTrain(t, x, p.Y, Trainer{Config: c.cfg})
		q := smallProblem{x: x, y: p.Y, cfg: c.cfg}
		w, coef := q.problem(m, 0)
		truth, off := w.objective(coef)
		if truth-off > 1+1e-12 || math.Abs(truth-m.Result.Objective) > 2e-3 {
			t.Errorf("%+v: objective %v, exact objective %v", c, m.Result.Objective, truth)
		}
		if c.cfg.Kernel == Sigmoid && !math.IsNaN(m.Result.DualObjective) {
			t.Errorf("%+v: a bound, but the kernel is not an inner product", c)
		}
	}
}

// With this large C, rounding the coefficients to float32 changes the objective.
func TestWrittenObjective(t *testing.T) {
	p := sample.Random(23, 120, 4, 2, 1)
	cfg := Config{Gamma: 3, C: 1e5, Tol: 1e-3, Passes: 2000}
	m := mustTrain(t, p.Dense, p.Y, Trainer{Config: cfg})
	q := smallProblem{x: p.Dense, y: p.Y, cfg: cfg}
	w, coef := q.problem(m, 0)
	truth, _ := w.objective(coef)
	r := m.Result
	t.Logf("objective %v, exact objective %v, bound %v", r.Objective, truth, r.DualObjective)
	if math.Abs(r.Objective/truth-1) > 1e-4 {
		t.Errorf("objective %v, exact objective %v", r.Objective, truth)
	}
	if best := w.optimum(); truth-best > r.Objective-r.DualObjective || r.DualObjective > best {
		t.Errorf("%+v, but the optimum is %v", r, best)
	}
}

func TestPredictedLoss(t *testing.T) {
	for classes := 2; classes <= 3; classes++ {
		p := sample.Random(24, 200, 4, classes, 1)
		for _, cfg := range []Config{
			{}, {C: 100, Tol: 0.001}, {Kernel: Linear}, {Kernel: Linear, C: 1}, {Kernel: Polynomial},
			{Kernel: Polynomial, Coef0: 1, Finish: pegasos.FinishNone}, {Kernel: Sigmoid},
			{Multiclass: pegasos.OneVsRest}, {Finish: pegasos.FinishNone, Order: pegasos.IID},
		} {
			for _, shift := range []float32{0, 1, 100, 1e4, 1e5} {
				x := shifted(p.Dense, shift)
				for form, x := range map[string]pegasos.Examples{"dense": x,
					"sparse": sample.ToSparse(x)} {
					m := mustTrain(t, x, p.Y, Trainer{Config: cfg})
					objective, loss := predictedLoss(m, x, p.Y)
					if off := objective - m.Result.Objective; !(math.Abs(off) <= 1e-6*loss) {
						t.Errorf("%d classes, %+v, %s rows + %v: objective %v, the scores give %v",
							classes, cfg, form, shift, m.Result.Objective, objective)
					}
				}
			}
		}
	}
}

// loss is the objective without the penalty.
func predictedLoss(m *Model, x pegasos.Examples, y []float32) (objective, loss float64) {
	problems, n, pairs := m.Problems(), len(m.Classes), m.Config.Multiclass == pegasos.OneVsOne
	scores, own := m.DecisionAll(x), m.DecisionAll(m.SupportRows())
	for k := range problems {
		rows, sum, square := 0.0, 0.0, 0.0
		for i, label := range y {
			class := slices.Index(m.Classes, label)
			for slot := range m.Config.slots(n) {
				if m.Config.problem(n, class, slot) == k {
					sign := -1.0
					if n == 2 && class == 1 || n > 2 && (pairs && slot < class || !pairs && slot == class) {
						sign = 1
					}
					rows++
					sum += max(0, 1-sign*scores[i*problems+k])
				}
			}
		}
		for i, v := range m.Coefficients(k) {
			square += float64(v) * own[i*problems+k]
		}
		lambda := m.Lambda
		if m.Config.C != 0 {
			lambda = 1 / (m.Config.C * rows)
		}
		loss += sum / rows / float64(problems)
		objective += max(0, lambda/2*square) / float64(problems)
	}
	return objective + loss, loss
}
