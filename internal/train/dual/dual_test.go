package dual_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

func TestSteps(t *testing.T) {
	kinds := make(map[string]int)
	for k, s := range specs(48) {
		for _, s.lambda = range []float64{0.02, 1e-4} {
			if s.lambda < 0.01 && !s.smooth() {
				continue // without an entropy, a small lambda only enlarges rounding errors
			}
			d := newSolver(t, s, 48, k%2 == 1)
			d.checkVectors(t)
			for pass := range 8 {
				for _, i := range d.All() {
					kinds[s.name+" "+d.checkStep(t, i)]++
				}
				d.checkVectors(t)
				d.solver.EndEpoch()
				gap, left := d.meanGap(), d.solver.GapEstimate()
				if pass > 1 && !(left > gap/30 && left < 30*gap) {
					t.Errorf("%+v, pass %d: P - D is estimated as %v, not %v", s, pass, left, gap)
				}
			}
		}
	}
	for _, name := range []string{"hinge", "squared-hinge", "eps-insensitive", "Crammer-Singer"} {
		if kinds[name+" skipped"] < 50 || kinds[name+" unchanged"] < 50 ||
			kinds[name+" stepped"] < 50 {
			t.Error(name, kinds)
		}
	}
}

func (d *problem) checkStep(t *testing.T, i int) (kind string) {
	t.Helper()
	was, violations, steps := d.solver.Save(), d.Violations, d.T
	next, streak := d.skipping(i)
	active := next <= float32(was.Pass)
	before, v := d.dual()
	want, kept := d.gap(i, v), slices.Clone(d.alpha)
	d.visit(uint32(i))
	now := d.solver.Save()
	gap, gain := (now.GapSum-was.GapSum)/d.RowWeight(i), now.GainSum-was.GainSum
	declined := gain < was.MeanGain/64
	after, _ := d.dual()
	fail := func(what string, have ...any) {
		t.Helper()
		t.Fatalf("%+v, pass %d, row %d: %s: %v", d.spec, was.Pass, i, what, have)
	}
	changed := !slices.Equal(d.alpha, kept)
	if d.T != steps+1 || (d.Violations > violations) != changed || d.Violations > violations+1 {
		fail("steps and updates", d.T, d.Violations, violations)
	}
	if (!active || declined) && changed {
		fail("dual variables", kept, d.alpha)
	}
	if !active {
		if _, now := d.skipping(i); gap != 0 || now != streak {
			fail("skipped, but the gap and the streak are", gap, now)
		}
		return "skipped"
	}
	if !d.spec.smooth() && math.Abs(gap-want) > 1e-4*(1+want) ||
		want > 1e-4 && (gap < want/2.1 || gap > 2.1*want) {
		fail("duality gap", gap, want)
	}
	if next, now := d.skipping(i); now > 0 && (gap > 0 || now != min(streak+1, 4) ||
		next != float32(was.Pass+1)+streak) {
		fail("streak and next pass", now, next)
	}
	if declined {
		return "unchanged"
	}
	small := 1e-8 * (1 + math.Abs(before))
	if d.Lambda < 0.01 { // |v|^2/(2 lambda n^2) and its rounding error are larger
		small *= 1e3
	}
	least := before
	if !d.spec.joint { // the start of a joint problem may be infeasible
		least += 0.99 * gain / 2 / float64(d.Count())
	}
	if after < least-small {
		fail("the dual objective rises too little", before, after, gain)
	}
	k, factor := len(d.dualsOf(i)), 1.0
	switch {
	case d.spec.joint && d.spec.log:
		factor = 1.01
	case d.spec.smooth():
		factor = 1.001
	}
	d.others(i, kept[i*k:][:k], func() {
		other, _ := d.dual()
		if most := (after - before) * factor; other-before > most+small {
			fail("other dual variables are better", d.dualsOf(i), before, other, after)
		}
	})
	return "stepped"
}

// before holds the row's dual variables before the step.
func (d *problem) others(i int, before []float32, f func()) {
	a := d.dualsOf(i)
	kept := slices.Clone(a)
	defer copy(a, kept)
	for _, by := range []float32{1, -1, 0.1, -0.1, 1e-3, -1e-3} {
		switch {
		case !d.spec.joint:
			a[0] = d.of.Clamp(kept[0] + by)
			f()
		case d.spec.log: // along the step
			least, left := float32(0), float32(1)
			for r := range a {
				a[r] = kept[r] + by*(kept[r]-before[r])
				left -= a[r]
				least = min(least, a[r], left)
			}
			if least == 0 {
				f()
			}
		case by > 0: // towards each corner of the simplex
			for corner := range a {
				for r := range a {
					if a[r] = kept[r] * (1 - by); r == corner && r != int(d.Class[i]) {
						a[r] += by
					}
				}
				f()
			}
		}
	}
}

func (d *problem) checkVectors(t *testing.T) {
	t.Helper()
	value, v := d.dual()
	for k, v := range v {
		last := d.Biases[k]
		if d.spec.free {
			last = d.solver.Save().BiasSum * d.feature
		}
		for j, z := range v {
			have := last
			if j < len(d.Vectors[k]) {
				have = float64(d.Vectors[k][j])
			}
			if math.Abs(have-z) > 1e-3*(1+math.Abs(z)) {
				t.Fatalf("%+v: element %d of v is %v, the rows' sum is %v", d.spec, j, have, z)
			}
		}
	}
	if gain := d.solver.DualEstimate(); !d.spec.free &&
		math.Abs(gain-value) > 1e-4*(1+math.Abs(value)) {
		t.Fatalf("%+v: D is %v, want %v", d.spec, gain, value)
	}
}

func TestMeanOfPass(t *testing.T) {
	for _, s := range specs(48) {
		s.mean = s.kinked()
		d := newSolver(t, s, 48, false)
		w, b := d.NewWeights()
		for pass := range 3 {
			mean, samples := make([]float64, 6), 0.0
			for _, i := range d.All() {
				d.visit(uint32(i))
				if !s.mean {
					continue
				}
				if samples += 1; d.Samples() {
					d.Last(w, b)
					for j, z := range w[0] {
						mean[j] += float64(z)
					}
					mean[5] += b[0]
				}
			}
			if s.mean {
				samples = float64(d.Count() / max(1, d.Count()/16))
			}
			bias, uneven := d.Biases[0], d.solver.Save().BiasSum
			d.solver.EndEpoch()
			if want := bias + d.feature*d.feature*uneven/(s.lambda*48); s.free &&
				math.Abs(d.Biases[0]-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%+v: bias %v after pass %d, want %v", s, d.Biases[0], pass, want)
			}
			if d.Weights(w, b); !s.mean {
				continue
			}
			for j, z := range w[0] {
				if want := mean[j] / samples; math.Abs(float64(z)-want) > 1e-5*(1+math.Abs(want)) {
					t.Fatalf("%+v: weight %d is %v, want %v", s, j, z, want)
				}
			}
		}
	}
}

func TestPassesConverge(t *testing.T) {
	for k, s := range specs(40) {
		if s.lambda = 0.05; s.prior {
			s.prior = false
		}
		d := newSolver(t, s, 40, k%2 == 0)
		for range 150 {
			d.pass()
		}
		bound, _ := certificate.Bound(d.of, d.solver.Duals(), d.r2)
		w, b := d.NewWeights()
		d.Weights(w, b)
		p, optimum := d.of.At(w, b), d.optimum()
		if p > optimum*1.003 || p < optimum*(1-1e-6) || bound < optimum*0.997 ||
			bound > optimum*(1+1e-12) || d.Err != nil {
			t.Errorf("%+v: P is %v, D %v, the optimum %v; %v", s, p, bound, optimum, d.Err)
		}
		if left := d.solver.GapEstimate(); !(left < 0.01*optimum) {
			t.Errorf("%+v: P - D is estimated as %v, the optimum is %v", s, left, optimum)
		}
	}
}

// There must be no prior.
func (d *problem) optimum() float64 {
	s := d.spec
	p := certtest.Problem{Kind: certtest.Hinge, Epsilon: s.loss.Epsilon, Vectors: len(d.Vectors),
		Lambda: s.lambda, Bias: s.bias > 0 || s.free, BiasScale: s.bias, Costs: s.costs}
	switch {
	case s.joint && s.log:
		p.Kind = certtest.Multinomial
	case s.joint:
		p.Kind = certtest.CrammerSinger
	default:
		p.Kind = certtest.KindOf(s.loss.Kind.Name())
	}
	for _, i := range d.All() {
		p.Rows, p.Weight = append(p.Rows, d.wide[i][:5]), append(p.Weight, d.RowWeight(i))
		side, label := d.label(i)
		switch {
		case s.joint:
			label = float64(d.Class[i])
		case d.Target == nil:
			label = side
		}
		p.Labels = append(p.Labels, label)
	}
	_, _, least := p.Minimize()
	return least
}

func TestImprove(t *testing.T) {
	for _, s := range specs(40) {
		if s.prior {
			continue
		}
		s.lambda, s.mean = 0.05, false
		d := newSolver(t, s, 40, false)
		before, _ := certificate.Bound(d.of, d.solver.Duals(), d.r2)
		after, optimum := dual.Improve(d.solver, d.State, d.of, 40, d.r2), d.optimum()
		if !(after > before) || after < 0.98*optimum || after > optimum*(1+1e-12) {
			t.Errorf("%+v: the bound rises from %v to %v, the optimum is %v",
				s, before, after, optimum)
		}
		if passes := d.solver.Save().Pass; passes != 40 || d.T != int64(40*d.Count()) {
			t.Errorf("%+v: %d passes with %d steps, want 40 over all rows", s, passes, d.T)
		}
	}
	for _, joint := range []bool{false, true} {
		d := tooLarge(t, joint)
		if bound := dual.Improve(d.solver, d.State, d.of, 3, d.r2); bound != 0 || d.Err != nil {
			t.Errorf("rows that are too large: bound %v, %v", bound, d.Err)
		}
	}
}

// The third step overflows float32 in the dot product.
func tooLarge(t *testing.T, joint bool) *problem {
	x := dense.New(6, 1)
	for i := range 6 {
		x.Row(i)[0] = 1.5e19
	}
	return solverOf(t, spec{joint: joint, lambda: 1e39}, x, []float32{1, 1, 1, 1, 1, 0}, false,
		rand.New(rand.NewPCG(1, 1)))
}

func TestNotFinite(t *testing.T) {
	for _, joint := range []bool{false, true} {
		for _, together := range []bool{false, true} {
			d := tooLarge(t, joint)
			if idx := []uint32{3, 2, 1, 4}; together {
				d.solver.Visit(idx)
			} else {
				d.visit(idx[:3]...)
			}
			var e *iterate.Error
			if !errors.As(d.Err, &e) || e.Row != 1 || e.Step != 3 || d.T != 2 || d.Violations != 2 {
				t.Errorf("joint %v: %v after %d steps, %d updates", joint, d.Err, d.T, d.Violations)
			}
		}
	}
}

func TestGapEstimate(t *testing.T) {
	for _, s := range specs(48) {
		d := newSolver(t, s, 48, false)
		for _, c := range []struct{ before, last, want float64 }{
			{4, 1, 0.35}, {1, 1, 0.7}, {1, 4, 2.8}, {0, 2, 1.4}, {0, 0, 0},
		} {
			p := iterate.Progress{MeanGap: c.last, PrevGap: c.before}
			if !d.solver.Restore(&p, 1) || d.solver.GapEstimate() != c.want {
				t.Errorf("mean gap %v after %v: the estimate is %v, want %v",
					c.last, c.before, d.solver.GapEstimate(), c.want)
			}
		}
	}
}

func TestSaveAndRestore(t *testing.T) {
	for _, s := range specs(48) {
		d := newSolver(t, s, 48, false)
		d.pass()
		d.pass()
		first := d.solver.Save()
		var sum float64
		for _, i := range d.All() {
			d.visit(uint32(i))
			sum = d.solver.Save().GapSum
		}
		d.solver.EndEpoch()
		if now := d.solver.Save(); now.Pass != 3 || now.GapSum != 0 ||
			now.PrevGap != first.MeanGap || now.MeanGap != sum/float64(d.Count()) || now.Start != 0 {
			t.Errorf("%+v: counters %+v after the pass, %+v before; the sum of the gaps is %v",
				s, now, first, sum)
		}
		other := newSolver(t, s, 48, false)
		var arrays [][]float32
		d.solver.Arrays(func(a []float32) { arrays = append(arrays, slices.Clone(a)) })
		if !other.solver.Restore(d.solver.Save(), 3) {
			t.Fatal("not restored")
		}
		other.solver.Arrays(func(a []float32) { copy(a, arrays[0]); arrays = arrays[1:] })
		other.solver.RecomputeWeights()
		d.solver.RecomputeWeights()
		copy(other.Biases, d.Biases)
		other.T = d.T
		d.pass()
		other.pass()
		if *d.solver.Save() != *other.solver.Save() || !slices.Equal(d.alpha, other.alpha) {
			t.Errorf("%+v: counters %+v, want %+v and equal dual variables", s,
				other.solver.Save(), d.solver.Save())
		}
		for _, c := range []struct {
			start  int64
			pass   int
			epochs int
			want   bool
		}{
			{0, 0, 0, true}, {d.T, 2, 2, true}, {d.T + 1, 2, 2, false}, {-1, 2, 2, false},
			{1, 3, 2, false}, {1, -1, 2, false}, {0, 1, 2, true},
		} {
			p := iterate.Progress{Start: c.start, Pass: c.pass}
			if d.solver.Restore(&p, c.epochs) != c.want {
				t.Errorf("%+v: Restore returns %v", c, !c.want)
			}
		}
	}
}

func TestStart(t *testing.T) {
	d := newSolver(t, spec{lambda: 1}, 20, false)
	d.T = 17
	if p := dual.New(d.State, d.binary, make([]float32, 20), d.r2, false).Save(); p.Start != 17 {
		t.Errorf("the solver starts after step %d, want 17", p.Start)
	}
}

func TestDualsAreClamped(t *testing.T) {
	for _, s := range specs(48) {
		d := newSolver(t, s, 48, false)
		traits := s.loss.Kind.Traits()
		low, high := float32(max(-7, traits.Low)), float32(min(7, traits.High))
		if s.joint {
			low, high = 0, 7
		}
		d.alpha[0], d.alpha[1], d.alpha[2] = -7, 7, 0.5
		if a := d.solver.Duals(); a[0] != low || a[1] != high || a[2] != 0.5 || d.alpha[0] != -7 {
			t.Errorf("%+v: Duals returns %v for -7, 7 and 0.5", s, a[:3])
		}
	}
}

func TestSameBits(t *testing.T) {
	for _, s := range specs(64) {
		a, b, c := newSolver(t, s, 64, false), newSolver(t, s, 64, true), newSolver(t, s, 64, false)
		for range 3 {
			a.pass()
			b.pass()
			for _, i := range c.All() {
				c.visit(uint32(i))
			}
			c.solver.EndEpoch()
		}
		if !slices.Equal(a.alpha, c.alpha) || a.Violations != c.Violations || a.T != c.T {
			t.Errorf("%+v: visits to one row at a time give other bits", s)
		}
		for i, v := range a.alpha {
			if math.Abs(float64(v-b.alpha[i])) > 1e-3*(1+math.Abs(float64(v))) {
				t.Errorf("%+v: %v for sparse rows, %v for dense rows", s, b.alpha[i], v)
			}
		}
	}
}

func TestMixedVectors(t *testing.T) {
	data := sample.Random(75, 400, 12, 40, 0.5)
	for _, s := range specs(400) {
		if s.costs = nil; !s.joint {
			continue
		}
		whole := solverOf(t, s, data.Sparse, data.Y, false, rand.New(rand.NewPCG(76, 1)))
		single := solverOf(t, s, data.Sparse, data.Y, false, rand.New(rand.NewPCG(76, 1)))
		for range 3 {
			whole.pass()
			for _, i := range single.All() {
				single.visit(uint32(i))
			}
			single.solver.EndEpoch()
		}
		if whole.Violations == 0 || whole.Violations != single.Violations ||
			!slices.Equal(whole.alpha, single.alpha) ||
			!slices.EqualFunc(whole.Vectors, single.Vectors, slices.Equal) ||
			!slices.Equal(whole.Biases, single.Biases) {
			t.Errorf("%s: other bits after %d and %d changes of dual variables",
				s.name, whole.Violations, single.Violations)
		}
	}
}

// A row without values has equal scores, for which dual variables of 1/2 are optimal.
func TestEqualScores(t *testing.T) {
	x := dense.New(2, 1)
	d := solverOf(t, spec{joint: true, log: true, lambda: 1}, x, []float32{0, 1}, false,
		rand.New(rand.NewPCG(1, 1)))
	d.visit(0)
	if gap := d.solver.Save().GapSum; gap != 0.5 || math.Abs(float64(d.alpha[1])-0.5) > 1e-6 {
		t.Errorf("gap %v, then dual variables %v", gap, d.alpha)
	}
	d.alpha[1] = 0.5
	if d.visit(0); d.alpha[1] != 0.5 || d.solver.Save().GapSum != 0.5 || d.Violations != 1 {
		t.Errorf("gaps %v, dual variables %v at the optimum", d.solver.Save().GapSum, d.alpha)
	}
}
