package sgd_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

// learner returns the solver of 200 random rows, longRows of which are 1000 times as long, and the
// rows. Labels of regression targets depend on the rows.
func learner(seed uint64, cost loss.Func, lambda, bias float64, longRows int) (*sgd.Binary,
	*dense.Matrix) {
	data := sample.Random(seed, 200, 7, 2, 0.7)
	x := data.Dense
	for i := range longRows {
		dense.Scale(1000, x.Row(i))
	}
	v := rows.View{X: store.Of(x), Class: make([]int32, 200)}
	v.Norms = store.Squares(v.X)
	largest, r2 := 0.0, 0.0
	for i, n := range v.Norms {
		v.Class[i] = int32(data.Y[i])
		largest = max(largest, float64(n)+bias*bias)
		r2 += (float64(n) + bias*bias) / 200
	}
	if traits := cost.Kind.Traits(); traits.Numbers {
		v.Class, v.Target = nil, make([]float32, 200)
		for i := range v.Target {
			v.Target[i] = x.Row(i)[0] - x.Row(i)[1]/2 + float32(i%16)/32
		}
	}
	s := iterate.New(&objective.Terms{View: v, Lambda: lambda, BiasScale: bias,
		PriorBias: []float64{0}}, 1)
	if s.T0 = r2 / lambda; cost.Kind.Traits().Curvature > 0 {
		s.T0 = cost.Kind.Traits().Curvature * largest / lambda
	}
	return sgd.NewBinary(s, cost, 1), x
}

// every calls f with each loss.
func every(f func(cost loss.Func)) {
	for k := range loss.Kind(loss.Kinds) {
		f(loss.Func{Kind: k})
		if k.Traits().Epsilon {
			f(loss.Func{Kind: k, Epsilon: 0.25})
		}
	}
}

// The step of every loss is the paper's, w <- (1 - eta*lambda) w + eta*g*x, taken in float64.
func TestStepsOfEveryLoss(t *testing.T) {
	every(func(cost loss.Func) {
		for seed := range uint64(4) {
			for _, lambda := range []float64{8, 1, 0.1} {
				p, x := learner(seed, cost, lambda, 1, 0)
				g := rand.New(rand.NewPCG(seed, 1))
				w, bias := make([]float64, x.Cols()), 0.0
				for step := 1; step <= 300; step++ {
					i := uint32(g.IntN(200))
					z := bias
					for j, v := range x.Row(int(i)) {
						z += w[j] * float64(v)
					}
					side, target := p.Of.MarginTerms(i)
					m := float64(side)*z - target
					if step > 1 && cost.Kind.Traits().Kinks && cost.KinkDistance(m) < 1e-4 {
						break // either side of the kink is right within rounding
					}
					p.Steps([]uint32{i})
					eta := 1 / (lambda * (float64(step) + p.T0))
					by := eta * cost.Coefficient(m) * float64(side)
					size := 1/lambda/float64(step) + math.Abs(bias)
					for j, v := range x.Row(int(i)) {
						w[j] = (1-eta*lambda)*w[j] + by*float64(v)
						size = max(size, math.Abs(w[j]))
					}
					bias = (1-eta*lambda)*bias + by
					have, b := [][]float32{make([]float32, len(w))}, []float64{0}
					p.Weights(have, b)
					for j := range w {
						if math.Abs(float64(have[0][j])-w[j]) > 1e-5*size ||
							math.Abs(b[0]-bias) > 1e-5*size {
							t.Fatalf("%s, lambda %v, step %d: %v and %v, in float64 %v and %v",
								cost.Kind.Name(), lambda, step, have, b, w, bias)
						}
					}
				}
			}
		}
	})
}

// With a second derivative that is bounded no step overshoots, however long a few rows are.
func TestStepsDoNotOvershoot(t *testing.T) {
	every(func(cost loss.Func) {
		if cost.Kind.Traits().Curvature == 0 {
			return
		}
		for _, bias := range []float64{0, 1} {
			p, _ := learner(22, cost, 1e-4, bias, 3)
			before := p.Of.AtZero()
			g := rand.New(rand.NewPCG(1, 2))
			have, b := [][]float32{make([]float32, p.X.Cols())}, []float64{0}
			for step := range 2000 {
				if p.Steps([]uint32{uint32(g.IntN(200))}); step%20 != 0 {
					continue
				}
				p.Weights(have, b)
				if at := p.Of.At(have, b); !(at <= 4*before) {
					t.Fatalf("%s, bias %v, step %d: the objective is %v, at 0 %v", cost.Kind.Name(),
						bias, step, at, before)
				}
			}
		}
	})
}
