package objective_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Exactly one of binary and joint is set.
type problem struct {
	of     objective.Problem
	binary *objective.Binary
	joint  *objective.Joint
	terms  *objective.Terms
	truth  certtest.Problem // rows, labels and weights in the order of the view
	r2     float64          // mean squared norm of the rows, with the bias's feature
}

func cases(t *testing.T, f func(t *testing.T, g *rand.Rand, p *problem)) {
	t.Helper()
	for k := range loss.Kind(loss.Kinds + 2) {
		name, truth := "joint", certtest.CrammerSinger
		if k < loss.Kinds {
			name, truth = k.Name(), certtest.KindOf(k.Name())
		} else if k > loss.Kinds {
			truth = certtest.Multinomial
		}
		t.Run(name, func(t *testing.T) {
			g := rand.New(rand.NewPCG(1, uint64(k)))
			for range 40 {
				f(t, g, newProblem(t, g, k, truth))
			}
		})
	}
}

// A kind of loss.Kinds or more selects a joint problem with the loss truth.
func newProblem(t *testing.T, g *rand.Rand, kind loss.Kind, truth certtest.Kind) *problem {
	t.Helper()
	n, d, vectors := 3+g.IntN(9), 1+g.IntN(5), 1
	x := dense.New(n, d)
	v := store.View{X: store.Of(x), Class: make([]int32, n)}
	p := &problem{truth: certtest.Problem{Kind: truth, Lambda: math.Pow(10, -3*g.Float64())}}
	cost := loss.Func{Kind: kind % loss.Kinds}
	if kind >= loss.Kinds {
		vectors = 2 + g.IntN(3)
	} else if cost.Kind.Traits().Epsilon {
		cost.Epsilon = 0.25
	}
	p.truth.Vectors, p.truth.Epsilon = vectors, cost.Epsilon
	if g.IntN(2) == 0 {
		v.Weight = make([]float64, n)
	}
	for _, i := range g.Perm(n)[:n-g.IntN(2)] {
		v.Only = append(v.Only, uint32(i))
	}
	sum := 0.0
	for _, i := range v.All() {
		for j := range d {
			x.Row(i)[j] = float32(g.NormFloat64())
		}
		if v.Weight != nil {
			v.Weight[i] = 0.1 + 3*g.Float64()
			sum += v.Weight[i]
		}
	}
	v.Norms = store.Squares(v.X)
	for k := range v.Weight {
		v.Weight[k] *= float64(v.Count()) / sum
	}
	if vectors == 1 && cost.Kind.Traits().Numbers {
		v.Class, v.Target = nil, make([]float32, n)
	}
	for _, i := range v.All() {
		y := float64(g.IntN(max(2, vectors)))
		switch {
		case v.Target != nil:
			v.Target[i] = float32(3 * g.NormFloat64())
			y = float64(v.Target[i])
		case vectors == 1:
			v.Class[i], y = int32(y), 2*y-1
		default:
			v.Class[i] = int32(y)
		}
		wide := make([]float64, d)
		for j, z := range x.Row(i) {
			wide[j] = float64(z)
		}
		p.truth.Rows, p.truth.Labels = append(p.truth.Rows, wide), append(p.truth.Labels, y)
		p.truth.Weight = append(p.truth.Weight, v.RowWeight(i))
		p.r2 += v.RowWeight(i) * float64(v.Norms[i]) / float64(v.Count())
	}
	p.terms = &objective.Terms{View: v, Lambda: p.truth.Lambda, PriorBias: make([]float64, vectors),
		SumError: objective.SumError(v.Count(), d, vectors)}
	if p.truth.Bias = g.IntN(3) > 0; p.truth.Bias {
		if p.terms.FreeBias = g.IntN(2) == 0; !p.terms.FreeBias {
			p.terms.BiasScale = 0.5 + g.Float64()
			p.truth.BiasScale = p.terms.BiasScale
			p.r2 += p.truth.BiasScale * p.truth.BiasScale
		}
	}
	if vectors == 1 {
		p.binary = &objective.Binary{Terms: p.terms, Cost: cost, Positive: 1}
		p.of = p.binary
	} else {
		p.joint = &objective.Joint{Terms: p.terms, Vectors: vectors, Log: truth == certtest.Multinomial}
		p.of = p.joint
		if !p.joint.Log && g.IntN(2) == 0 {
			for range vectors {
				p.truth.Costs = append(p.truth.Costs, make([]float64, vectors))
				for r := range vectors {
					p.truth.Costs[len(p.truth.Costs)-1][r] = 0.5 + g.Float64()
				}
			}
			p.joint.Costs = p.truth.Costs
		}
	}
	if g.IntN(3) == 0 {
		p.truth.Prior, p.truth.PriorBias = p.weights(g)
		if err := p.terms.SetPrior(p.truth.Prior, p.truth.PriorBias); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *problem) weights(g *rand.Rand) (w [][]float32, b []float64) {
	for range p.truth.Vectors {
		var v []float32
		for range p.terms.X.Cols() {
			v = append(v, float32(g.NormFloat64()))
		}
		bias := 0.0
		if p.truth.Bias {
			bias = g.NormFloat64()
		}
		w, b = append(w, v), append(b, bias)
	}
	return w, b
}

func (p *problem) scores(w [][]float32, b []float64) (z [][]float64) {
	for at := range p.truth.Rows {
		var row []float64
		for k, v := range w {
			sum := b[k]
			for j, x := range p.truth.Rows[at] {
				sum += x * float64(v[j])
			}
			row = append(row, sum)
		}
		z = append(z, row)
	}
	return z
}
