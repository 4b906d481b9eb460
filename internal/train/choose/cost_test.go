package choose_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-12*math.Abs(b) }

// Other code computed the wanted costs from docs/spec.md.
func TestCostOf(t *testing.T) {
	for _, c := range []struct {
		l          loss.Kind
		rows, cols float64
		d          store.Density
		want       choose.Cost
	}{
		{loss.Hinge, 1000, 50, store.Density{Nonzeros: 50, Squares: 2500},
			choose.Cost{Newton: 913774.43, Epoch: 28000, Pass: 98000}},
		{loss.Hinge, 1000, 9, store.Density{Nonzeros: 3, Squares: 9},
			choose.Cost{Newton: 2238500.0 / 3, Epoch: 21440, Pass: 91440}},
		{loss.Hinge, 200, 400, store.Density{Nonzeros: 20, Squares: 500},
			choose.Cost{Newton: 113072471.0 / 15, Epoch: 12000, Pass: 26000}},
		{loss.EpsInsensitive, 1000, 50, store.Density{Nonzeros: 50, Squares: 2500},
			choose.Cost{Newton: 913774.43, Epoch: 28000, Pass: 98000}},
		{loss.SquaredHinge, 500, 100, store.Density{Nonzeros: 5, Squares: 26},
			choose.Cost{Newton: 11011571.0 / 30, Epoch: 15000, Pass: 30000}},
		{loss.Squared, 500, 100, store.Density{Nonzeros: 5, Squares: 26},
			choose.Cost{Newton: 11713571.0 / 60, Epoch: 15000, Pass: 30000}},
		{loss.Log, 2000, 30, store.Density{Nonzeros: 1, Squares: 1.5},
			choose.Cost{Newton: 23113261.0 / 30, Epoch: 44000, Pass: 184000}},
	} {
		have := choose.CostOf(c.l, c.rows, c.cols, c.d)
		if !near(have.Newton, c.want.Newton) || !near(have.Epoch, c.want.Epoch) ||
			!near(have.Pass, c.want.Pass) {
			t.Errorf("%s, %v x %v: %+v, want %+v", c.l.Name(), c.rows, c.cols, have, c.want)
		}
	}
}

func TestPasses(t *testing.T) {
	for _, c := range []struct {
		l         loss.Kind
		norm, tol float64
		want      float64
	}{
		{loss.Hinge, 10, 0.05, 43}, {loss.Hinge, 10, 0.01, 43}, {loss.Hinge, 10, 0.001, 86},
		{loss.EpsInsensitive, 10, 0.01, 43}, {loss.Log, 10, 0.01, 18},
		{loss.Log, 10, 1e-3, 18 * 1.3}, {loss.SquaredHinge, 10, 0.01, 83},
		{loss.Squared, 0.5, 2e-4, 7 * 1.3 * 1.3},
		{loss.Hinge, 10, 1e-4, 43 * 4}, {loss.Hinge, 10, 2e-5, 43 * 8},
		{loss.Hinge, 10, 1e-9, choose.Passes(loss.Hinge, 10, 1e-5)},
	} {
		if have := choose.Passes(c.l, c.norm, c.tol); !near(have, c.want) {
			t.Errorf("%s, norm %v, tol %v: %v passes, want %v", c.l.Name(), c.norm, c.tol, have,
				c.want)
		}
	}
}

func TestPlan(t *testing.T) {
	w := choose.Work{Loss: loss.Hinge, Problems: 3, Rows: 1000, Columns: 50, R2: 2,
		Density: store.Density{Nonzeros: 50, Squares: 2500}}
	// R2/(lambda rows) is 1 with lambda 0.002: 7 passes of 98000 cost less than Newton's 913774.43.
	for _, c := range []struct {
		newton, descent bool
		lambda          float64
		want            choose.Plan
	}{
		{true, true, 0.002, choose.Plan{Passes: 7, Cost: 3 * 7 * 98000}},
		{true, true, 0.0002, choose.Plan{Newton: true, Passes: 43, Cost: 3 * 913774.43}},
		{true, false, 0.002, choose.Plan{Passes: 7, Cost: math.Inf(1)}},
		{true, false, 0.0002, choose.Plan{Newton: true, Passes: 43, Cost: 3 * 913774.43}},
		{false, true, 0.0002, choose.Plan{Passes: 43, Cost: 3 * 43 * 98000}},
		{false, false, 0.002, choose.Plan{Passes: 7, Cost: math.Inf(1)}},
	} {
		w.Newton, w.Descent = c.newton, c.descent
		have := w.To(0.01, c.lambda)
		if have.Newton != c.want.Newton || !near(have.Passes, c.want.Passes) ||
			!near(have.Cost, c.want.Cost) {
			t.Errorf("%+v: the plan is %+v", c, have)
		}
	}
}

func TestTrialCost(t *testing.T) {
	w := choose.Work{Loss: loss.Hinge, Problems: 3, Rows: 1000, Columns: 50, R2: 2, Descent: true,
		Density: store.Density{Nonzeros: 50, Squares: 2500}}
	for _, c := range []struct {
		newton       bool
		lambda, want float64
	}{
		{false, 0.002, 3 * 7 * 98000},
		{false, 0.0002, 3 * choose.PathEpochs * 98000}, // 43 passes to the gap
		{true, 0.0002, 3 * 913774.43},
	} {
		w.Newton = c.newton
		if have := w.TrialCost(c.lambda); !near(have, c.want) {
			t.Errorf("%+v: the cost is %v", c, have)
		}
	}
}
