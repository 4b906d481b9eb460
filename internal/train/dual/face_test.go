package dual_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

func TestFreeVariables(t *testing.T) {
	changes := map[string]int{}
	for k, s := range specs(48) {
		s.lambda = 1e-3
		d := newSolver(t, s, 48, k%2 == 1)
		for range 40 {
			for _, i := range d.All() {
				d.visit(uint32(i))
			}
			before, _ := d.dual()
			kept := slices.Clone(d.alpha)
			d.solver.EndEpoch()
			after, _ := d.dual()
			if !s.free && after < before-1e-5*(1+math.Abs(before)) {
				t.Errorf("%+v: the dual objective falls from %v to %v", s, before, after)
			}
			d.checkVectors(t)
			for i, a := range d.alpha {
				if !s.joint && a != d.of.Clamp(a) {
					t.Errorf("%+v: the dual variable %v is outside the range of the loss", s, a)
				}
				if a != kept[i] {
					changes[s.name]++
				}
			}
		}
		if quadratic := !s.joint && s.loss.Kind != loss.Log; changes[s.name] > 0 && !quadratic {
			t.Errorf("%+v: a step with all free variables", s)
		}
	}
	for k := range loss.Kind(loss.Kinds) {
		if !k.Traits().Kinks && k != loss.Log && changes[k.Name()] < 10 {
			t.Errorf("%s: %d changes of dual variables, want at least 10", k.Name(),
				changes[k.Name()])
		}
	}
}

// The rows are word counts of texts of very unequal lengths.
func TestUnequalNorms(t *testing.T) {
	const rows, cols = 300, 2000
	g := rand.New(rand.NewPCG(5, 6))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		y[i] = float32(i % 2)
		for range int(5 * math.Exp(6*g.Float64())) {
			j := int(cols * math.Pow(g.Float64(), 5))
			if g.Float64() < 0.3 {
				j = j&^1 + i%2 // the words of the classes differ
			}
			x.Row(i)[j]++
		}
		if i%20 < 2 {
			y[i] = 1 - y[i] // some labels are wrong
		}
	}
	for _, kind := range []loss.Kind{loss.Hinge, loss.SquaredHinge, loss.EpsInsensitive} {
		d := solverOf(t, spec{name: kind.Name(), lambda: 1e-3,
			loss: loss.Func{Kind: kind, Epsilon: 0.1}}, x, y, kind.Traits().Numbers, g)
		for range 100 {
			for _, i := range g.Perm(rows) {
				d.visit(uint32(i))
			}
			d.solver.EndEpoch()
		}
		for _, i := range g.Perm(rows) {
			d.visit(uint32(i))
		}
		value, _ := d.dual()
		if gap := d.meanGap(); !(gap < 0.02*value) {
			t.Errorf("%s: P - D is %v, D %v", kind.Name(), gap, value)
		}
	}
}
