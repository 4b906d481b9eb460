package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestReliability(t *testing.T) {
	for _, c := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"the first step, whose shrink is 0", reliableFirstStep},
		{"a shrink below 0", reliableShrink},
		{"settings out of range", reliableSettings},
		{"settings at the edge", reliableEdges},
		{"tiny lambda", reliableTinyLambda},
		{"long run", reliableLongRun},
		{"overflow of the exponential", reliableExponential},
		{"unbounded gradient of the squared hinge", reliableSquaredHinge},
		{"labels of all kinds", reliableLabels},
		{"one class only", reliableOneClass},
		{"a label that the model does not know", reliableUnknownLabel},
		{"more than two classes", reliableManyClasses},
		{"no data", reliableNoData},
		{"rows and columns of zeros", reliableZeros},
		{"one row, contradictions and copies", reliableFewRows},
		{"more features than in training", reliableMoreFeatures},
		{"rows that are not normalized, constant columns", reliableLargeRows},
		{"NaN in the data", reliableNaN},
		{"weights of zero", reliableZeroWeights},
		{"any number of threads", reliableThreads},
		{"canceled", reliableCancel},
		{"checkpoint and resume", reliableResume},
		{"early stop", reliableEarlyStop},
		{"overflow of the multinomial loss", reliableMultinomial},
	} {
		t.Run(c.name, c.test)
	}
}

// At t = 1 the factor 1 - 1/t is 0: a scale of w kept as the product of these factors would be 0.
// lambda is 1/4, and the rows are visited in order.
func reliableFirstStep(t *testing.T) {
	for _, c := range []struct {
		batch int
		rows  []float32
		y     []float32
		want  [2][2]float32
	}{
		// The step sizes are 4 and 2. The second step halves w = (8, 0) and subtracts 2*(4, 4),
		// because the row (4, 4) of the negative class has the score 32 and violates its margin.
		{1, []float32{2, 0, 4, 4}, []float32{1, 0}, [2][2]float32{{8, 0}, {-4, -8}}},
		// The first step gives w = 4*(1, 2), as (1, 2) is the mean of (2, 0) and (0, 4). The second
		// step halves w, adds nothing for (0, 4), which has the score 32, and subtracts 2*(4, 4)/2.
		{2, []float32{2, 0, 0, 4, 0, 4, 4, 4}, []float32{1, 1, 1, 0},
			[2][2]float32{{4, 8}, {-2, 0}}},
	} {
		d := matrix(t, len(c.y), 2, c.rows...)
		for _, x := range []pegasos.Examples{d, toSparse(d), sample.UserRows(d)} {
			for k, want := range c.want {
				cfg := pegasos.Config{Lambda: 0.25, Steps: int64(k + 1), Batch: c.batch,
					Order: pegasos.Sequential, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate}
				if w := mustTrain(t, x, c.y, cfg).Weights[0]; [2]float32(w) != want {
					t.Errorf("%T batch %d: w = %v after step %d, want %v", x, c.batch, w, k+1, want)
				}
				// At w = 0 the derivative of the log loss is half the derivative of the hinge loss.
				cfg.Loss = pegasos.Log
				half := []float32{c.want[0][0] / 2, c.want[0][1] / 2}
				if w := mustTrain(t, x, c.y, cfg).Weights[0]; k == 0 && !slices.Equal(w, half) ||
					w[0]-w[0] != 0 || w[1]-w[1] != 0 {
					t.Errorf("%T batch %d: w = %v after step %d of the logarithmic loss", x, c.batch,
						w, k+1)
				}
			}
		}
	}
}

// A step size above 1/lambda would multiply w by a negative number.
func reliableShrink(t *testing.T) {
	for _, size := range []float32{0, 1e-15, 1, 1e9} {
		data := random(71, 20, 3, 2, 1).scaled(size)
		for _, cfg := range []pegasos.Config{{}, {Offset: pegasos.OffsetNone},
			{Loss: pegasos.SquaredHinge}, {Batch: 5, Project: true}} {
			for _, cfg.Lambda = range []float64{options.MinLambda, 1, 1e30} {
				cfg.Steps = 3
				m, err := fixed(t.Context(), data.dense, data.y, cfg)
				if err != nil && size < 1e9 || err == nil && !(m.Result.T0 >= 0) {
					t.Fatalf("%+v, rows of %v: %v, %+v", cfg, size, err, m)
				}
			}
		}
	}
	var e *pegasos.ConfigError
	if err := (pegasos.Config{Offset: "inverse-sqrt"}).Validate(); !errors.As(err, &e) ||
		e.Field != "Offset" {
		t.Errorf("an unknown Offset: %v", err)
	}
}

func reliableSettings(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	data := random(72, 10, 3, 2, 1)
	for _, c := range []struct {
		field string
		cfg   pegasos.Config
	}{
		{"Lambda", pegasos.Config{Lambda: -1e-4}}, {"Lambda", pegasos.Config{Lambda: nan}},
		{"Lambda", pegasos.Config{Lambda: inf}}, {"Lambda", pegasos.Config{Lambda: -inf}},
		{"Lambda", pegasos.Config{Lambda: 1e-30}},
		{"C", pegasos.Config{C: -1}}, {"C", pegasos.Config{C: nan}}, {"C", pegasos.Config{C: 1e30}},
		{"C", pegasos.Config{C: 1e-300}},
		{"Batch", pegasos.Config{Batch: -1}}, {"Batch", pegasos.Config{Batch: 11}},
		{"Steps", pegasos.Config{Steps: -1}}, {"Epochs", pegasos.Config{Epochs: -1}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: -0.1}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: nan}},
		{"Epsilon", pegasos.Config{Loss: pegasos.EpsInsensitive, Epsilon: inf}},
		{"Tol", pegasos.Config{Tol: -1}}, {"Tol", pegasos.Config{Tol: nan}},
		{"BiasScale", pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: inf}},
	} {
		m, err := fixed(t.Context(), data.dense, data.y, c.cfg)
		var e *pegasos.ConfigError
		if m != nil || !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%+v: %v, want an error about %s", c.cfg, err, c.field)
		}
	}
}

func reliableEdges(t *testing.T) {
	data := random(73, 10, 3, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{})
	if full := (pegasos.Config{}).Plain(); m.Lambda != pegasos.DefaultLambda ||
		m.Result.Steps != 10*settings.DefaultEpochs || full.Batch > 1 {
		t.Errorf("lambda %v, %d steps", m.Lambda, m.Result.Steps)
	}
	for _, offset := range []pegasos.Offset{pegasos.OffsetR2, pegasos.OffsetNone} {
		m := mustTrain(t, data.dense, data.y, pegasos.Config{Lambda: 1e30, Offset: offset, Batch: 10,
			Steps: 1})
		if r := m.Result; m.Validate() != nil || norm(m.Weights[0]) > 1e-28 ||
			math.Abs(r.Objective-1) > 1e-12 || !(r.DualObjective <= 1) {
			t.Errorf("lambda 1e30: w = %v, %+v", m.Weights[0], r)
		}
	}
}

// Norms are float64, so that |w|^2 does not overflow.
func reliableTinyLambda(t *testing.T) {
	x := matrix(t, 2, 2, 30_000, 40_000, 1, 1)
	for _, lambda := range []float64{1e-4, 1e-8, options.MinLambda} {
		cfg := pegasos.Config{Lambda: lambda, Steps: 1, Order: pegasos.Sequential,
			Offset: pegasos.OffsetNone, Average: pegasos.LastIterate}
		r := mustTrain(t, x, []float32{1, -1}, cfg).Result
		want := 2.5e9/(2*lambda) + (1+70_000/lambda)/2
		if math.Abs(r.Objective-want) > 1e-6*want || r.DualObjective > 1 {
			t.Errorf("lambda %v: %+v, want an objective of %v", lambda, r, want)
		}
		cfg.Offset, cfg.Steps = pegasos.OffsetR2, 20
		if r := mustTrain(t, x, []float32{1, -1}, cfg).Result; r.Objective > 10 {
			t.Errorf("lambda %v: %+v with an offset", lambda, r)
		}
	}
	far := matrix(t, 2, 1, 1e13, 1)
	cfg := pegasos.Config{Lambda: options.MinLambda, Steps: 1, Order: pegasos.Sequential,
		Offset: pegasos.OffsetNone, Average: pegasos.LastIterate}
	if m := mustTrain(t, far, []float32{1, -1}, cfg); !(m.Weights[0][0] > 9e24) ||
		!(m.Result.Objective > 1e37) {
		t.Errorf("|w|^2 beyond float32: %v, %+v", m.Weights, m.Result)
	}
	var e *pegasos.StepError
	if m, err := fixed(t.Context(), matrix(t, 2, 1, 1e18, 1e18), []float32{1, -1}, cfg); m != nil ||
		!errors.As(err, &e) || e.Step != 1 {
		t.Errorf("scores beyond float32: %v", err)
	}
}

func reliableLongRun(t *testing.T) {
	data := random(74, 500, 6, 2, 1)
	cfg := pegasos.Config{Lambda: 0.01, Steps: 2_000_000, Average: pegasos.LastIterate, Project: true,
		Offset: pegasos.OffsetNone}
	if m := mustTrain(t, data.dense, data.y, cfg); !(m.Result.Gap < 2e-3) {
		t.Errorf("%+v", m.Result)
	}
}

func reliableExponential(t *testing.T) {
	// After the first step, scores are about 0.5*1e10/lambda = 5e14.
	m := mustTrain(t, matrix(t, 2, 1, 1e5, 1e5), []float32{1, 2}, pegasos.Config{Loss: pegasos.Log,
		Lambda: 1e-5, Steps: 3, Offset: pegasos.OffsetNone, Average: pegasos.LastIterate})
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

func reliableSquaredHinge(t *testing.T) {
	data := random(75, 50, 4, 2, 1)
	dense.Scale(1e6, data.dense.Row(7))
	m := mustTrain(t, data.dense, data.y,
		pegasos.Config{Loss: pegasos.SquaredHinge, Average: pegasos.LastIterate})
	if m.Validate() != nil || !(m.Result.Objective <= 1.0001) {
		t.Errorf("%+v", m.Result)
	}
	m, err := fixed(t.Context(), data.dense, data.y, pegasos.Config{Loss: pegasos.SquaredHinge,
		Average: pegasos.LastIterate, Offset: pegasos.OffsetNone, Lambda: 1e-9})
	var e *pegasos.StepError
	if m != nil || !errors.As(err, &e) || e.Step < 1 {
		t.Errorf("without an offset: %v", err)
	}
}

func reliableLabels(t *testing.T) {
	data := random(76, 60, 5, 2, 1)
	want := mustTrain(t, data.dense, data.y, pegasos.Config{})
	for _, labels := range [][2]float32{{0, 1}, {1, 2}, {-1, 1}, {-7.5, -7.25},
		{float32(math.Copysign(0, -1)), 1e30}} {
		y := make([]float32, 60)
		for i, v := range data.y {
			y[i] = labels[int(v)]
		}
		m := mustTrain(t, data.dense, y, pegasos.Config{})
		if distance(m.Weights[0], want.Weights[0]) != 0 || m.Classes[0] != labels[0] ||
			m.Classes[1] != labels[1] {
			t.Errorf("labels %v: other weights, or the classes %v", labels, m.Classes)
		}
		for i, v := range m.PredictAll(data.dense) {
			if v != labels[int(want.Predict(data.dense, i))] {
				t.Fatalf("labels %v: row %d is predicted %v", labels, i, v)
			}
		}
	}
	var text strings.Builder
	for i, v := range data.y {
		fmt.Fprintf(&text, "%v,%v,%v,%v,%v,%s\n", data.dense.Row(i)[0], data.dense.Row(i)[1],
			data.dense.Row(i)[2], data.dense.Row(i)[3], data.dense.Row(i)[4],
			[]string{"ham", "spam"}[int(v)])
	}
	s, err := dataset.ReadFrom(strings.NewReader(text.String()), "mail.csv",
		dataset.Options{Layout: dataset.LayoutDense})
	if err != nil {
		t.Fatal(err)
	}
	m := mustTrain(t, s.Dense, s.Y, pegasos.Config{})
	m.Names = s.Names
	m, err = pegasos.Read(bytes.NewReader(encode(t, m)))
	if err != nil || distance(m.Weights[0], want.Weights[0]) != 0 || m.ClassName(0) != "ham" ||
		m.ClassName(1) != "spam" {
		t.Errorf("class names: %v, %+v", err, m)
	}
}

func reliableOneClass(t *testing.T) {
	data := random(77, 5, 2, 2, 1)
	for _, weights := range [][]float32{nil, {1, 1, 0, 0, 0}} {
		y := []float32{3, 3, 3, 3, 3}
		if weights != nil {
			y[4] = 4
		}
		m, err := trainPlain(t.Context(), &pegasos.Trainer{Weights: weights}, data.dense, y)
		if m != nil || err == nil || !strings.Contains(err.Error(), "number, 3)") ||
			!strings.Contains(err.Error(), "two or more classes") {
			t.Errorf("weights %v: %v", weights, err)
		}
	}
}

func reliableUnknownLabel(t *testing.T) {
	data := random(78, 20, 3, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{})
	y := slices.Clone(data.y)
	y[13] = 2
	for _, tr := range []*pegasos.Trainer{{Start: m}, {Prior: m}} {
		var e *pegasos.RowError
		if _, err := trainPlain(t.Context(), tr, data.dense, y); !errors.As(err, &e) || e.Row != 13 ||
			!strings.Contains(err.Error(), "label 2") {
			t.Errorf("%v, want an error about row 13", err)
		}
	}
}

func reliableManyClasses(t *testing.T) {
	data := random(79, 90, 5, 3, 1)
	for _, l := range losses[:3] {
		m := mustTrain(t, data.dense, data.y, l.cfg)
		if len(m.Weights) != 3 || len(m.Classes) != 3 || accuracy(m, data.dense, data.y) < 0.6 {
			t.Errorf("%s: %d vectors for the classes %v, accuracy %v", l.cfg.Loss, len(m.Weights),
				m.Classes, accuracy(m, data.dense, data.y))
		}
	}
}

func reliableNoData(t *testing.T) {
	for _, x := range []pegasos.Examples{dense.New(0, 0), dense.New(0, 3), toSparse(dense.New(0, 3))} {
		for _, cfg := range []pegasos.Config{{}, {Loss: pegasos.EpsInsensitive}} {
			if m, err := fixed(t.Context(), x, nil, cfg); m != nil || err == nil ||
				!strings.Contains(err.Error(), "no rows") {
				t.Errorf("%v, %v", m, err)
			}
		}
	}
	for _, x := range []pegasos.Examples{dense.New(3, 0), toSparse(dense.New(3, 0))} {
		m := mustTrain(t, x, []float32{1, 2, 1}, pegasos.Config{})
		if m.Cols() != 0 || m.Result.Objective != 1 || !(m.Result.Gap < 1e-12) {
			t.Errorf("no columns: %+v", m.Result)
		}
	}
}

func reliableZeros(t *testing.T) {
	data := random(80, 40, 6, 2, 1)
	clear(data.dense.Row(11))
	for i := range 40 {
		data.dense.Row(i)[3] = 0
	}
	for _, x := range []pegasos.Examples{data.dense, toSparse(data.dense)} {
		for _, l := range losses {
			for _, cfg := range []pegasos.Config{{}, {Batch: 8, Project: true}, pegasos.Paper()} {
				cfg.Loss, cfg.Epsilon, cfg.Lambda = l.cfg.Loss, l.cfg.Epsilon, 0.1
				m := mustTrain(t, x, data.y, cfg)
				if m.Weights[0][3] != 0 || m.Decision(x, 11, nil)[0] != 0 || m.Validate() != nil {
					t.Errorf("%+v: w = %v", cfg, m.Weights[0])
				}
			}
		}
	}
}

func reliableFewRows(t *testing.T) {
	one := matrix(t, 1, 2, 1, 2)
	if m, err := fixed(t.Context(), one, []float32{1}, pegasos.Config{}); m != nil || err == nil {
		t.Error("training on one row succeeds")
	}
	m := mustTrain(t, one, []float32{10}, pegasos.Config{Loss: pegasos.EpsInsensitive, Lambda: 1e-2,
		Epochs: 20_000})
	if z := m.Decision(one, 0, nil)[0]; math.Abs(z-10) > 0.1 {
		t.Errorf("one row: score %v, want 10", z)
	}
	// Equal rows with both labels can't be separated: the minimum is P = 1 at w = 0.
	x := matrix(t, 4, 2, 1, 2, 1, 2, 1, 2, 1, 2)
	if r := mustTrain(t, x, []float32{1, 2, 1, 2},
		pegasos.Config{Lambda: 1, Epochs: 2000}).Result; r.Objective > 1.01 || r.DualObjective > 1 ||
		r.DualObjective < 0.99 {
		t.Errorf("contradictions: %+v", r)
	}
	y := []float32{1, 1, 1, 2, 2, 2}
	a := mustTrain(t, matrix(t, 6, 1, 1, 1, 1, -1, -1, -1), y,
		pegasos.Config{Lambda: 0.5, Epochs: 500}).Result
	if math.Abs(a.Objective-0.25) > 0.01 { // the optimum, at w = 1, is lambda/2
		t.Errorf("copies: %+v", a)
	}
}

func reliableMoreFeatures(t *testing.T) {
	data := random(81, 30, 4, 2, 1)
	m := mustTrain(t, data.dense, data.y, pegasos.Config{})
	more := data.columns([]int{0, 1, 2, 3, 0, 1})
	for i, v := range m.DecisionAll(more.dense) {
		if math.Abs(v-m.Decision(data.dense, i, nil)[0]) > 1e-6 {
			t.Fatalf("row %d has another score, %v, with two more features", i, v)
		}
	}
	s, err := dataset.ReadFrom(strings.NewReader("1 1:1 5:2 6:3\n-1 2:1 4:1\n"), "new.svm",
		dataset.Options{Features: m.Cols()})
	if err != nil || s.Ignored != 2 || s.Cols() != 4 {
		t.Errorf("%v, %+v", err, s)
	}
}

func reliableLargeRows(t *testing.T) {
	data := random(82, 60, 5, 2, 1)
	for i := range 60 {
		dense.Scale(5e3, data.dense.Row(i))
		data.dense.Row(i)[4] = 1
	}
	const lambda = 1e5
	_, low, high := dualAscent(t, widen(data.dense, 0), signs(data.y, 1), lambda, wideLoss{}, 1e-5)
	for _, cfg := range []pegasos.Config{{}, {Offset: pegasos.OffsetNone},
		{Offset: pegasos.OffsetNone, Project: true}} {
		cfg.Lambda, cfg.Epochs = lambda, 2000
		r := mustTrain(t, data.dense, data.y, cfg).Result
		if r.Objective < low*(1-1e-6) || r.DualObjective > high || r.Objective > 2*high+1 {
			t.Errorf("%+v: objective %v and bound %v, optimum %v to %v", cfg, r.Objective,
				r.DualObjective, low, high)
		}
	}
}

func reliableNaN(t *testing.T) {
	g := rand.New(rand.NewPCG(83, 1))
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 3e38} {
		for range 20 {
			data := random(83, 20, 70, 2, 1)
			i := g.IntN(20)
			data.dense.Row(i)[g.IntN(70)] = float32(bad)
			for _, x := range []pegasos.Examples{data.dense, toSparse(data.dense),
				sample.UserRows(data.dense)} {
				for _, cfg := range []pegasos.Config{{}, {Batch: 4}, {Loss: pegasos.Log, Order: pegasos.IID},
					{Project: true}} {
					m, err := fixed(t.Context(), x, data.y, cfg)
					var e *pegasos.RowError
					if m != nil || !errors.As(err, &e) || e.Row != i {
						t.Fatalf("%v in row %d: %v, %v", bad, i, m, err)
					}
				}
			}
		}
	}
}

func reliableZeroWeights(t *testing.T) {
	data := random(84, 40, 5, 2, 1)
	weights := some(40)
	for i, w := range weights {
		weights[i] = min(w, 1)
	}
	once := data.repeat(weights)
	for _, cfg := range []pegasos.Config{{}, {Batch: 3}, pegasos.Paper()} {
		a, b := weighted(t, data.dense, data.y, weights, cfg), mustTrain(t, once.dense, once.y, cfg)
		if a.Hash() != b.Hash() || a.Result.Steps != b.Result.Steps || cfg.Batch == 0 &&
			a.Result.Steps != 20*32 {
			t.Errorf("%+v: %d steps, %d without rows of weight 0, or the models differ", cfg,
				a.Result.Steps, b.Result.Steps)
		}
	}
}

func reliableThreads(t *testing.T) {
	data := random(87, 80, 7, 6, 0.7)
	for _, cfg := range []pegasos.Config{{Bias: pegasos.BiasAugmented},
		{Batch: 9, Loss: pegasos.Log}} {
		var seen []string
		for threads := range 9 {
			m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Threads: threads},
				data.sparse, data.y)
			if err != nil {
				t.Fatal(err)
			}
			seen = append(seen, m.Hash()+fmt.Sprint(m.Result))
		}
		if len(slices.Compact(seen)) != 1 {
			t.Errorf("%+v: the model or the result depends on the number of threads", cfg)
		}
	}
}

func reliableCancel(t *testing.T) {
	data := random(88, 50, 5, 2, 1)
	ctx, cancel := context.WithCancel(t.Context())
	tr := &pegasos.Trainer{
		Config: pegasos.Config{Epochs: 1 << 30},
		Progress: func(p pegasos.Progress) {
			if p.Epoch == 30 {
				cancel()
			}
		},
	}
	m, err := trainPlain(ctx, tr, data.dense, data.y)
	if !errors.Is(err, context.Canceled) || m == nil || m.Result.Steps != 30*50 ||
		accuracy(m, data.dense, data.y) < 0.7 {
		t.Fatalf("%v, %+v", err, m)
	}
	if _, err := pegasos.Read(bytes.NewReader(encode(t, m))); err != nil {
		t.Error(err)
	}
}

func reliableResume(t *testing.T) {
	data := random(121, 15, 4, 2, 1)
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.05, Epochs: 3}}
	want := mustTrain(t, data.dense, data.y, tr.Config).Hash()
	for p := int64(1); p <= 45; p++ {
		if resumed(t, data.dense, data.y, tr, p).Hash() != want {
			t.Errorf("paused after %d steps: another hash", p)
		}
	}
}

// Tol refers to the objective with the penalty.
func reliableEarlyStop(t *testing.T) {
	data := random(122, 200, 5, 2, 1)
	const tol = 0.02
	var gaps, ofLoss []float64
	tr := pegasos.Trainer{Config: pegasos.Config{Lambda: 0.1, Epochs: 400, Tol: tol}}
	tr.Progress = func(p pegasos.Progress) {
		if slices.Contains(checkedEpochs(400), p.Epoch) {
			m := p.Model()
			r := m.Result
			gaps = append(gaps, r.Gap)
			ofLoss = append(ofLoss, (r.Objective-m.Penalty()-r.DualObjective)/r.DualObjective)
		}
	}
	m, err := trainPlain(t.Context(), &tr, data.dense, data.y)
	if err != nil || m.Result.Epochs >= 400 || len(gaps) < 2 {
		t.Fatalf("%v, %+v", err, m.Result)
	}
	for k, gap := range gaps {
		if (gap <= tol) != (k == len(gaps)-1) {
			t.Errorf("check %d of %d: gap %v", k+1, len(gaps), gap)
		}
	}
	if ofLoss[0] > tol {
		t.Errorf("gaps %v, without the penalty %v: the first of these exceeds Tol", gaps, ofLoss)
	}
}

func reliableMultinomial(t *testing.T) {
	m := mustTrain(t, matrix(t, 3, 1, 1e5, 1e5, -1e5), []float32{1, 2, 3},
		pegasos.Config{Multiclass: pegasos.Multinomial, Lambda: 1e-5, Steps: 4,
			Offset: pegasos.OffsetNone, Average: pegasos.LastIterate})
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}
