package pegasos_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Fig. 2 of the paper to the letter, in float64, with its projection or without, for any loss; a
// batch is weighted.
func TestFig2(t *testing.T) {
	for _, l := range losses {
		for _, project := range []bool{false, true} {
			for _, batch := range []int{1, 2, 7, 40} {
				for seed := range uint64(3) {
					data := random(seed, 40, 7, 2, 0.7)
					if l.cfg.Loss.Regression() {
						data = data.numbers(seed)
					}
					cfg := l.cfg
					cfg.Lambda, cfg.Steps, cfg.Seed = 0.1, 300, seed
					cfg.Average, cfg.Order = pegasos.LastIterate, pegasos.IID
					cfg.Batch, cfg.Project = batch, project
					cfg.Bias, cfg.BiasScale = pegasos.BiasAugmented, 2
					if !unbounded(cfg.Loss) || project {
						cfg.Offset = pegasos.OffsetNone
					}
					for _, x := range []pegasos.Examples{data.dense, data.sparse, foreign{data.dense}} {
						fig2(t, l.at, l.coefficient, l.kinks, x, data, cfg)
					}
				}
			}
		}
	}
}

func fig2(t *testing.T, at, coefficient func(float64) float64, kinks []float64, x pegasos.Examples,
	data pair,
	cfg pegasos.Config) {
	t.Helper()
	weights := make([]float32, 40)
	for i := range weights {
		weights[i] = float32(i%3 + 1)
	}
	r, err := newRun(x, data.y, &pegasos.Trainer{Config: cfg, Weights: weights})
	if err != nil {
		t.Fatal(err)
	}
	p := r.problems[0]
	side := func(i int) (float64, float64) {
		if cfg.Loss.Regression() {
			return 1, float64(data.y[i])
		}
		return 2*float64(data.y[i]) - 1, 0
	}
	var mean, zero float64
	for i, v := range weights {
		mean += float64(v) / 40
		_, target := side(i)
		zero += float64(v) * at(-target)
	}
	radius := math.Sqrt(zero / 40 / mean / cfg.Lambda)
	w, have := make([]float64, 8), make([]float32, 7)
	row := func(i int) (row []float64) {
		for _, v := range data.dense.Row(i) {
			row = append(row, float64(v))
		}
		return append(row, cfg.BiasScale)
	}
	for step := 1; step <= 300; step++ {
		var idx []uint32
		if cfg.Batch == 1 {
			idx = r.Order.Next(1)
			p.TakeSteps(idx)
		} else {
			var ends []int
			idx, ends = r.Order.Batches(1)
			p.Batches(idx, ends)
		}
		eta := 1 / (cfg.Lambda * (float64(step) + p.T0))
		sum := make([]float64, 8)
		for _, i := range idx {
			s, target := side(int(i))
			z := 0.0
			for j, v := range row(int(i)) {
				z += w[j] * v
			}
			for _, k := range kinks {
				if math.Abs(s*z-target-k) < 1e-4 && step > 1 {
					return // both ways are right within rounding
				}
			}
			g := coefficient(s*z-target) * s * float64(weights[i]) / mean
			for j, v := range row(int(i)) {
				sum[j] += g * v
			}
		}
		size, norm := 1/cfg.Lambda/float64(step), 0.0
		for j := range w {
			w[j] = (1-eta*cfg.Lambda)*w[j] + eta/float64(len(idx))*sum[j]
			norm += w[j] * w[j]
		}
		if s := radius / math.Sqrt(norm); cfg.Project && s < 1 {
			for j := range w {
				w[j] *= s
			}
		}
		for j := range w {
			size = math.Max(size, math.Abs(w[j]))
		}
		b := p.weights(have)
		for j := range have {
			if math.Abs(float64(have[j])-w[j]) > 1e-4*size || math.Abs(b-2*w[7]) > 2e-4*size {
				t.Fatalf("%T %+v step %d: %v and %v, in float64 %v", x, cfg, step, have, b, w)
			}
		}
	}
}

// Dense kernels for many rows give the same bits as single calls.
func TestBatchKernels(t *testing.T) {
	data := random(31, 200, 33, 3, 1)
	for _, cfg := range []pegasos.Config{{Batch: 16}, {Batch: 3, Order: pegasos.IID}, {Batch: 50,
		Loss: pegasos.Log},
		{Batch: 7, Project: true, Offset: pegasos.OffsetNone}} {
		a := mustTrain(t, data.dense, data.y, cfg)
		b := mustTrain(t, foreign{data.dense}, data.y, cfg)
		if a.Hash() != b.Hash() {
			t.Errorf("%+v: another model", cfg)
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

// With all rows in a batch nothing is random; and the mean iterate obeys Theorem 1's bound
// (Corollary 1).
func TestBatchOfAll(t *testing.T) {
	data := random(32, 60, 5, 2, 1)
	want := mustTrain(t, data.dense, data.y, pegasos.Config{Batch: 60, Epochs: 50})
	for seed, order := range []pegasos.Order{pegasos.Permutation, pegasos.IID, pegasos.Sequential,
		pegasos.Blocks} {
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
		r := mustRun(t, data.dense, data.y, pegasos.Config{Batch: 60, Lambda: lambda, Steps: steps,
			Offset: pegasos.OffsetNone, Average: pegasos.LastIterate, Project: project})
		var sum float64
		for range steps {
			m := r.session.Now()
			r.session.Measure(m, engine.Quick)
			sum += m.Result.PerClass[0].Objective
			idx, ends := r.Order.Batches(1)
			r.problems[0].Batches(idx, ends)
			r.T++
		}
		c := 4 * r2
		if project {
			c = math.Pow(math.Sqrt(lambda)+math.Sqrt(r2), 2)
		}
		if bound := high + c*(1+math.Log(steps))/(2*lambda*steps); sum/steps > bound {
			t.Errorf("project %v: mean objective %v, Theorem 1 has %v", project, sum/steps, bound)
		}
	}
}

// Batches of one row, where there is more than one way to ask, are the plain run.
func TestBatchOfOne(t *testing.T) {
	data := random(33, 60, 5, 2, 1)
	a := mustTrain(t, data.dense, data.y, pegasos.Config{})
	b := mustTrain(t, data.dense, data.y, pegasos.Config{Batch: 1})
	if a.Hash() != b.Hash() {
		t.Error("another model")
	}
}

// The norm that is carried along stays near the true one, and w in the ball.
func TestProjection(t *testing.T) {
	data := random(34, 500, 20, 2, 1)
	for _, cfg := range []pegasos.Config{
		{Lambda: 1e-5}, {Lambda: 1e-5, Offset: pegasos.OffsetNone}, {Lambda: 1e-3,
			Offset: pegasos.OffsetNone,
			Batch:  8}, {Lambda: 10, Offset: pegasos.OffsetNone},
		{Lambda: 1e-5, Offset: pegasos.OffsetNone, Loss: pegasos.Log}, {Lambda: 1e-5,
			Offset: pegasos.OffsetNone,
			Loss:   pegasos.SquaredHinge}, {Lambda: options.MinLambda, Offset: pegasos.OffsetNone},
	} {
		cfg.Project, cfg.Average, cfg.Bias, cfg.Epochs = true, pegasos.LastIterate, pegasos.BiasAugmented, 40
		r := mustRun(t, data.dense, data.y, cfg)
		p := r.problems[0]
		radius := 1 / math.Sqrt(cfg.Lambda)
		if cfg.Loss == pegasos.Log {
			radius = math.Sqrt(math.Ln2 / cfg.Lambda)
		}
		w, touched := make([]float32, 20), false
		for p.T < r.Total {
			if cfg.Batch > 1 {
				p.Batches(r.Order.Batches(1))
			} else {
				p.TakeSteps(r.Order.Next(1))
			}
			if p.Err != nil {
				t.Fatal(p.Err)
			}
			tracked := p.Norm2
			p.RefreshNorm()
			exact := p.Norm2
			p.Norm2 = tracked
			if math.Abs(tracked-exact) > 1e-5*exact {
				t.Fatalf("%+v step %d: |v|^2 is %v, carried along %v", cfg, p.T, exact, tracked)
			}
			b := p.weights(w)
			have := math.Sqrt(norm(w)*norm(w) + b*b)
			if have > radius*(1+1e-5) {
				t.Fatalf("%+v step %d: |w| = %v, radius %v", cfg, p.T, have, radius)
			}
			touched = touched || have > radius*(1-1e-5)
			if r.Order.AtEnd() {
				p.EndEpoch(1)
			}
		}
		if !touched && cfg.Offset == pegasos.OffsetNone && cfg.Lambda < 1 {
			t.Errorf("%+v: the ball was never left", cfg)
		}
	}
}

// The first steps without an offset are no leap any more.
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
		t.Errorf("objective up to %v, with projection %v", a, b)
	}
	large := matrix(t, 2, 1, 1e15, 1e15)
	m := mustTrain(
		t,
		large,
		[]float32{1, 2},
		pegasos.Config{Lambda: 1e-12, Steps: 1, Offset: pegasos.OffsetNone,
			Project: true, Average: pegasos.LastIterate},
	)
	if w := float64(m.Weights[0][0]); math.Abs(math.Abs(w)-1e6) > 1 {
		t.Errorf("w = %v, want the radius, 1e6", w)
	}
}
