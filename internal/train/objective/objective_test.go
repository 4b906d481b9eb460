package objective_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

func wide(w [][]float32) (to [][]float64) {
	for _, v := range w {
		to = append(to, floats.Float64s(v))
	}
	return to
}

func (p *problem) meanLoss(w [][]float32, b []float64, exact bool) float64 {
	if p.joint != nil {
		if exact {
			return p.joint.MeanLoss(w, wide(w), b)
		}
		return p.joint.MeanLoss(w, nil, b)
	}
	n := p.terms.Count()
	sum := p.binary.SumLosses(p.terms.X, w[0], nil, b[0], 0, n)
	if exact {
		half := n / 2
		sum = p.binary.SumLosses(p.terms.X, nil, wide(w)[0], b[0], 0, half) +
			p.binary.SumLosses(p.terms.X, nil, wide(w)[0], b[0], half, n)
	}
	return sum / float64(n)
}

func TestMeasure(t *testing.T) {
	cases(t, func(t *testing.T, g *rand.Rand, p *problem) {
		w, b := p.weights(g)
		truth := p.truth.Objective(wide(w), b)
		if at := p.of.At(w, b); math.Abs(at-truth) > 1e-5*(1+truth) {
			t.Errorf("P is %v, want %v", at, truth)
		}
		found := objective.Evaluation{W: w, B: b, R2: p.r2, Loss: p.meanLoss(w, b, false),
			DotSize: p.terms.DotSize()}
		value, mistake := objective.Measure(p.of, p.terms, found)
		if off := math.Abs(value - truth); !(off <= mistake) || mistake > 1e-4*(1+truth) {
			t.Errorf("P is %v, its error %v, the bound on the error %v", value, off, mistake)
		}
		found.Exact, found.Loss, found.DotSize = wide(w), p.meanLoss(w, b, true), 0
		if value, mistake = objective.Measure(p.of, p.terms, found); math.Abs(value-truth) > mistake ||
			mistake > 1e-11*(1+truth) {
			t.Errorf("P is %v, its error %v, the bound on the error %v",
				value, value-truth, mistake)
		}
	})
}

func TestAtZero(t *testing.T) {
	cases(t, func(t *testing.T, g *rand.Rand, p *problem) {
		w := make([][]float64, p.truth.Vectors)
		b := make([]float64, p.truth.Vectors)
		for k := range w {
			w[k] = make([]float64, p.terms.X.Cols())
			if p.truth.Prior != nil {
				w[k], b[k] = floats.Float64s(p.truth.Prior[k]), p.truth.PriorBias[k]
			}
		}
		if have, want := p.of.AtZero(), p.truth.Objective(w, b); math.Abs(have-want) > 1e-5*want {
			t.Errorf("AtZero returns %v, want %v", have, want)
		}
	})
}

func TestLossError(t *testing.T) {
	cases(t, func(t *testing.T, g *rand.Rand, p *problem) {
		if p.truth.Prior != nil {
			return
		}
		w, b := p.weights(g)
		meanLoss := func(b []float64) float64 { return p.meanLoss(w, b, true) }
		before := meanLoss(b)
		p.terms.SumError = 0
		z := pick(g, 1e-3, 0.1, 3)
		most := p.of.LossError(z, before)
		worst := 0.0
		for range 20 {
			moved := slices.Clone(b)
			for k := range moved {
				moved[k] += z * float64(1-2*g.IntN(2))
			}
			worst = math.Max(worst, math.Abs(meanLoss(moved)-before))
		}
		if worst > most*(1+1e-12) {
			t.Errorf("the loss changes by %v, LossError returns %v", worst, most)
		}
		limit := z // losses without a curvature have slopes of at most 1
		if p.joint != nil {
			limit = 2 * z
		} else if c := p.binary.Cost.Kind.Traits().Curvature; c > 0 {
			limit = z * (math.Sqrt(2*c*before) + c/2*z)
		}
		if math.Abs(most-limit) > 1e-12*limit {
			t.Errorf("LossError returns %v, want %v", most, limit)
		}
	})
	two := store.View{X: store.Of(dense.New(2, 1)), Class: make([]int32, 2)}
	one := objective.Binary{Terms: &objective.Terms{View: two}}
	if e := one.LossError(3, 1); e != 3*one.Cost.Kind.Traits().Slope() {
		t.Errorf("hinge: the error is %v", e)
	}
	v := store.View{X: store.Of(dense.New(2, 1)), Target: []float32{3, 4}}
	number := objective.Binary{Terms: &objective.Terms{View: v, SumError: 1},
		Cost: loss.Func{Kind: loss.EpsInsensitive, Epsilon: 0.5}}
	if e, want := number.LossError(10, 1), 10+1+0.5+math.Sqrt((9.+16)/2); math.Abs(e-want) > 1e-12 {
		t.Errorf("regression: the error is %v, want %v", e, want)
	}
	joint := objective.Joint{Terms: &objective.Terms{SumError: 1}, Costs: [][]float64{{0, 7}, {2, 0}}}
	if e := joint.LossError(10, 1); e != 27 {
		t.Errorf("costs: the error is %v, want 27", e)
	}
	if joint.Costs = nil; joint.LossError(10, 1) != 21 {
		t.Errorf("no costs: the error is %v, want 21", joint.LossError(10, 1))
	}
}

func pick[T any](g *rand.Rand, of ...T) T { return of[g.IntN(len(of))] }

// The sub-gradient defines a plane that is nowhere above the loss.
func TestCoefficients(t *testing.T) {
	cases(t, func(t *testing.T, g *rand.Rand, p *problem) {
		w, b := p.weights(g)
		if p.truth.Prior != nil { // the coefficients are for scores minus the prior's
			for k := range w {
				for j := range w[k] {
					w[k][j] -= p.truth.Prior[k][j]
				}
				b[k] -= p.truth.PriorBias[k]
			}
		}
		added := p.scores(w, b)
		for at, i := range p.terms.All() {
			z := added[at]
			gradient := make([]float64, len(z))
			if p.joint != nil {
				violated := p.joint.Coefficients(z, gradient, uint32(i))
				y, sum := int(p.terms.Class[i]), 0.0
				if gradient[y] != 0 || violated != (slices.Max(gradient) > 0) {
					t.Errorf("scores %v: sub-gradient %v, Coefficients returns %v", z, gradient,
						violated)
				}
				for _, v := range gradient {
					sum += v
				}
				gradient[y] = -sum
			} else {
				c, weighted := p.binary.Coefficient(uint32(i), z[0])
				side, target := p.binary.MarginTerms(uint32(i))
				if want := p.binary.Cost.Coefficient(float64(side)*z[0] - target); c != float32(want) {
					t.Errorf("the coefficient %v, want %v", c, want)
				}
				gradient[0] = -float64(weighted) / p.terms.RowWeight(i)
			}
			before := p.rowLoss(at, i, z)
			for range 5 {
				other, plane := slices.Clone(z), before
				for r := range other {
					d := g.NormFloat64()
					other[r] += d
					plane += d * gradient[r]
				}
				if have := p.rowLoss(at, i, other); have < plane-1e-5*(1+have+math.Abs(plane)) {
					t.Errorf("the loss is %v at %v, but at least %v by the sub-gradient at %v",
						have, other, plane, z)
				}
			}
		}
	})
}

func (p *problem) rowLoss(at, i int, z []float64) float64 {
	one := p.truth
	one.Rows, one.Labels, one.Weight = [][]float64{{}}, p.truth.Labels[at:at+1], nil
	one.Lambda, one.Prior, one.Bias = 0, nil, false
	full := slices.Clone(z)
	for r := range full {
		if p.truth.Prior != nil {
			full[r] += p.scores(p.truth.Prior, p.truth.PriorBias)[at][r]
		}
	}
	empty := make([][]float64, len(z))
	return one.Objective(empty, full)
}

func TestPrior(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 4))
	p := newProblem(t, g, loss.Log, certtest.Log)
	for p.truth.Prior == nil || p.truth.PriorBias[0] == 0 {
		p = newProblem(t, g, loss.Log, certtest.Log)
	}
	want := p.scores(p.truth.Prior, p.truth.PriorBias)
	i := p.terms.Row(0)
	if p.terms.PriorScore64(i, 0) != 0 {
		t.Errorf("PriorScore64 is not 0 before ComputePriorScores64")
	}
	p.terms.ComputePriorScores64()
	for at, i := range p.terms.All() {
		if math.Abs(p.terms.PriorScores[i]-want[at][0]) > 1e-5 ||
			math.Abs(p.terms.PriorScore64(i, 0)-want[at][0]) > 1e-14 {
			t.Errorf("row %d: %v and %v, want %v",
				i, p.terms.PriorScores[i], p.terms.PriorScore64(i, 0), want[at][0])
		}
		side, _ := p.binary.Label(uint32(i))
		if have := p.binary.Target64(i); have != -float64(side)*p.terms.PriorScore64(i, 0) {
			t.Errorf("row %d: the target %v", i, have)
		}
	}
	w := [][]float32{make([]float32, p.terms.X.Cols())}
	w[0][0] = 2
	p.terms.AddPrior(w)
	for j, v := range w[0] {
		want := p.truth.Prior[0][j]
		if j == 0 {
			want += 2
		}
		if v != want {
			t.Errorf("weight %d is %v, want %v", j, v, want)
		}
	}
	length := math.Sqrt(objective.SquareSum(p.truth.Prior[0]))
	e := p.terms.SumError * (1.001*length*math.Sqrt(p.r2) + math.Abs(p.truth.PriorBias[0]))
	if have := p.terms.PriorError(p.r2); math.Abs(have-e) > 1e-12*e {
		t.Errorf("the error %v, want %v", have, e)
	}
	for p = newProblem(t, g, loss.Kinds, certtest.CrammerSinger); p.truth.Prior == nil; {
		p = newProblem(t, g, loss.Kinds, certtest.CrammerSinger)
	}
	p.terms.ComputePriorScores64()
	want = p.scores(p.truth.Prior, p.truth.PriorBias)
	for at, i := range p.terms.All() {
		for k := range p.truth.Vectors {
			if have := p.terms.PriorScore64(i, k); math.Abs(have-want[at][k]) > 1e-13 {
				t.Errorf("row %d, class %d: %v, want %v", i, k, have, want[at][k])
			}
		}
	}
	none := &objective.Terms{View: p.terms.View}
	if none.ComputePriorScores64(); none.PriorScore64(0, 1) != 0 {
		t.Error("a score without a prior")
	}
	infinite := slices.Repeat([]float64{math.Inf(1)}, p.truth.Vectors)
	if err := p.terms.SetPrior(p.truth.Prior, infinite); err == nil {
		t.Error("SetPrior accepts infinite biases")
	}
}

func TestPenalty(t *testing.T) {
	w, from := []float32{3, 4}, []float32{1, 1}
	for _, c := range []struct {
		from        []float32
		bias, scale float64
		want        float64
	}{
		{nil, 0, 1, 25}, {nil, 6, 2, 25 + 9}, {from, 0, 1, 4 + 9}, {from, 2, 0.5, 4 + 9 + 16},
	} {
		if have := objective.Penalty(w, c.from, c.bias, 0.5, c.scale); have != c.want/4 {
			t.Errorf("%+v: the penalty is %v, want %v", c, have, c.want/4)
		}
	}
	terms := &objective.Terms{Lambda: 2, Prior: [][]float32{from, {0, 0}}, PriorBias: []float64{1, 2}}
	if have := objective.PenaltyOf(terms, [][]float32{w, w}, []float64{5, 5}); have != 13+25 {
		t.Errorf("without the biases: %v", have)
	}
	terms.BiasScale = 1
	if have := objective.PenaltyOf(terms, [][]float32{w, w}, []float64{5, 5}); have != 13+25+16+9 {
		t.Errorf("with the biases: %v", have)
	}
	if have := terms.MaxNorm([][]float32{w, {1, 1}}, 0); have != 5 {
		t.Errorf("MaxNorm of two vectors: %v", have)
	}
	terms.Prior = nil
	if have := terms.MaxNorm([][]float32{w}, 25); !(have > 5 && have < 5.00001) {
		t.Errorf("MaxNorm from the penalty: %v", have)
	}
	if have := objective.SumError(100, 20, 3); have != (800+20+3+64)*0x1p-53 {
		t.Errorf("SumError returns %v", have)
	}
}

func TestScoreError(t *testing.T) {
	terms := &objective.Terms{SumError: 0x1p-10}
	for _, c := range []struct{ length, want float64 }{
		{0, 7 * 0x1p-10}, {2, 2*0.125 + 0x1p-10*(1.001*2*3+7)},
	} {
		have := terms.ScoreError(c.length, []float64{5, -7, 1}, 0.125, 9)
		if math.Abs(have-c.want) > 1e-15 {
			t.Errorf("length %v: the error is %v, want %v", c.length, have, c.want)
		}
	}
}

func TestMeasureOfFoldedWeights(t *testing.T) {
	terms := &objective.Terms{Lambda: 2, BiasScale: 0.5, SumError: 0x1p-20, PriorBias: []float64{1}}
	terms.View = store.View{X: store.Of(dense.New(1, 2)), Class: []int32{1}}
	p := &objective.Binary{Terms: terms, Positive: 1}
	w, b := [][]float32{{3, 4}}, []float64{2}
	found := objective.Evaluation{W: w, B: b, Loss: 0.25, R2: 1}
	value, plain := objective.Measure(p, terms, found)
	found.Scale = &scale.Scale{Kind: scale.Standard, Shift: []float32{1, -2},
		Factor: []float32{1, 4}}
	folded, more := objective.Measure(p, terms, found)
	size := found.Scale.BiasError(w)
	d := found.Scale.WeightError() * 5
	weights := 2 * d * (math.Sqrt(value-0.25) + d)
	e := terms.SumError * (size + 2) / 0.5
	bias := 2 * e * (1/0.5 + e)
	score := terms.SumError * size
	if want := weights + bias + score; folded != value || math.Abs(more-plain-want) > 1e-9*want {
		t.Errorf("P is %v, the bound on the error is larger by %v, want %v and %v",
			folded, more-plain, value, want)
	}
	found.Exact = [][]float64{{3, 5}}
	exact, most := objective.Measure(p, terms, found)
	sums := terms.SumError * (exact - value) // rounding error of the larger penalty
	if want := bias + score + sums; exact != value+9 || math.Abs(most-plain-want) > 1e-9*want {
		t.Errorf("exact vectors: P is %v, the bound on the error is larger by %v, want %v and %v",
			exact, most-plain, value+9, want)
	}
}

func TestObjectiveOfInfiniteScores(t *testing.T) {
	x := dense.New(2, 1)
	x.Row(0)[0], x.Row(1)[0] = 3e38, 1
	terms := &objective.Terms{View: store.View{X: store.Of(x), Class: []int32{1, 0}}, Lambda: 1,
		PriorBias: make([]float64, 2)}
	binary, w := &objective.Binary{Terms: terms, Positive: 1}, [][]float32{{10}, {1}}
	joint := &objective.Joint{Terms: terms, Vectors: 2}
	if v := binary.At(w[:1], []float64{0}); !math.IsNaN(v) {
		t.Errorf("binary: P is %v, want NaN", v)
	}
	if v := joint.At(w, []float64{0, 0}); !math.IsNaN(v) {
		t.Errorf("joint: P is %v, want NaN", v)
	}
}

func TestLogSumExp(t *testing.T) {
	for _, c := range []struct {
		z    []float64
		zero float64
		want float64
	}{
		{[]float64{0, 0}, 0, math.Ln2}, {[]float64{1000, 0}, 1000, 0}, {[]float64{1000, 1000}, 0,
			1000 + math.Ln2}, {[]float64{-2, 1}, 1, math.Log1p(math.Exp(-3))},
	} {
		if have := objective.LogSumExp(c.z, c.zero); math.Abs(have-c.want) > 1e-13*(1+c.want) {
			t.Errorf("LogSumExp(%v, %v) = %v, want %v", c.z, c.zero, have, c.want)
		}
	}
}
