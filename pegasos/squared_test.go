package pegasos_test

import (
	"cmp"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

type ridgeProblem struct {
	x         *dense.Matrix
	y         []float32
	weight    []float64 // weight of each row; nil if all are 1
	lambda    float64
	bias      float64 // value of the bias feature; 0 if there is no bias with a penalty
	free      bool    // there is a bias without a penalty
	prior     []float64
	priorBias float64
}

func (p ridgeProblem) solve() (w []float64, bias, least float64) {
	d := p.x.Cols() + 1
	value := p.bias
	if p.free {
		value = 1
	}
	row := func(i int) []float64 {
		x := make([]float64, d)
		for j, v := range p.x.Row(i) {
			x[j] = float64(v)
		}
		x[d-1] = value
		return x
	}
	penalty := func(j int) float64 {
		if j == d-1 && p.free {
			return 0
		}
		return p.lambda
	}
	start := append(append([]float64(nil), p.prior...), make([]float64, d-len(p.prior))...)
	if value != 0 {
		start[d-1] = p.priorBias / value
	}
	weight, all := func(int) float64 { return 1 }, float64(len(p.y))
	if p.weight != nil {
		weight, all = func(i int) float64 { return p.weight[i] }, 0
		for _, c := range p.weight {
			all += c
		}
	}
	// The normal equations are (X'CX + lambda) (w - start) = X'C (y - X start). The diagonal matrix
	// C has the row weights divided by their sum.
	a := make([][]float64, d)
	for j := range a {
		a[j] = make([]float64, d+1)
		a[j][j] = penalty(j)
		if j == d-1 && value == 0 {
			a[j][j] = 1
		}
	}
	for i, y := range p.y {
		x, c := row(i), weight(i)/all
		rest := float64(y)
		for j, v := range x {
			rest -= v * start[j]
		}
		for j, v := range x {
			for k, u := range x {
				a[j][k] += c * v * u
			}
			a[j][d] += c * v * rest
		}
	}
	u := eliminate(a)
	for j := range u {
		least += penalty(j) / 2 * u[j] * u[j]
		u[j] += start[j]
	}
	for i, y := range p.y {
		rest := float64(y)
		for j, v := range row(i) {
			rest -= v * u[j]
		}
		least += weight(i) / all * rest * rest / 2
	}
	return u[:d-1], u[d-1] * value, least
}

func eliminate(a [][]float64) []float64 {
	d := len(a)
	for j := range d {
		best := j
		for i := j; i < d; i++ {
			if math.Abs(a[i][j]) > math.Abs(a[best][j]) {
				best = i
			}
		}
		a[j], a[best] = a[best], a[j]
		for i := range d {
			if i == j {
				continue
			}
			by := a[i][j] / a[j][j]
			for k := j; k <= d; k++ {
				a[i][k] -= by * a[j][k]
			}
		}
	}
	u := make([]float64, d)
	for j := range u {
		u[j] = a[j][d] / a[j][j]
	}
	return u
}

func TestSquaredNormalEquations(t *testing.T) {
	for seed := range uint64(3) {
		data, other := random(seed, 90, 5, 2, 0.9).numbers(seed), random(seed+9, 40, 5, 2, 1)
		weights := some(90)
		wideWeights := make([]float64, 90)
		for i, w := range weights {
			wideWeights[i] = float64(w)
		}
		prior := mustTrain(t, other.dense, other.numbers(3).y, pegasos.Config{Loss: pegasos.Squared,
			Bias: pegasos.BiasAugmented, BiasScale: 2})
		for _, c := range []struct {
			name string
			tr   pegasos.Trainer
			near float64 // largest relative error of the weights and of the objective
		}{
			{"dual", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual}}, 1e-5},
			{"auto", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishAuto}}, 1e-5},
			{"last iterate", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual,
				Average: pegasos.LastIterate}}, 1e-5},
			{"bias", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual,
				Bias:      pegasos.BiasAugmented,
				BiasScale: 2}}, 1e-5},
			{"weights", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual,
				Bias: pegasos.BiasAugmented},
				Weights: weights}, 1e-5},
			{"tol", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual, Tol: 1e-6}}, 2e-3},
			{"steps alone", pegasos.Trainer{}, 0.02},
			{"batches", pegasos.Trainer{Config: pegasos.Config{Batch: 10}}, 0.05},
			{"projected", pegasos.Trainer{Config: pegasos.Config{Project: true}}, 0.02},
			{"unregularised", pegasos.Trainer{Config: pegasos.Config{Bias: pegasos.BiasUnregularised}},
				0.05},
			{"prior", pegasos.Trainer{Config: pegasos.Config{Bias: pegasos.BiasAugmented, BiasScale: 2},
				Prior: prior}, 0.05},
			{"start", pegasos.Trainer{Config: pegasos.Config{Finish: pegasos.FinishDual,
				Bias:      pegasos.BiasAugmented,
				BiasScale: 2}, Start: prior}, 1e-5},
		} {
			c.tr.Loss, c.tr.Lambda, c.tr.Seed, c.tr.Epochs = pegasos.Squared, 0.05, seed, 400
			p := ridgeProblem{x: data.dense, y: data.y, lambda: 0.05}
			p.free = c.tr.Bias == pegasos.BiasUnregularised
			if c.tr.Bias == pegasos.BiasAugmented {
				p.bias = cmp.Or(c.tr.BiasScale, 1)
			}
			if c.tr.Weights != nil {
				p.weight = wideWeights
			}
			if c.tr.Prior != nil {
				p.prior, p.priorBias = floats.Float64s(prior.Weights[0]), prior.Bias[0]
			}
			want, bias, least := p.solve()
			for _, x := range []pegasos.Examples{data.dense, data.sparse, sample.UserRows(data.dense)} {
				m, err := trainPlain(t.Context(), &c.tr, x, data.y)
				if err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
				size, far := math.Abs(bias), math.Abs(bias)
				if m.Bias != nil {
					far = math.Abs(m.Bias[0] - bias)
				}
				for j, v := range want {
					size = math.Max(size, math.Abs(v))
					far = math.Max(far, math.Abs(float64(m.Weights[0][j])-v))
				}
				r := m.Result
				if !(far <= c.near*size) || r.DualObjective > least ||
					r.Objective < least*(1-1e-6) || r.Objective > least*(1+c.near) {
					t.Errorf("%s, %T: weights %v and %v, want %v and %v; objective %v, bound %v, "+
						"optimum %v", c.name, x, m.Weights[0], m.Bias, want, bias, r.Objective,
						r.DualObjective, least)
				}
				if c.tr.Finish != "" && c.tr.Tol == 0 && !(r.Gap < 1e-5) {
					t.Errorf("%s, %T: gap %v", c.name, x, r.Gap)
				}
				if c.tr.Tol > 0 && !(r.Gap <= c.tr.Tol) {
					t.Errorf("%s, %T: gap %v, want at most %v", c.name, x, r.Gap, c.tr.Tol)
				}
			}
		}
	}
}
