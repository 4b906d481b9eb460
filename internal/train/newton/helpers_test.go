package newton

import (
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Row j of x is row j of the Problem, with the row number n-1-j.
type spec struct {
	x       *dense.Matrix
	y       []float32 // the sign of y-1/2 is the label, unless y are regression targets
	layout  func(x *dense.Matrix) store.Examples
	loss    loss.Func
	lambda  float64
	beta    float64 // 0 if there is no bias
	free    bool    // the bias has no penalty; beta is then 1
	weights bool
	prior   bool      // subtract numbers from the targets, as a prior would
	start   []float32 // initial weights, then the initial bias if beta is not 0; nil for zeros
}

func asDense(x *dense.Matrix) store.Examples    { return x }
func asSparse(x *dense.Matrix) store.Examples   { return sample.ToSparse(x) }
func asUserRows(x *dense.Matrix) store.Examples { return sample.UserRows(x) }

func (s *spec) side(j int) float64 {
	if !s.loss.Kind.Traits().Numbers && s.y[j] < 0.5 {
		return -1
	}
	return 1
}

func (s *spec) target(j int) (target float64) {
	if s.loss.Kind.Traits().Numbers {
		target = float64(s.y[j])
	}
	if s.prior {
		target -= float64(j%7-3) / 4
	}
	return target
}

// The weights have the mean 1.
func (s *spec) share(j int) float64 {
	if n := s.x.Rows(); s.weights && j < n/2*2 {
		return 0.25 + 1.5*float64(j%2)
	}
	return 1
}

func (s *spec) problem() *Problem {
	n, layout := s.x.Rows(), s.layout
	if layout == nil {
		layout = asDense
	}
	p := &Problem{Loss: s.loss, Lambda: s.lambda, Cols: s.x.Cols(), Beta: s.beta, Free: s.free,
		X: store.Of(layout(s.x)), Name: func(row uint32) int { return n - 1 - int(row) },
		AtZero: func() (sum float64) {
			for j := range n {
				sum += s.share(j) * s.loss.At(-s.target(j)) / float64(n)
			}
			return sum
		},
		Start: func() ([]float32, float64) {
			w := make([]float32, s.x.Cols())
			if copy(w, s.start); len(s.start) > len(w) {
				return w, float64(s.start[len(w)])
			}
			return w, 0
		}}
	for j := range n {
		p.Rows, p.At = append(p.Rows, uint32(n-1-j)), append(p.At, uint32(j))
		p.Side = append(p.Side, int8(s.side(j)))
	}
	if s.weights {
		p.Weight = make([]float64, n)
		for j := range n {
			p.Weight[n-1-j] = s.share(j)
		}
	}
	if s.prior || s.loss.Kind.Traits().Numbers {
		p.Target = func(row uint32) float64 { return s.target(n - 1 - int(row)) }
	}
	return p
}

func (s *spec) method(tol float64) *Method {
	p := s.problem()
	return New(&Pool{X: p.X.Clone(), Threads: 1}, tol, func() *Problem { return p })
}

func (s *spec) ready() *Method {
	n := s.method(0)
	n.Ready()
	n.buffers = n.pool.get()
	n.fitBuffers()
	return n
}

func (s *spec) row(j int) []float64 {
	row := floats.Float64s(s.x.Row(j))
	if s.beta > 0 {
		row = append(row, s.beta)
	}
	return row
}

func (s *spec) margin(j int, v []float64) (m float64) {
	for l, x := range s.row(j) {
		m += x * v[l]
	}
	return s.side(j)*m - s.target(j)
}

func (s *spec) penalized() int {
	if s.beta > 0 && !s.free {
		return s.x.Cols() + 1
	}
	return s.x.Cols()
}

func (s *spec) primal(v []float64) (p float64) {
	for _, z := range v[:s.penalized()] {
		p += s.lambda / 2 * z * z
	}
	for j := range s.x.Rows() {
		p += s.share(j) * s.loss.At(s.margin(j, v)) / float64(s.x.Rows())
	}
	return p
}

// If the bias has no penalty, D is -Inf unless the sum of c_i*a_i*y_i is about 0.
func (s *spec) dual(a []float64) (d float64, wa []float64) {
	n := float64(s.x.Rows())
	wa = make([]float64, s.penalized())
	balance := 0.0
	for j, a := range a {
		d += s.share(j) * (s.loss.DualTerm(a) + a*s.target(j)) / n
		balance += s.share(j) * a * s.side(j)
		for l, x := range s.row(j)[:len(wa)] {
			wa[l] += s.share(j) * a * s.side(j) * x / (s.lambda * n)
		}
	}
	if s.free && math.Abs(balance) > 1e-6*n {
		return math.Inf(-1), wa
	}
	for _, z := range wa {
		d -= s.lambda / 2 * z * z
	}
	return d, wa
}

func random(seed uint64, rows, cols int, fill float64, f loss.Func) spec {
	data := sample.Random(seed, rows, cols, 2, fill)
	if f.Kind.Traits().Numbers {
		g := rand.New(rand.NewPCG(seed, 2))
		for i := range data.Y {
			data.Y[i] = data.Dense.Row(i)[0] + float32(g.NormFloat64())/4
		}
	}
	return spec{x: data.Dense, y: data.Y, loss: f, lambda: 1e-3}
}

var allLosses = func() (all []loss.Func) {
	for k := range loss.Kind(loss.Kinds) {
		f := loss.Func{Kind: k}
		if k.Traits().Epsilon {
			f.Epsilon = 0.25
		}
		all = append(all, f)
	}
	return all
}()

func cases(rows, cols int, fill float64, f func(s spec)) {
	for k, l := range allLosses {
		for kind, change := range []func(s *spec){
			func(s *spec) {},
			func(s *spec) { s.beta = 2 },
			func(s *spec) { s.beta, s.free = 1, true },
			func(s *spec) { s.beta, s.free, s.weights = 1, true, true },
			func(s *spec) { s.beta, s.weights = 0.5, true },
			func(s *spec) { s.prior = true },
			func(s *spec) {
				s.beta = 1
				for j := range cols + 1 {
					s.start = append(s.start, float32(j-2)/4)
				}
			},
		} {
			s := random(uint64(90+k), rows, cols, fill, l)
			s.layout = []func(x *dense.Matrix) store.Examples{asDense, asSparse,
				asUserRows}[(k+kind)%3]
			change(&s)
			f(s)
		}
	}
}

func toPixels(x *dense.Matrix, n float32) {
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			x.Row(i)[j] = float32(math.Round(min(255, math.Abs(100*float64(v))))) / n
		}
	}
}
