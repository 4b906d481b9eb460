package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestBatchKernels(t *testing.T) {
	data := random(31, 200, 33, 3, 1)
	for _, cfg := range []pegasos.Config{
		{Batch: 16}, {Batch: 3, Order: pegasos.IID}, {Batch: 50, Loss: pegasos.Log},
		{Batch: 7, Project: true, Offset: pegasos.OffsetNone},
	} {
		a := mustTrain(t, data.dense, data.y, cfg)
		b := mustTrain(t, sample.UserRows(data.dense), data.y, cfg)
		if a.Hash() != b.Hash() {
			t.Errorf("%+v: another model with user-defined rows", cfg)
		}
		for threads := 1; threads < 5; threads++ {
			m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Threads: threads},
				data.dense, data.y)
			if err != nil || m.Hash() != a.Hash() {
				t.Errorf("%+v, %d threads: another model, %v", cfg, threads, err)
			}
		}
	}
}

// The bound on the mean objective is Theorem 1 of the paper.
func TestBatchOfAll(t *testing.T) {
	data := random(32, 60, 5, 2, 1)
	want := mustTrain(t, data.dense, data.y, pegasos.Config{Batch: 60, Epochs: 50})
	for seed, order := range []pegasos.Order{pegasos.IID, pegasos.Sequential, pegasos.Blocks} {
		m := mustTrain(t, data.dense, data.y, pegasos.Config{Batch: 60, Epochs: 50, Order: order,
			Seed: uint64(seed)})
		if m.Hash() != want.Hash() || m.Result.Steps != 50 || m.Result.Epochs != 50 {
			t.Errorf("%s: %+v", order, m.Result)
		}
	}
	const lambda, steps = 0.05, 200
	_, high := optimum(t, data.dense, signs(data.y, 1), lambda, 0)
	var r2 float64
	for i := range 60 {
		r2 = math.Max(r2, float64(data.dense.SumSquares(i)))
	}
	for _, project := range []bool{false, true} {
		sum, taken := 1.0, 1 // the objective at w = 0 is 1
		tr := pegasos.Trainer{
			Config: pegasos.Config{Batch: 60, Lambda: lambda, Steps: steps,
				Offset: pegasos.OffsetNone, Average: pegasos.LastIterate, Project: project},
			Progress: func(p pegasos.Progress) { // called after each step: an epoch is one step
				if p.Steps < steps {
					sum += p.Measure().Objective
					taken++
				}
			},
		}
		if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil || taken != steps {
			t.Fatalf("%d iterates, want 200: %v", taken, err)
		}
		c := 4 * r2
		if project {
			c = math.Pow(math.Sqrt(lambda)+math.Sqrt(r2), 2)
		}
		if bound := high + c*(1+math.Log(steps))/(2*lambda*steps); sum/steps > bound {
			t.Errorf("project %v: mean objective %v, Theorem 1 allows %v", project, sum/steps, bound)
		}
	}
}

func TestBatchOfOne(t *testing.T) {
	data := random(33, 60, 5, 2, 1)
	a := mustTrain(t, data.dense, data.y, pegasos.Config{})
	b := mustTrain(t, data.dense, data.y, pegasos.Config{Batch: 1})
	if a.Hash() != b.Hash() {
		t.Error("a batch of one row gives another model")
	}
}

func TestProjectionTames(t *testing.T) {
	data := random(35, 100, 5, 2, 1)
	worst := func(project bool) (worst float64) {
		tr := pegasos.Trainer{
			Config: pegasos.Config{Lambda: 1e-6, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate,
				Project: project},
			Progress: func(p pegasos.Progress) {
				worst = math.Max(worst, p.Measure().Objective)
			},
		}
		if _, err := trainPlain(t.Context(), &tr, data.dense, data.y); err != nil {
			t.Fatal(err)
		}
		return worst
	}
	if a, b := worst(false), worst(true); b > a/2 {
		t.Errorf("largest objective %v, with projection %v", a, b)
	}
	large := matrix(t, 2, 1, 1e15, 1e15)
	m := mustTrain(t, large, []float32{1, 2}, pegasos.Config{Lambda: 1e-12, Steps: 1,
		Offset: pegasos.OffsetNone, Project: true, Average: pegasos.LastIterate})
	if w := float64(m.Weights[0][0]); math.Abs(math.Abs(w)-1e6) > 1 {
		t.Errorf("w = %v, want 1e6, the radius of the ball", w)
	}
}
