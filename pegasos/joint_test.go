package pegasos_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/train/engine"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/pegasos"
)

// An oracle takes the paper's steps in float64, with w as it is and not as v/scale:
//
//	w <- w - eta*lambda*(w - w0) + eta * mean of weight*g*x,  eta = 1/(lambda*(t+t0))
//
// for as many vectors as there are, g being the coefficient of a row for each.
type oracle struct {
	x            *dense.Matrix
	weights      []float64 // of the rows, with a mean of 1; nil if all have the same weight
	lambda, t0   float64
	t            int64
	scale        float64 // of the appended feature, 0 for none
	free         bool    // the bias moves by eta * mean of weight*g
	radius       float64 // of the ball around w0; 0 for none
	w, w0        [][]float64
	b, b0        []float64
	coefficients func(z []float64, i int) (g []float64, kink bool)
}

// newOracle makes one that starts where the run does.
func newOracle(r *run, x *dense.Matrix, tr *pegasos.Trainer, weights []float32) *oracle {
	s := r.Learners[0].State
	o := &oracle{
		x:      x,
		lambda: r.Lambda,
		t0:     s.T0,
		t:      s.Start,
		free:   tr.Bias == pegasos.BiasUnregularised,
	}
	if tr.Bias == pegasos.BiasAugmented {
		o.scale = tr.Plain().BiasScale
	}
	if weights != nil {
		var sum float64
		rows := 0
		for _, v := range weights {
			if sum += float64(v); v > 0 {
				rows++
			}
		}
		for _, v := range weights {
			o.weights = append(o.weights, float64(v)*float64(rows)/sum)
		}
	}
	for k := range s.Vectors {
		w, w0, b, b0 := make([]float64, x.Cols()), make([]float64, x.Cols()), 0.0, 0.0
		if tr.Prior != nil {
			b0 = pegasos.BiasOf(tr.Prior, k)
			for j, v := range tr.Prior.Weights[k] {
				w0[j] = float64(v)
			}
			copy(w, w0)
			b = b0
		}
		if tr.Start != nil {
			b = pegasos.BiasOf(tr.Start, k)
			for j, v := range tr.Start.Weights[k] {
				w[j] = float64(v)
			}
		}
		o.w, o.w0, o.b, o.b0 = append(o.w, w), append(o.w0, w0), append(o.b, b), append(o.b0, b0)
	}
	return o
}

func (o *oracle) share(i int) float64 {
	if o.weights == nil {
		return 1
	}
	return o.weights[i]
}

func (o *oracle) scores(w [][]float64, b []float64, i int) []float64 {
	z := make([]float64, len(w))
	for k := range w {
		z[k] = b[k]
		for j, v := range o.x.Row(i) {
			z[k] += w[k][j] * float64(v)
		}
	}
	return z
}

// step reports a kink if rounding may have decided which way to go. It does not step then.
func (o *oracle) step(idx []uint32) (kink bool) {
	eta := 1 / (o.lambda * (float64(o.t) + 1 + o.t0))
	sum, bias := make([][]float64, len(o.w)), make([]float64, len(o.w))
	for k := range sum {
		sum[k] = make([]float64, o.x.Cols())
	}
	for _, i := range idx {
		g, kink := o.coefficients(o.scores(o.w, o.b, int(i)), int(i))
		if kink {
			return true
		}
		for k := range g {
			a := g[k] * o.share(int(i)) / float64(len(idx))
			bias[k] += a
			for j, v := range o.x.Row(int(i)) {
				sum[k][j] += a * float64(v)
			}
		}
	}
	o.t++
	var norm float64
	for k, w := range o.w {
		for j := range w {
			w[j] += -eta*o.lambda*(w[j]-o.w0[k][j]) + eta*sum[k][j]
			norm += (w[j] - o.w0[k][j]) * (w[j] - o.w0[k][j])
		}
		switch {
		case o.free:
			o.b[k] += eta * bias[k]
		case o.scale > 0:
			o.b[k] += -eta*o.lambda*(o.b[k]-o.b0[k]) + eta*bias[k]*o.scale*o.scale
			norm += math.Pow((o.b[k]-o.b0[k])/o.scale, 2)
		}
	}
	if f := o.radius / math.Sqrt(norm); o.radius > 0 && f < 1 {
		for k, w := range o.w {
			for j := range w {
				w[j] = o.w0[k][j] + f*(w[j]-o.w0[k][j])
			}
			if !o.free {
				o.b[k] = o.b0[k] + f*(o.b[k]-o.b0[k])
			}
		}
	}
	return false
}

// objective is P of any vectors, by definition.
func (o *oracle) objective(w [][]float64, b []float64,
	loss func(z []float64, i int) float64) float64 {
	var p, n float64
	for k := range w {
		for j := range w[k] {
			p += o.lambda / 2 * (w[k][j] - o.w0[k][j]) * (w[k][j] - o.w0[k][j])
		}
		if o.scale > 0 {
			p += o.lambda / 2 * math.Pow((b[k]-o.b0[k])/o.scale, 2)
		}
	}
	var sum float64
	for i := range o.x.Rows() {
		n += o.share(i)
		sum += o.share(i) * loss(o.scores(w, b, i), i)
	}
	return p + sum/n
}

// project makes the ball that is to be stayed in: the loss at w0 says how large it is.
func (o *oracle) project(loss func(z []float64, i int) float64) {
	var sum, n float64
	for i := range o.x.Rows() {
		n += o.share(i)
		sum += o.share(i) * loss(o.scores(o.w0, o.b0, i), i)
	}
	o.radius = math.Sqrt(sum / n / o.lambda)
}

// compare steps the run and the oracle until a kink and compares the two, after each step or their
// means at the end. It returns the number of steps before the kink.
func (o *oracle) compare(t *testing.T, r *run) (steps int) {
	t.Helper()
	l := r.Learners[0]
	mean, samples := make([][]float64, len(o.w)), 0.0
	for k := range mean {
		mean[k] = make([]float64, o.x.Cols()+1)
	}
	same := func(m *pegasos.Model, at func(k, j int) float64) {
		t.Helper()
		size := 1 / o.lambda / float64(o.t)
		for k := range o.w {
			for j := range o.x.Cols() {
				size = math.Max(size, math.Abs(at(k, j)))
			}
			size = math.Max(size, math.Abs(at(k, o.x.Cols())))
		}
		for k, w := range m.Weights {
			for j, v := range append(float64s(w), pegasos.BiasOf(m, k)) {
				if math.Abs(v-at(k, j)) > 1e-4*size {
					t.Fatalf("%T %+v step %d: weight %d of vector %d is %v, in float64 %v",
						r.session.Rows.X, r.session.Settings, o.t, j, k, v, at(k, j))
				}
			}
		}
	}
	for r.T < r.Total {
		var idx []uint32
		if r.Order.Batch > 0 {
			var ends []int
			idx, ends = r.Order.Batches(1)
			l.TakeBatches(idx, ends)
		} else {
			idx = r.Order.Next(1)
			l.TakeSteps(idx)
		}
		if l.State.Err != nil {
			t.Fatalf("%+v: %v", r.session.Settings, l.State.Err)
		}
		r.T++
		if r.Order.AtEnd() {
			r.Epoch++
			l.EndEpoch(r.Epoch)
		}
		if o.step(idx) {
			return steps
		}
		steps++
		if pegasos.Average(r.session.Average) == pegasos.LastIterate {
			same(r.model(), func(k, j int) float64 {
				return append(o.w[k][:len(o.w[k]):len(o.w[k])],
					o.b[k])[j]
			})
		}
		if (r.Total-r.T)%engine.Period(r.Total, o.x.Cols()) == 0 && 2*r.T > r.Total {
			samples++
			for k := range mean {
				for j, v := range o.w[k] {
					mean[k][j] += v
				}
				mean[k][o.x.Cols()] += o.b[k]
			}
		}
	}
	if pegasos.Average(r.session.Average) == pegasos.LastHalf {
		same(r.model(), func(k, j int) float64 { return mean[k][j] / samples })
	}
	return steps
}

func float64s(w []float32) (v []float64) {
	for _, z := range w {
		v = append(v, float64(z))
	}
	return v
}

// jointLosses are the losses of joint problems, written down anew: a row's loss, its coefficient
// for each vector, and whether rounding may decide.
var jointLosses = []struct {
	cfg          pegasos.Config
	costs        [][]float64
	at           func(z []float64, y int) float64
	coefficients func(z []float64, y int) (g []float64, kink bool)
}{
	{pegasos.Config{Multiclass: pegasos.CrammerSinger}, nil, worst(nil).at, worst(nil).coefficients},
	{
		pegasos.Config{Multiclass: pegasos.CrammerSinger},
		unequal,
		worst(unequal).at,
		worst(unequal).coefficients,
	},
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
		},
		func(z []float64, y int) ([]float64, bool) {
			g := make([]float64, len(z))
			for r := range z {
				var inverse float64 // 1/p_r
				for _, v := range z {
					inverse += math.Exp(v - z[r])
				}
				g[r] = -1 / inverse
			}
			g[y]++
			return g, false
		}},
}

var unequal = [][]float64{{0, 1, 3, 1}, {0.5, 0, 0.5, 4}, {2, 1, 0, 0.25}, {1, 1, 1, 0}}

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

func (w worst) coefficients(z []float64, y int) ([]float64, bool) {
	g, most, at := make([]float64, len(z)), w.at(z, y), y
	if most > 0 {
		for r := len(z) - 1; r >= 0; r-- {
			if r != y && w.cost(y, r)-(z[y]-z[r]) == most {
				at = r
			}
		}
		g[at], g[y] = -1, 1
	}
	kink := false
	for r := range z { // a loss of 0 is r = y; vectors of zeros are equal whatever is rounded
		kink = kink || r != at && most-(w.cost(y, r)-(z[y]-z[r])) < 1e-4 &&
			(z[r] != 0 || z[at] != 0)
	}
	return g, kink
}

// four is random with labels 0 to 3, each of which occurs in rows with a weight above 0.
func four(seed uint64, rows, cols int, fill float64) pair {
	p := random(seed, rows, cols, 4, fill)
	for i := range 8 {
		p.y[i] = float32(i % 4)
	}
	return p
}

// mustJoint makes a joint problem of one row for each class.
func mustJoint(t *testing.T, log bool, costs [][]float64, classes int) *joint {
	t.Helper()
	y := make([]float32, classes)
	for k := range y {
		y[k] = float32(k)
	}
	cfg := pegasos.Config{Multiclass: pegasos.CrammerSinger}
	if log {
		cfg.Multiclass = pegasos.Multinomial
	}
	r, err := newRun(dense.New(classes, 1), y, &pegasos.Trainer{Config: cfg, Costs: costs})
	if err != nil {
		t.Fatal(err)
	}
	return r.joint
}

// The losses and their sub-gradients, at scores of any size.
func TestJointLosses(t *testing.T) {
	g := rand.New(rand.NewPCG(2, 2))
	for _, l := range jointLosses {
		j := mustJoint(t, l.cfg.Multiclass == pegasos.Multinomial, l.costs, 4)
		var points [][]float64
		for _, size := range []float64{0, 1, 1, 1, 3, 3, 30, 800, 1e8, 1e30} {
			for range 12 {
				z := make([]float64, 4)
				for r := range z {
					z[r] = size * (2*g.Float64() - 1)
				}
				points = append(points, z)
			}
		}
		points = append(points, []float64{1e30, -1e30, 1e30, 0}, []float64{-1e30, -1e30, -1e30,
			-1e30}, []float64{0, 0, 0, 1e30})
		for _, z := range points {
			for y := range 4 {
				at, want := j.Of.Loss(z, y), l.at(z, y)
				if !(at >= 0) || math.IsInf(at, 1) || math.Abs(at-want) > 1e-13*(1+math.Abs(want)+
					math.Abs(z[y])) {
					t.Errorf("%+v: the loss of %v at %v is %v, want %v", l.cfg, y, z, at, want)
				}
				b := make([]float64, 4)
				if j.Of.Coefficients(z, b, uint32(y)) != (at > 0 || j.Of.Log) || b[y] != 0 {
					t.Errorf("%+v: at %v, %v has %v", l.cfg, z, y, b)
				}
				own := 0.0
				right, _ := l.coefficients(z, y)
				for r, v := range b {
					if own += v; !(v >= 0 && v <= 1) || r != y && math.Abs(v+right[r]) > 1e-14 {
						t.Errorf("%+v: at %v, %v has %v, want %v", l.cfg, z, y, b, right)
					}
				}
				if own > 1+1e-15 || math.Abs(own-right[y]) > 1e-14 {
					t.Errorf("%+v: at %v, %v has %v at its own", l.cfg, z, y, own)
				}
				for _, u := range points {
					have, size := at, math.Abs(at)
					for r, v := range b {
						d := (u[r] - z[r]) - (u[y] - z[y])
						have, size = have+v*d, size+math.Abs(u[r])+math.Abs(z[r])+math.Abs(u[y])+
							math.Abs(z[y])
					}
					if l.at(u, y) < have-1e-12*(1+size) {
						t.Errorf("%+v: the loss at %v is %v, and %v according to the "+
							"sub-gradient at %v", l.cfg, u, l.at(u, y), have, z)
					}
				}
				// Finite differences, away from kinks.
				if _, kink := l.coefficients(z, y); kink || math.Abs(z[0]) > 50 || z[0] == 0 {
					continue
				}
				const h = 1e-6
				for r := range z {
					up, down := append([]float64(nil), z...), append([]float64(nil), z...)
					up[r] += h
					down[r] -= h
					want := b[r]
					if r == y {
						want = -own
					}
					if d := (j.Of.Loss(up, y) - j.Of.Loss(down, y)) / (2 * h); math.Abs(d-want) > 1e-5 {
						t.Errorf("%+v: at %v, %v has %v at %d, by differences %v", l.cfg, z, y,
							want, r, d)
					}
				}
			}
		}
	}
}

// Among tied classes the update subtracts from the first, and with a loss of 0 from none.
func TestJointTies(t *testing.T) {
	for _, c := range []struct {
		costs [][]float64
		z     []float64
		y     int
		want  int // -1: none
	}{
		{nil, []float64{0, 0, 0, 0}, 0, 1},
		{nil, []float64{0, 0, 0, 0}, 2, 0},
		{nil, []float64{1, 0, 0, 0}, 0, -1},
		{nil, []float64{1 - 0x1p-40, 0, 0, 0}, 0, 1},
		{nil, []float64{0, 1, 2, 2}, 0, 2},
		{nil, []float64{5, 1, 2, 5}, 3, 0},
		{nil, []float64{-1, -1, -2, -1}, 1, 0},
		{unequal, []float64{0, 0, 0, 0}, 0, 2},
		{unequal, []float64{0, 0, 0, 0}, 3, 0},
		{unequal, []float64{0, 2, 0, 0}, 0, 1},       // 1+2 and 3+0
		{unequal, []float64{0, 4, 3.5, 0}, 1, -1},    // 0.5-4+3.5 = 0
		{unequal, []float64{3.75, 4, 3.75, 0}, 1, 0}, // 0.25 twice
	} {
		j, b := mustJoint(t, false, c.costs, 4), make([]float64, 4)
		want := make([]float64, 4)
		if c.want >= 0 {
			want[c.want] = 1
		}
		if moved := j.Of.Coefficients(c.z, b, uint32(c.y)); moved != (c.want >= 0) ||
			fmt.Sprint(b) != fmt.Sprint(want) {
			t.Errorf("%v, costs %v: %v has %v, want %v", c.z, c.costs != nil, c.y, b, want)
		}
	}
}

// definition returns P of a model, by definition and in float64.
func definition(
	m *pegasos.Model,
	o *oracle,
	y []float32,
	at func(z []float64, y int) float64,
) float64 {
	var w [][]float64
	var b []float64
	for k := range m.Weights {
		w, b = append(w, float64s(m.Weights[k])), append(b, pegasos.BiasOf(m, k))
	}
	return o.objective(w, b, func(z []float64, i int) float64 { return at(z, int(y[i])) })
}

// At every moment of a run the bound is below all objectives that were ever seen, and in the end it
// and the objective are close. The objective is what its definition says.
func TestJointBound(t *testing.T) {
	for n, l := range jointLosses {
		for kind := range 8 { // with weights, a prior, a bias, or not
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
			x := []pegasos.Examples{data.dense, data.sparse, foreign{data.dense}}[(n+kind)%3]
			r, err := newRun(x, data.y, tr)
			if err != nil {
				t.Fatal(err)
			}
			o := newOracle(r, data.dense, tr, tr.Weights)
			least, best := math.Inf(1), 0.0
			tr.Progress = func(p pegasos.Progress) {
				if e := p.Epoch; e > 20 && e%20 != 0 {
					return
				}
				m := p.Model()
				res := m.Result
				have := definition(m, o, data.y, l.at)
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
				t.Errorf("%T %+v: objective %v, bound %v: gap %v", x, cfg, m.Result.Objective,
					m.Result.DualObjective, m.Result.Gap)
			}
			if tr.Weights == nil && tr.Prior == nil && tr.Costs == nil {
				have := m.Objective(m.DecisionAll(x), data.y, nil)
				if math.Abs(have-m.Result.Objective) > 1e-6*have {
					t.Errorf("%+v: objective %v, of the model %v", cfg, m.Result.Objective, have)
				}
			}
		}
	}
}

// Any shares make a bound: the dual objective at s times them, with nearly the best s.
func TestJointBoundOfAnything(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 3))
	for _, l := range jointLosses {
		scaled := 0
		for kind := range 4 {
			data, other := four(uint64(kind), 30, 5, 1), four(uint64(kind)+60, 30, 5, 1)
			tr := &pegasos.Trainer{Config: pegasos.Config{Multiclass: l.cfg.Multiclass, Lambda: 0.2,
				Bias: pegasos.BiasAugmented, Epochs: 400}, Costs: l.costs}
			if kind&1 != 0 {
				tr.Weights = some(30)
			}
			if kind&2 != 0 {
				tr.Prior = mustTrain(t, other.dense, other.y, tr.Config)
			}
			m, err := trainPlain(t.Context(), tr, data.dense, data.y)
			if err != nil {
				t.Fatal(err)
			}
			r, err := newRun(data.dense, data.y, tr)
			if err != nil {
				t.Fatal(err)
			}
			o := newOracle(r, data.dense, tr, tr.Weights)
			optimum := definition(m, o, data.y, l.at)
			for trial := range 15 {
				a := make([]float32, 30*4)
				u, n, linear := make([][]float64, 4), 0.0, 0.0
				for k := range u {
					u[k] = make([]float64, 6)
				}
				for i := range 30 {
					n += o.share(i)
					left := 1.0
					y := int(data.y[i])
					z := o.scores(o.w0, o.b0, i)
					for k := range 4 {
						if k == y || o.share(i) == 0 || g.IntN(3) == 0 {
							continue
						}
						v := left * g.Float64()
						if trial%3 == 0 {
							v = left
						}
						v *= math.Pow(0.6, float64(trial%5))
						a[i*4+k] = float32(v)
						v = float64(a[i*4+k])
						left = math.Max(0, left-v)
						cost := worst(l.costs).cost(y, k)
						if l.cfg.Multiclass == pegasos.Multinomial {
							cost = 0
						}
						linear += o.share(i) * v * (cost + z[k] - z[y])
						for j, x := range append(float64s(data.dense.Row(i)), 1) {
							u[y][j] += o.share(i) * v * x
							u[k][j] -= o.share(i) * v * x
						}
					}
				}
				var half float64
				for k := range u {
					for _, v := range u[k] {
						half += v * v / (n * n) / (2 * tr.Lambda)
					}
				}
				exact, whole := 0.0, 0.0 // with the best s, and with 1
				for step := range 201 {
					s := float64(step) / 200
					value := s*linear/n - s*s*half
					if l.cfg.Multiclass == pegasos.Multinomial {
						for i := range 30 {
							rest := 1.0
							for k := range 4 {
								v := s * float64(a[i*4+k])
								rest -= v
								if v > 0 {
									value -= o.share(i) / n * v * math.Log(v)
								}
							}
							if rest > 1e-12 {
								value -= o.share(i) / n * rest * math.Log(rest)
							}
						}
					}
					exact, whole = math.Max(exact, value), math.Max(0, value)
				}
				least := exact - 1e-5
				if l.cfg.Multiclass == pegasos.Multinomial {
					least = whole - 1e-5 // Newton starts there
				}
				have := boundOf(&r.joint.Of, a, r.R2)
				if have > exact+1e-3*exact || have < least {
					t.Errorf("%+v weights %v prior %v: bound %v, by definition %v to %v", l.cfg,
						tr.Weights != nil, tr.Prior != nil, have, least, exact)
				}
				if have > optimum {
					t.Errorf("%+v: bound %v, but P is %v", l.cfg, have, optimum)
				}
				if have > whole+1e-3 {
					scaled++
				}
				if trial%15 == 0 { // all is given away: more than all is the same
					for i, v := range a {
						a[i] = 1.25 * v
					}
					// Newton's steps are short where next to nothing is left: the entropy's slope
					// is steep there.
					if more := boundOf(&r.joint.Of, a, r.R2); more > have+1e-5 || more < have-1e-5 &&
						!r.joint.Of.Log {
						t.Errorf("%+v: bound %v, of too much %v", l.cfg, have, more)
					}
				}
			}
			if b := boundOf(&r.joint.Of, make([]float32, 30*4), r.R2); b != 0 {
				t.Errorf("bound %v of zeros", b)
			}
		}
		if scaled == 0 {
			t.Errorf("%+v: s = 1 is always the best", l.cfg)
		}
	}
}

// Joint problems of two classes are those of one vector w' = 2w with half of lambda.
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

// Rows of weight 0 are as if not there, to the bit, and labels may be any numbers.
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
			have, err := trainPlain(
				t.Context(),
				&pegasos.Trainer{Config: cfg, Weights: weights, Costs: l.costs},
				data.dense,
				data.y,
			)
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
				t.Errorf("%+v: %+v, without the rows %+v", cfg, h, w)
			}
			y := make([]float32, 60)
			labels := []float32{-7, -0.5, 3, 1e6}
			for i, v := range data.y {
				y[i] = labels[int(v)]
			}
			named, err := trainPlain(
				t.Context(),
				&pegasos.Trainer{Config: cfg, Weights: weights, Costs: l.costs},
				data.dense,
				y,
			)
			if err != nil || fmt.Sprint(named.Classes) != fmt.Sprint(labels) ||
				fmt.Sprint(named.Weights) != fmt.Sprint(have.Weights) {
				t.Errorf("%+v: other labels make another model: %v", cfg, err)
			}
			for i, v := range have.PredictAll(data.sparse) {
				if u := named.PredictAll(data.sparse)[i]; u != labels[int(v)] {
					t.Errorf("row %d: %v and %v", i, u, v)
				}
			}
		}
	}
}

// Costs of 1 are none; others that can't be used are an error.
func TestCosts(t *testing.T) {
	data := random(6, 300, 2, 3, 1)
	cfg := pegasos.Config{Multiclass: pegasos.CrammerSinger, Lambda: 0.05}
	m, err := trainPlain(
		t.Context(),
		&pegasos.Trainer{Config: cfg, Costs: [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}},
		data.dense,
		data.y,
	)
	if err != nil || m.Hash() != mustTrain(t, data.dense, data.y, cfg).Hash() {
		t.Errorf("costs of 1 make another model: %v", err)
	}
	for _, c := range []struct {
		kind  pegasos.Multiclass
		costs [][]float64
	}{
		{pegasos.OneVsRest, unequal},
		{pegasos.Multinomial, unequal},
		{pegasos.CrammerSinger, unequal},                                         // 4 classes
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0}, {1, 1, 0}}},       // ragged
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 1, 1}, {1, 1, 0}}},    // the diagonal
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 0, 0}}},    // free
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, -1}, {1, 1, 0}}},   // negative
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, 1e39}, {1, 1, 0}}}, // too large
		{pegasos.CrammerSinger, [][]float64{{0, 1, 1}, {1, 0, math.NaN()}, {1, 1, 0}}},
		{pegasos.CrammerSinger, [][]float64{{math.NaN(), 1, 1}, {1, 0, 1}, {1, 1, 0}}},
		{pegasos.CrammerSinger, [][]float64{}},
	} {
		var e *pegasos.ConfigError
		m, err := trainPlain(
			t.Context(),
			&pegasos.Trainer{Config: pegasos.Config{Multiclass: c.kind}, Costs: c.costs},
			data.dense,
			data.y,
		)
		if m != nil || !errors.As(err, &e) || e.Field != "Costs" {
			t.Errorf("%s %v: %v", c.kind, c.costs, err)
		}
	}
}

// Rows that are too large end in an error that names the step, and never in a model that is not
// finite.
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
					(pegasos.CheckModel(m) != nil || m.Result.Objective-m.Result.Objective != 0) {
					t.Errorf("%+v, rows of %v: %v", cfg, size, err)
				}
				if err != nil && size <= 1e4 {
					t.Errorf("%+v, rows of %v: %v", cfg, size, err)
				}
			}
		}
	}
	j := mustRun(t, matrix(t, 2, 1, 1.5e19, 0), []float32{2, 1},
		pegasos.Config{Lambda: 3e38, Offset: pegasos.OffsetNone, Multiclass: pegasos.CrammerSinger}).joint
	j.TakeSteps([]uint32{0, 0, 0, 0})
	var e *iterate.Error
	if !errors.As(j.Err, &e) || e.Row != 0 || e.Step != j.T+1 {
		t.Errorf("score of +Inf: %v after %d steps", j.Err, j.T)
	}
}

// As in TestGoldenModels; any number of threads is one.
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
					m, err := trainPlain(
						t.Context(),
						&pegasos.Trainer{Config: c.cfg, Costs: c.costs, Threads: threads},
						c.x,
						c.y,
					)
					if err != nil || m.Hash() != c.want {
						t.Errorf("%s on %v, %d threads: %v %s, want %s", c.name, isa, threads, err,
							m.Hash(), c.want)
					}
				}()
			}
		}
	}
}
