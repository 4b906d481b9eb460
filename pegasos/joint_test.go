package pegasos_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

type definition struct {
	x       *dense.Matrix
	weights []float64 // weights of the rows; nil for 1 each
	lambda  float64
	scale   float64 // value of the bias feature; 0 if there is none
	prior   *pegasos.Model
	loss    func(z []float64, i int) float64 // loss of row i with the scores z
}

func newDefinition(tr *pegasos.Trainer, x *dense.Matrix,
	loss func(z []float64, i int) float64) definition {
	d := definition{x: x, lambda: tr.Lambda, prior: tr.Prior, loss: loss}
	if tr.Bias == pegasos.BiasAugmented {
		d.scale = tr.Plain().BiasScale
	}
	if tr.Weights != nil {
		d.weights = floats.Float64s(tr.Weights)
	}
	return d
}

func (d definition) of(m *pegasos.Model) (p float64) {
	for k, w := range m.Weights {
		b := vectorBias(m, k)
		var w0 []float32
		if d.prior != nil {
			w0, b = d.prior.Weights[k], b-vectorBias(d.prior, k)
		}
		for j, v := range floats.Float64s(w) {
			if w0 != nil {
				v -= float64(w0[j])
			}
			p += d.lambda / 2 * v * v
		}
		if d.scale > 0 {
			p += d.lambda / 2 * math.Pow(b/d.scale, 2)
		}
	}
	var sum, n float64
	z := make([]float64, len(m.Weights))
	for i := range d.x.Rows() {
		for k, w := range m.Weights {
			z[k] = vectorBias(m, k)
			for j, v := range d.x.Row(i) {
				z[k] += float64(w[j]) * float64(v)
			}
		}
		weight := 1.0
		if d.weights != nil {
			weight = d.weights[i]
		}
		n += weight
		sum += weight * d.loss(z, i)
	}
	return p + sum/n
}

var jointLosses = []struct {
	cfg   pegasos.Config
	costs [][]float64
	at    func(z []float64, y int) float64
}{
	{pegasos.Config{Multiclass: pegasos.CrammerSinger}, nil, worst(nil).at},
	{pegasos.Config{Multiclass: pegasos.CrammerSinger}, unequal, worst(unequal).at},
	{pegasos.Config{Multiclass: pegasos.Multinomial}, nil,
		func(z []float64, y int) float64 {
			top, sum := z[0], 0.0
			for _, v := range z {
				top = math.Max(top, v)
			}
			for _, v := range z {
				sum += math.Exp(v - top)
			}
			return math.Log(sum) + top - z[y]
		}},
}

var unequal = [][]float64{{0, 1, 3, 1}, {0.5, 0, 0.5, 4}, {2, 1, 0, 0.25}, {1, 1, 1, 0}}

// worst is the loss of Crammer and Singer with the costs worst[y][r]; nil stands for costs of 1.
type worst [][]float64

func (w worst) cost(y, r int) float64 {
	if y == r {
		return 0
	} else if w == nil {
		return 1
	}
	return w[y][r]
}

func (w worst) at(z []float64, y int) float64 {
	most := 0.0
	for r := range z {
		most = math.Max(most, w.cost(y, r)-(z[y]-z[r]))
	}
	return most
}

// four returns random rows of four labels. Each label occurs twice in the first 8 rows: with the
// weights of some, at least one of the two weights is above 0.
func four(seed uint64, rows, cols int, fill float64) pair {
	p := random(seed, rows, cols, 4, fill)
	for i := range 8 {
		p.y[i] = float32(i % 4)
	}
	return p
}

func TestJointBound(t *testing.T) {
	for n, l := range jointLosses {
		for kind := range 8 { // bit 0: row weights, bit 1: a prior, bit 2: a bias
			data, other := four(uint64(kind), 45, 6, 0.8), four(uint64(kind)+50, 45, 6, 0.8)
			cfg := pegasos.Config{Multiclass: l.cfg.Multiclass, Lambda: 0.1, Epochs: 300}
			tr := &pegasos.Trainer{Costs: l.costs}
			if kind&1 != 0 {
				tr.Weights = some(45)
			}
			if kind&4 != 0 {
				cfg.Bias, cfg.BiasScale = pegasos.BiasAugmented, 2
			}
			if kind&2 != 0 {
				tr.Prior = mustTrain(t, other.dense, other.y, cfg)
			}
			if kind%3 == 1 {
				cfg.Batch = 4
			}
			tr.Config = cfg
			x := []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)}[(n+kind)%3]
			objective := newDefinition(tr, data.dense, func(z []float64, i int) float64 {
				return l.at(z, int(data.y[i]))
			})
			least, best := math.Inf(1), 0.0
			tr.Progress = func(p pegasos.Progress) {
				if e := p.Epoch; e > 20 && e%20 != 0 {
					return
				}
				m := p.Model()
				res := m.Result
				have := objective.of(m)
				if math.Abs(have-res.Objective) > 2e-6*(1+have) {
					t.Fatalf("%T %+v prior %v: objective %v, by definition %v", x, cfg,
						tr.Prior != nil, res.Objective, have)
				}
				least, best = math.Min(least, have), math.Max(best, res.DualObjective)
				if !(res.DualObjective >= 0) || res.PerClass != nil {
					t.Errorf("%+v: %+v", cfg, res)
				}
			}
			m, err := trainPlain(t.Context(), tr, x, data.y)
			if err != nil {
				t.Fatal(err)
			}
			if best > least {
				t.Errorf("%T %+v: bound %v, but P is %v", x, cfg, best, least)
			}
			if m.Result.Gap > 0.01 || m.Result.Epochs != 300 {
				t.Errorf("%T %+v: objective %v, bound %v, gap %v, %v epochs", x, cfg,
					m.Result.Objective, m.Result.DualObjective, m.Result.Gap, m.Result.Epochs)
			}
			if tr.Weights == nil && tr.Prior == nil && tr.Costs == nil {
				have := m.Objective(m.DecisionAll(x), data.y, nil)
				if math.Abs(have-m.Result.Objective) > 1e-6*have {
					t.Errorf("%+v: objective %v, Model.Objective %v", cfg, m.Result.Objective, have)
				}
			}
		}
	}
}

// A joint problem of two classes with the weights -w and w has the optimum of the binary problem
// with the weights 2w and half of lambda.
func TestJointOfTwo(t *testing.T) {
	for seed := range uint64(3) {
		data := random(seed, 40, 6, 2, 0.8)
		for _, kind := range []pegasos.Multiclass{pegasos.CrammerSinger, pegasos.Multinomial} {
			var low, high float64
			if kind == pegasos.CrammerSinger {
				low, high = optimum(t, data.dense, signs(data.y, 1), 0.05, 1)
			} else {
				low, high = smoothOptimum(t, data.dense, signs(data.y, 1), 0.05, 1, losses[1].at,
					losses[1].coefficient, 0.25)
			}
			m := mustTrain(t, data.dense, data.y, pegasos.Config{Multiclass: kind, Lambda: 0.1,
				Bias: pegasos.BiasAugmented, Epochs: 300})
			if r := m.Result; len(m.Weights) != 2 || r.Objective < low*(1-1e-6) ||
				r.Objective > 1.01*high || !(r.DualObjective <= high) ||
				r.DualObjective < 0.99*low {
				t.Errorf("%s: objective %v, bound %v, optimum %v", kind, r.Objective,
					r.DualObjective, low)
			}
			scores := m.DecisionAll(data.dense)
			for i := range 40 {
				a, b := scores[2*i], scores[2*i+1]
				if math.Abs(a+b) > 1e-5*(1+math.Abs(a)) ||
					m.Predict(data.dense, i) != m.Classes[m.Class([]float64{a, b})] ||
					(m.Predict(data.dense, i) == 1) != (b > a) {
					t.Errorf("%s: row %d has the scores %v and %v, predicted %v", kind, i, a, b,
						m.Predict(data.dense, i))
				}
			}
		}
	}
}

// Rows of weight 0 do not change the model's hash.
func TestJointRows(t *testing.T) {
	for _, l := range jointLosses {
		data := four(3, 60, 5, 1)
		weights := some(60)
		for i := range weights {
			weights[i] = min(1, weights[i])
		}
		once := data.repeat(weights)
		for _, cfg := range []pegasos.Config{{}, {Order: pegasos.IID}, {Order: pegasos.Sequential,
			Batch: 7},
			{Order: pegasos.Blocks, Bias: pegasos.BiasUnregularised}, {Project: true, Batch: 3,
				Order: pegasos.IID}} {
			cfg.Multiclass, cfg.Lambda = l.cfg.Multiclass, 0.01
			have, err := trainPlain(t.Context(),
				&pegasos.Trainer{Config: cfg, Weights: weights, Costs: l.costs},
				data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			want, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Costs: l.costs},
				once.dense, once.y)
			if err != nil {
				t.Fatal(err)
			}
			h, w := have.Result, want.Result
			if have.Hash() != want.Hash() || h.Steps != w.Steps || h.Violations != w.Violations ||
				math.Abs(h.Objective-w.Objective) > 1e-12 ||
				math.Abs(h.DualObjective-w.DualObjective) > 1e-12 {
				t.Errorf("%+v: %+v, without the rows of weight 0 %+v", cfg, h, w)
			}
			y := make([]float32, 60)
			labels := []float32{-7, -0.5, 3, 1e6}
			for i, v := range data.y {
				y[i] = labels[int(v)]
			}
			named, err := trainPlain(t.Context(),
				&pegasos.Trainer{Config: cfg, Weights: weights, Costs: l.costs},
				data.dense, y)
			if err != nil || fmt.Sprint(named.Classes) != fmt.Sprint(labels) ||
				fmt.Sprint(named.Weights) != fmt.Sprint(have.Weights) {
				t.Errorf("%+v: other labels change the weights, or the classes are wrong: %v", cfg, err)
			}
			for i, v := range have.PredictAll(data.sparse) {
				if u := named.PredictAll(data.sparse)[i]; u != labels[int(v)] {
					t.Errorf("row %d: prediction %v with other labels, %v before", i, u, v)
				}
			}
		}
	}
}

func TestCosts(t *testing.T) {
	data := random(6, 300, 2, 3, 1)
	cfg := pegasos.Config{Multiclass: pegasos.CrammerSinger, Lambda: 0.05}
	m, err := trainPlain(t.Context(),
		&pegasos.Trainer{Config: cfg, Costs: [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}},
		data.dense, data.y)
	if err != nil || m.Hash() != mustTrain(t, data.dense, data.y, cfg).Hash() {
		t.Errorf("costs of 1 give another model: %v", err)
	}
	for _, c := range []struct {
		kind  pegasos.Multiclass
		costs [][]float64
	}{
		{pegasos.OneVsRest, unequal},
		{pegasos.Multinomial, unequal},
		{pegasos.CrammerSinger, unequal},                                         // 4 classes
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0}, {1, 1, 0}}},       // ragged
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 1, 1}, {1, 1, 0}}},    // diagonal 1
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 0, 0}}},    // a cost of 0
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, -1}, {1, 1, 0}}},   // negative
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, 1e39}, {1, 1, 0}}}, // too large
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, math.NaN()}, {1, 1, 0}}},
		{pegasos.CrammerSinger, [][]float64{{math.NaN(), 1, 1}, {1, 0, 1}, {1, 1, 0}}},
		{pegasos.CrammerSinger, [][]float64{}},
	} {
		var e *pegasos.ConfigError
		m, err := trainPlain(t.Context(),
			&pegasos.Trainer{Config: pegasos.Config{Multiclass: c.kind}, Costs: c.costs},
			data.dense, data.y)
		if m != nil || !errors.As(err, &e) || e.Field != "Costs" {
			t.Errorf("%s %v: %v", c.kind, c.costs, err)
		}
	}
	cfg.ClassWeight = "2=0"
	_, err = trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Costs: unequal}, data.dense, data.y)
	if err == nil || !strings.HasSuffix(err.Error(), "the 2 classes of rows with a weight above 0") {
		t.Errorf("without the rows of a class: %v", err)
	}
}

func TestJointOverflow(t *testing.T) {
	for _, l := range jointLosses {
		for _, size := range []float32{1e-15, 1e4, 1e15, 0.4e19} {
			data := four(20, 50, 5, 1)
			for i := range 50 {
				dense.Scale(size, data.dense.Row(i))
			}
			for _, cfg := range []pegasos.Config{{Lambda: 1e37}, {Lambda: options.MinLambda,
				Offset: pegasos.OffsetNone},
				{Lambda: 1, Project: true, Offset: pegasos.OffsetNone},
				{Lambda: 1e-6, Bias: pegasos.BiasUnregularised}} {
				cfg.Multiclass = l.cfg.Multiclass
				m, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Costs: l.costs},
					data.dense, data.y)
				var e *pegasos.StepError
				if err != nil && (!errors.As(err, &e) || m != nil || e.Step < 1) || err == nil &&
					(m.Validate() != nil || m.Result.Objective-m.Result.Objective != 0) {
					t.Errorf("%+v, rows of %v: %v", cfg, size, err)
				}
				if err != nil && size <= 1e4 {
					t.Errorf("%+v, rows of %v: %v", cfg, size, err)
				}
			}
		}
	}
}

func TestGoldenJoint(t *testing.T) {
	many, text := random(3, 500, 70, 5, 0.5), four(2, 400, 3000, 0.02)
	for _, c := range []struct {
		name  string
		x     pegasos.Examples
		y     []float32
		costs [][]float64
		cfg   pegasos.Config
		want  string
	}{
		{"Crammer-Singer, dense", many.dense, many.y, nil,
			pegasos.Config{Multiclass: pegasos.CrammerSinger,
				Lambda: 0.01, Epochs: 5},
			"8810d0ef0cb1be09798bcb3142f96d02649d04aa9981cb15ef274ec6e81ef3fb"},
		{"Crammer-Singer, sparse", text.sparse, text.y, unequal,
			pegasos.Config{Multiclass: pegasos.CrammerSinger,
				C: 1, Epochs: 3, Bias: pegasos.BiasAugmented},
			"9aa1f74a127a0b16dac0ce8de82666b3075a36d6fc45ec118d7628990bc7769a"},
		{"multinomial, dense", many.dense, many.y, nil, pegasos.Config{Multiclass: pegasos.Multinomial,
			Lambda: 0.01, Epochs: 3, Bias: pegasos.BiasUnregularised, Batch: 4},
			"5a2d08f8205a7ebdfc40586cf4cd343b5b0064c322f8e5934ca574a1fb49dd32"},
		{"multinomial, sparse", text.sparse, text.y, nil, pegasos.Config{Multiclass: pegasos.Multinomial,
			Order: pegasos.IID, Epochs: 2, Offset: pegasos.OffsetNone, Project: true},
			"59584dcd69469b43c07c5bf1627e7d545b91957bb90dece090ff198d2d826600"},
	} {
		for _, isa := range paths() {
			for threads := 1; threads < 4; threads += 2 {
				func() {
					defer asm.Use(asm.Use(isa))
					m, err := trainPlain(t.Context(),
						&pegasos.Trainer{Config: c.cfg, Costs: c.costs, Threads: threads},
						c.x, c.y)
					if err != nil || m.Hash() != c.want {
						t.Errorf("%s on %v, %d threads: %v %s, want %s", c.name, isa, threads, err,
							m.Hash(), c.want)
					}
				}()
			}
		}
	}
}
