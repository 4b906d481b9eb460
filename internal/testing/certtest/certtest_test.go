package certtest

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMinimize(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		lambda, label float64
		w, objective  float64
	}{
		{Hinge, 0.5, 1, 1, 0.25},             // margin 1, objective lambda/2
		{Hinge, 2, -1, -0.5, 0.75},           // w = -1/lambda, objective 1 - 1/(2 lambda)
		{SquaredHinge, 2, 1, 0.5, 0.5},       // w = 2/(lambda+2)
		{Squared, 1, 3, 1.5, 2.25},           // w = y/(lambda+1)
		{EpsInsensitive, 0.5, 3, 2, 1 + 0.5}, // w = 1/lambda, epsilon 0.5
	} {
		p := &Problem{Kind: c.kind, Lambda: c.lambda, Rows: [][]float64{{1}},
			Labels: []float64{c.label}, Vectors: 1, Epsilon: 0.5}
		if c.kind != EpsInsensitive {
			p.Epsilon = 0
		}
		w, b, least := p.Minimize()
		if math.Abs(w[0][0]-c.w) > 1e-6 || math.Abs(least-c.objective) > 1e-8 ||
			least != p.Objective(w, b) {
			t.Errorf("kind %d, lambda %v: w = %v with objective %v, want %v with %v", c.kind, c.lambda,
				w[0][0], least, c.w, c.objective)
		}
	}
}

func TestObjective(t *testing.T) {
	p := &Problem{Kind: Squared, Lambda: 4, Rows: [][]float64{{2}, {0}}, Labels: []float64{1, 1},
		Weight: []float64{3, 1}, Vectors: 1, Bias: true, Prior: [][]float32{{1}},
		PriorBias: []float64{0}}
	w, b := [][]float64{{2}}, []float64{1}
	// The scores are 5 and 1, the losses 8 and 0 with weights 3 and 1, and the penalty is 2
	// (2-1)^2.
	if f := p.Objective(w, b); f != 6+2 {
		t.Errorf("the objective is %v, want 8", f)
	}
	p.BiasScale = 2
	if f := p.Objective(w, b); f != 6+2+0.5 {
		t.Errorf("with a penalized bias the objective is %v, want 8.5", f)
	}
}

func TestMinimum(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []Kind{Hinge, Log, SquaredHinge, Squared} {
		p := &Problem{Kind: kind, Lambda: 0.1, Vectors: 1, Bias: true, BiasScale: 1}
		for range 20 {
			p.Rows = append(p.Rows, []float64{g.NormFloat64(), g.NormFloat64()})
			p.Labels = append(p.Labels, float64(2*g.IntN(2)-1))
		}
		w, b, least := p.Minimize()
		for range 200 {
			size := math.Exp(-8 * g.Float64())
			near := [][]float64{{w[0][0] + size*g.NormFloat64(), w[0][1] + size*g.NormFloat64()}}
			if f := p.Objective(near, []float64{b[0] + size*g.NormFloat64()}); f < least-1e-12 {
				t.Errorf("kind %d: %v is below the minimum %v", kind, f, least)
			}
		}
	}
}
