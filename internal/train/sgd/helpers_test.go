package sgd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

func layouts(x *dense.Matrix) []store.Examples {
	return []store.Examples{x, sample.ToSparse(x), sample.UserRows(x)}
}

// In a binary problem, class 1 is positive and all others are negative.
type spec struct {
	loss    loss.Func
	joint   bool // multinomial if log is set, else Crammer-Singer
	log     bool
	costs   [][]float64 // nil for 1 each
	lambda  float64
	t0      float64
	bias    float64 // value of the appended feature; 0 for none
	free    bool    // the bias has no penalty
	weights []float32
	prior   bool    // random weights
	start   int64   // steps of the model that the run continues, with random weights; 0 for none
	radius  float64 // radius of the ball around the prior; 0 for no projection
	batch   int     // number of rows of a step; 0 for steps without batches
	compact bool    // store sparse rows, each with equal values, in fewer bytes
}

func (s *spec) numbers() bool { return !s.joint && s.loss.Kind.Traits().Numbers }

func (s *spec) data(seed uint64, n, classes int) (*dense.Matrix, []float32) {
	p := sample.Random(seed, n, 7, classes, 0.7)
	g := rand.New(rand.NewPCG(seed, 2))
	for i := range p.Y {
		if s.numbers() {
			p.Y[i] = float32(g.NormFloat64()) + p.Dense.Row(i)[1]
		} else if i < 8 { // so that each class occurs
			p.Y[i] = float32(i % classes)
		}
	}
	return p.Dense, p.Y
}

func (s *spec) state(t testing.TB, x store.Examples, y []float32) iterate.State {
	t.Helper()
	set, err := store.NewSet(x, y, store.SetOptions{Regression: s.numbers(), Weights: s.weights})
	if ok := true; err == nil {
		if s.compact {
			set.Compacted, ok = set.X.Compact(1)
		}
		if err = set.Measure(); !ok {
			t.Fatal("the rows have more than one value each")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	view, _, err := set.View(nil, false)
	if err != nil {
		t.Fatal(err)
	}
	view.Scattered = true // rows are prefetched
	k := 1
	if s.joint {
		k = len(set.Classes)
	}
	g := rand.New(rand.NewPCG(5, 5))
	random := func() (w [][]float32, b []float64) {
		w, b = iterate.Zeros(k, x.Cols()), make([]float64, k)
		for r := range w {
			for j := range w[r] {
				w[r][j] = float32(g.NormFloat64()) / 4
			}
			if s.bias > 0 || s.free {
				b[r] = g.NormFloat64() / 4
			}
		}
		return w, b
	}
	terms := &objective.Terms{View: view, Lambda: s.lambda, BiasScale: s.bias, FreeBias: s.free,
		PriorBias: make([]float64, k)}
	if s.prior {
		if err := terms.SetPrior(random()); err != nil {
			t.Fatal(err)
		}
	}
	state := iterate.New(terms, k)
	state.T0, state.Radius, state.Total, state.Period = s.t0, s.radius, 300, 8
	state.Windows = certificate.NewWindows(300, 300, x.Rows()*k)
	if s.start > 0 {
		w, b := random()
		if err := state.SetStart(w, b, s.start); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// weightsOf returns the last iterate's vectors with the prior, each followed by its bias.
func weightsOf(s *iterate.State) (w [][]float64) {
	v, b := s.NewWeights()
	s.Last(v, b)
	s.AddPrior(v)
	for k := range v {
		w = append(w, nil)
		for _, z := range v[k] {
			w[k] = append(w[k], float64(z))
		}
		w[k] = append(w[k], b[k]+s.PriorBias[k])
	}
	return w
}

// oracle takes the paper's steps in float64 and stores w itself:
//
//	w <- w - eta*lambda*(w - w0) + eta * mean of weight*g*x,  eta = 1/(lambda*(t+t0))
//
// for each vector, where g is the row's coefficient. It then projects w onto the ball around w0, if
// any.
type oracle struct {
	*spec
	x      *dense.Matrix
	y      []float32
	share  []float64 // weights of the rows; those above 0 have a mean of 1
	t      int64
	w, w0  [][]float64 // weight vectors, each followed by its bias
	counts []float64   // of coefficients, as in Windows.Count
}

func (s *spec) newOracle(x *dense.Matrix, y []float32, from *iterate.State) *oracle {
	o := &oracle{spec: s, x: x, y: y, t: from.T, w: weightsOf(from),
		counts: make([]float64, x.Rows()*len(from.Vectors)), share: make([]float64, x.Rows())}
	var sum, n float64
	for i := range o.share {
		if o.share[i] = 1; s.weights != nil {
			o.share[i] = float64(s.weights[i])
		}
		if sum += o.share[i]; o.share[i] > 0 {
			n++
		}
	}
	for i := range o.share {
		o.share[i] *= n / sum
	}
	for k := range o.w {
		o.w0 = append(o.w0, make([]float64, len(o.w[k])))
		if from.Prior != nil {
			for j, v := range from.Prior[k] {
				o.w0[k][j] = float64(v)
			}
			o.w0[k][len(o.w0[k])-1] = from.PriorBias[k]
		}
	}
	return o
}

// kink reports whether rounding may decide the coefficients.
func (s *spec) coefficients(z []float64, label float32, y int) (g []float64, kink bool) {
	if s.joint {
		return s.jointCoefficients(z, y)
	}
	side, target := -1.0, 0.0
	if s.numbers() {
		side, target = 1, float64(label)
	} else if label == 1 {
		side = 1
	}
	m := side*z[0] - target
	kink = s.loss.Kind.Traits().Kinks && s.loss.KinkDistance(m) < 1e-4
	return []float64{s.loss.Coefficient(m) * side}, kink
}

func (s *spec) jointCoefficients(z []float64, y int) (g []float64, kink bool) {
	g = make([]float64, len(z))
	if s.log {
		for r := range z {
			inverse := 0.0 // 1/p_r
			for _, v := range z {
				inverse += math.Exp(v - z[r])
			}
			g[r] = -1 / inverse
		}
		g[y]++
		return g, false
	}
	cost := func(r int) float64 {
		switch {
		case r == y:
			return 0
		case s.costs != nil:
			return s.costs[y][r]
		}
		return 1
	}
	most, at := 0.0, y
	for r := range z {
		if v := cost(r) - (z[y] - z[r]); v > most {
			most, at = v, r
		}
	}
	for r := range z { // a tie of scores of 0 is no kink, because they have no rounding errors
		kink = kink || r != at && most-(cost(r)-(z[y]-z[r])) < 1e-4 && (z[r] != 0 || z[at] != 0)
	}
	if at != y {
		g[at], g[y] = -1, 1
	}
	return g, kink
}

// step takes no step if rounding may decide a coefficient.
func (o *oracle) step(idx []uint32) (kink bool) {
	eta := 1 / (o.lambda * (float64(o.t) + 1 + o.t0))
	d := o.x.Cols()
	sum := make([][]float64, len(o.w))
	for k := range sum {
		sum[k] = make([]float64, d+1)
	}
	for _, i := range idx {
		z := make([]float64, len(o.w))
		for k := range z {
			z[k] = o.w[k][d]
			for j, v := range o.x.Row(int(i)) {
				z[k] += o.w[k][j] * float64(v)
			}
		}
		g, kink := o.coefficients(z, o.y[i], int(o.y[i]))
		if kink {
			return true
		}
		for k, g := range g {
			if o.counts[int(i)*len(o.w)+k] += math.Abs(g); o.joint && k == int(o.y[i]) {
				o.counts[int(i)*len(o.w)+k] = 0
			} else if o.numbers() {
				o.counts[i] += g - math.Abs(g)
			}
			g *= o.share[i] / float64(len(idx))
			sum[k][d] += g
			for j, v := range o.x.Row(int(i)) {
				sum[k][j] += g * float64(v)
			}
		}
	}
	o.t++
	var norm float64
	for k, w := range o.w {
		for j := range w {
			u := w[j] - o.w0[k][j]
			switch {
			case j < d:
				u += -eta*o.lambda*u + eta*sum[k][j]
				norm += u * u
			case o.free:
				u += eta * sum[k][d]
			case o.bias > 0:
				u += -eta*o.lambda*u + eta*sum[k][d]*o.bias*o.bias
				norm += u / o.bias * u / o.bias
			}
			w[j] = o.w0[k][j] + u
		}
	}
	if f := o.radius / math.Sqrt(norm); o.radius > 0 && f < 1 {
		for k, w := range o.w {
			for j := range w {
				if j < d || !o.free {
					w[j] = o.w0[k][j] + f*(w[j]-o.w0[k][j])
				}
			}
		}
	}
	return false
}

// same allows for rounding.
func (o *oracle) same(s *iterate.State) bool {
	size := 1 / o.lambda / (float64(o.t) + o.t0)
	for _, w := range o.w {
		for _, v := range w {
			size = math.Max(size, math.Abs(v))
		}
	}
	for k, w := range weightsOf(s) {
		for j, v := range w {
			if !(math.Abs(v-o.w[k][j]) <= 1e-4*size) {
				return false
			}
		}
	}
	return true
}
