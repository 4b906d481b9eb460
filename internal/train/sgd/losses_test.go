package sgd_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

func curved(cost loss.Func, lambda, bias float64) *sgd.Binary {
	data := sample.Random(22, 200, 7, 2, 0.7)
	x := data.Dense
	for i := range 3 {
		dense.Scale(1000, x.Row(i))
	}
	v := store.View{X: store.Of(x), Class: make([]int32, 200)}
	v.Norms = store.Squares(v.X)
	largest := 0.0 // squared norm, with the bias's feature
	for i, n := range v.Norms {
		v.Class[i] = int32(data.Y[i])
		largest = max(largest, float64(n)+bias*bias)
	}
	if cost.Kind.Traits().Numbers {
		v.Class, v.Target = nil, make([]float32, 200)
		for i := range v.Target {
			v.Target[i] = x.Row(i)[0] - x.Row(i)[1]/2 + float32(i%16)/32
		}
	}
	s := iterate.New(&objective.Terms{View: v, Lambda: lambda, BiasScale: bias,
		PriorBias: []float64{0}}, 1)
	s.T0 = cost.Kind.Traits().Curvature * largest / lambda
	return sgd.NewBinary(s, cost, 1)
}

func TestStepsDoNotOvershoot(t *testing.T) {
	for k := range loss.Kind(loss.Kinds) {
		cost := loss.Func{Kind: k}
		if k.Traits().Curvature == 0 {
			continue
		}
		for _, bias := range []float64{0, 1} {
			p := curved(cost, 1e-4, bias)
			before := p.Of.AtZero()
			g := rand.New(rand.NewPCG(1, 2))
			have, b := [][]float32{make([]float32, p.X.Cols())}, []float64{0}
			for step := range 2000 {
				if p.Steps([]uint32{uint32(g.IntN(200))}, nil); step%20 != 0 {
					continue
				}
				p.Weights(have, b)
				if at := p.Of.At(have, b); !(at <= 4*before) {
					t.Fatalf("%s, bias %v, step %d: the objective is %v, for w = 0 it is %v",
						k.Name(), bias, step, at, before)
				}
			}
		}
	}
}
