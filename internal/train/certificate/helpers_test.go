package certificate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// problem is one training problem in two forms: of package objective, and of certtest.
type problem struct {
	of    objective.Problem
	cost  loss.Func // loss of a binary problem
	terms *objective.Terms
	truth certtest.Problem // rows, labels and weights in the order of the view
	r2    float64          // mean squared norm of the rows, with the bias's feature
}

type form struct {
	cost    loss.Func
	joint   certtest.Kind // CrammerSinger or Multinomial
	vectors int           // 1 for a binary problem
	bias    string        // "" for none, "augmented" or "free"
}

func pick[T any](g *rand.Rand, of ...T) T { return of[g.IntN(len(of))] }

// normal returns an approximately normal number, the same on every machine.
func normal(g *rand.Rand) float64 {
	sum := -6.0
	for range 12 {
		sum += g.Float64()
	}
	return sum
}

func newProblem(t testing.TB, g *rand.Rand, f form) *problem {
	t.Helper()
	n, d := 4+g.IntN(12), 1+g.IntN(4)
	x := dense.New(n, d)
	size := pick(g, 1e-3, 1, 1, 1, 1e3)
	for i := range n {
		for j := range d {
			if g.IntN(5) > 0 {
				x.Row(i)[j] = float32(size * normal(g))
			}
		}
	}
	var held store.Examples = x
	if g.IntN(2) == 0 {
		held = sample.ToSparse(x)
	}
	v := store.View{X: store.Of(held)}
	v.Norms = store.Squares(v.X)
	if g.IntN(3) == 0 {
		for _, i := range g.Perm(n)[:3+g.IntN(n-3)] {
			v.Only = append(v.Only, uint32(i))
		}
	}
	if g.IntN(2) == 0 {
		v.Weight = make([]float64, n)
		sum := 0.0
		for _, i := range v.All() {
			v.Weight[i] = pick(g, 1, 0.1, 30)
			sum += v.Weight[i]
		}
		for _, i := range v.All() {
			v.Weight[i] *= float64(v.Count()) / sum
		}
	}
	p := &problem{cost: f.cost, truth: certtest.Problem{
		Kind: certtest.KindOf(f.cost.Kind.Name()), Epsilon: f.cost.Epsilon,
		Vectors: f.vectors, Lambda: math.Ldexp(size*size, -g.IntN(10))}}
	labels := make([]float64, n)
	for i := range labels {
		switch {
		case f.vectors > 1:
			labels[i] = float64(g.IntN(f.vectors))
		case f.cost.Kind.Traits().Numbers:
			labels[i] = float64(float32(3 * normal(g)))
		default:
			labels[i] = float64(1 - 2*g.IntN(2))
		}
	}
	for k, i := range v.All() {
		if f.vectors == 1 && !f.cost.Kind.Traits().Numbers && k < 2 { // one row of each class
			labels[i] = float64(1 - 2*k)
		}
		wide := make([]float64, d)
		for j, z := range x.Row(i) {
			wide[j] = float64(z)
		}
		p.truth.Rows = append(p.truth.Rows, wide)
		p.truth.Labels = append(p.truth.Labels, labels[i])
		if v.Weight != nil {
			p.truth.Weight = append(p.truth.Weight, v.Weight[i])
		}
		p.r2 += v.RowWeight(i) * float64(v.Norms[i]) / float64(v.Count())
	}
	p.terms = &objective.Terms{View: v, Lambda: p.truth.Lambda, FreeBias: f.bias == "free",
		PriorBias: make([]float64, f.vectors), SumError: objective.SumError(v.Count(), d, f.vectors)}
	if p.truth.Bias = f.bias != ""; f.bias == "augmented" {
		p.terms.BiasScale = size * pick(g, 0.3, 1, 3)
		p.truth.BiasScale = p.terms.BiasScale
		p.r2 += float64(p.terms.BiasScale * p.terms.BiasScale)
	}
	p.setLabels(f, labels, g)
	if g.IntN(3) == 0 {
		p.setPrior(t, g, f.bias != "")
	}
	return p
}

func (p *problem) setLabels(f form, labels []float64, g *rand.Rand) {
	v := &p.terms.View
	for _, y := range labels {
		switch {
		case f.vectors > 1:
			v.Class = append(v.Class, int32(y))
		case f.cost.Kind.Traits().Numbers:
			v.Target = append(v.Target, float32(y))
		default:
			v.Class = append(v.Class, int32(1+y)) // classes 0 and 2
		}
	}
	if f.vectors == 1 {
		p.of = &objective.Binary{Terms: p.terms, Cost: f.cost, Positive: 2}
		return
	}
	p.truth.Kind = f.joint
	j := &objective.Joint{Terms: p.terms, Vectors: f.vectors, Log: f.joint == certtest.Multinomial}
	if !j.Log && g.IntN(2) == 0 {
		for y := range f.vectors {
			costs := make([]float64, f.vectors)
			for r := range costs {
				if r != y {
					costs[r] = 0.25 * float64(1+g.IntN(8))
				}
			}
			j.Costs = append(j.Costs, costs)
		}
		p.truth.Costs = j.Costs
	}
	p.of = j
}

func (p *problem) setPrior(t testing.TB, g *rand.Rand, bias bool) {
	prior := make([][]float32, p.truth.Vectors)
	biases := make([]float64, p.truth.Vectors)
	for k := range prior {
		for range p.terms.X.Cols() {
			prior[k] = append(prior[k], float32(normal(g)/math.Sqrt(p.r2)))
		}
		if bias {
			biases[k] = normal(g)
		}
	}
	p.truth.Prior, p.truth.PriorBias = prior, biases
	if err := p.terms.SetPrior(prior, biases); err != nil {
		t.Fatal(err)
	}
}

type dualParts struct {
	value     float64
	size      float64
	linear    float64 // sum of the magnitudes of the terms linear in the dual variables
	quadratic float64
	squares   float64 // mean of the rows' squared dual variables, with own classes
	norm      float64 // |u|, where u is the mean of the rows times their dual variables
}

// dual computes the dual objective of s*a independently of package certificate. For an unpenalized
// bias it assumes that both sides have equal sums.
func (p *problem) dual(a []float32, s float64) (d dualParts) {
	v, k := &p.terms.View, p.truth.Vectors
	u := make([][]float64, k)
	for r := range u {
		u[r] = make([]float64, v.X.Cols()+1)
	}
	for at, i := range v.All() {
		c, y := v.RowWeight(i)/float64(v.Count()), p.truth.Labels[at]
		before := make([]float64, k)
		for r, w := range p.truth.Prior {
			before[r] = p.truth.PriorBias[r]
			for j, x := range p.truth.Rows[at] {
				before[r] += x * float64(w[j])
			}
		}
		add := func(r int, by float64) {
			for j, x := range p.truth.Rows[at] {
				u[r][j] += c * by * x
			}
			u[r][len(u[r])-1] += c * by * p.truth.BiasScale
		}
		if k == 1 {
			side, target := y, 0.0
			if v.Target != nil {
				side, target = 1, y
			}
			b := s * float64(a[i])
			target -= side * before[0]
			add(0, side*b)
			line, quadratic := p.conjugate(b)
			d.value += c * (line - quadratic + b*target)
			d.linear += c * (math.Abs(line) + math.Abs(b*target))
			d.quadratic += c * quadratic
			d.squares += c * b * b
			continue
		}
		own, entropy := 0.0, 0.0
		for r := range k {
			b := s * float64(a[i*k+r])
			cost := 0.0
			if p.truth.Kind == certtest.CrammerSinger && r != int(y) {
				if cost = 1; p.truth.Costs != nil {
					cost = p.truth.Costs[int(y)][r]
				}
			}
			own += b
			add(r, -b)
			entropy -= xLogX(b)
			d.value += c * b * (cost + before[r] - before[int(y)])
			d.linear += c * b * (cost + math.Abs(before[r]) + math.Abs(before[int(y)]))
			d.squares += c * b * b
		}
		add(int(y), own)
		d.squares += c * own * own
		if p.truth.Kind == certtest.Multinomial {
			d.value += c * (entropy - xLogX(1-own))
			d.size += c * (entropy - xLogX(1-own))
		}
	}
	half := 0.0
	for r := range u {
		for _, z := range u[r] {
			half += z * z / (2 * p.truth.Lambda)
		}
	}
	d.value -= half
	d.size += d.linear + d.quadratic + half
	d.norm = math.Sqrt(half * 2 * p.truth.Lambda)
	return d
}

// The minimum over m of l(m) + b*m for the loss l is line - quadratic. An entropy is part of line.
func (p *problem) conjugate(b float64) (line, quadratic float64) {
	least := p.cost.DualTerm(b)
	if p.cost.Kind.Traits().Entropy {
		return least, 0
	}
	return p.cost.DualLinear(b), p.cost.DualLinear(b) - least
}

func xLogX(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x)
}

func (p *problem) duals(g *rand.Rand) []float32 {
	k := p.truth.Vectors
	a := make([]float32, k*p.terms.X.Rows())
	kind, size := g.IntN(4), float32(pick(g, 1e-3, 0.3, 1, 100))
	for i := range a {
		switch kind {
		case 0:
			a[i] = size
		case 1:
			a[i] = size * (2*g.Float32() - 1)
		case 2:
			a[i] = float32(g.IntN(2)) * g.Float32()
		case 3:
			a[i] = size * g.Float32()
		}
		a[i] = p.of.Clamp(a[i])
	}
	if k == 1 {
		return a
	}
	for i, y := range p.terms.Class {
		row := a[i*k:][:k]
		row[y] = 0
		sum := 0.0
		for _, v := range row {
			sum += float64(v)
		}
		for r := range row { // the sum becomes at most 1, up to rounding
			row[r] = float32(float64(row[r]) / math.Max(sum, 1))
		}
	}
	return a
}

func forms() (all []form) {
	for _, bias := range []string{"", "augmented", "free"} {
		for k := range loss.Kind(loss.Kinds) {
			all = append(all, form{loss.Func{Kind: k}, 0, 1, bias})
			if k.Traits().Epsilon {
				all = append(all, form{loss.Func{Kind: k, Epsilon: 0.25}, 0, 1, bias})
			}
		}
		if bias != "free" {
			all = append(all, form{loss.Func{}, certtest.CrammerSinger, 3, bias},
				form{loss.Func{}, certtest.Multinomial, 3, bias})
		}
	}
	return all
}
