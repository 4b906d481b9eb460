package rounds

import (
	"fmt"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// u, the mean vector, is in unscaled variables.
func proofOf(t *testing.T, r *Rounds, s *State, w []float64, b, meanLoss, dualTerm, square float64,
	u []float64,
) *task {
	t.Helper()
	s.Kind = Proof
	p := taskOf(t, r, s)
	p.model = modelVector{w: w, bias: b, biasSize: math.Abs(b)}
	p.setMean(r, 0, p.segments[0], meanLoss)
	p.setMean(r, 1, p.segments[1], dualTerm)
	p.setMean(r, 2, p.segments[2], square)
	for j, v := range u {
		p.setMean(r, 3+j, p.segments[3], v*r.scale[j])
	}
	return p
}

func TestCertify(t *testing.T) {
	w, u := []float64{3, 0, 4}, []float64{0.01, -0.02, 0, 0.02} // u.u/(2 lambda) is 0.045
	for _, c := range []struct {
		loss            loss.Kind
		method          Method
		dualTerm, bound float64
	}{
		{loss.Hinge, Newton, 0.25, 0.205}, {loss.Log, Newton, 0.25, 0.205},
		// With the dual term a - a^2/4, 0.3 s - (0.1 + 0.045) s^2 is largest at s = 1 among s up to
		// 1.
		{loss.SquaredHinge, Newton, 0.2, 0.155}, {loss.Hinge, Dual, 0.25, 0.205},
		{loss.SquaredHinge, Dual, 0.2, 0.155},
		{loss.Hinge, Newton, 0.06, 0.02}, // 0.06 s - 0.045 s^2 at s = 2/3
		{loss.Hinge, Newton, -0.1, 0}, {loss.Log, Newton, 0.03, 0},
	} {
		r := newRounds(t, c.loss, c.method, 2)
		p := proofOf(t, r, r.Start(), w, 2, 0.5, c.dualTerm, 0.4, u)
		value, bound := r.certify(p)
		if !near(value, 0.5+0.005*26) || math.Abs(bound-c.bound) > 1e-10 || bound > c.bound {
			t.Errorf("%+v: objective %v, bound %v", c, value, bound)
		}
	}
}

func TestCertifyRemainders(t *testing.T) {
	w, u := []float64{3, 0, 4}, []float64{0.01, -0.02, 0, 0.02}
	for inverse, included := range map[float64]bool{0x1p20: true, 0x1p40: false} {
		r := newRounds(t, loss.Hinge, Newton, 2)
		p := proofOf(t, r, r.Start(), w, 0, 0.5, 0.25, 0.4, u)
		p.segments[0].quantum = quantum{inverse, 1 / inverse}
		p.setMean(r, 0, p.segments[0], 0.5)
		without, _ := r.certify(p)
		p.sum[p.size-1] = int64(3 * r.remainderScale()) // 3 quanta
		want := without
		if included {
			want += 3 / inverse / 1000
		}
		value, bound := r.certify(p)
		if !near(without, 0.5+0.125) || !near(value, want) || included == (value == without) ||
			math.Abs(bound-0.205) > 1e-10 {
			t.Errorf("%v: objective %v, without remainders %v, bound %v", inverse, value, without, bound)
		}
	}
}

func TestCertifyErrors(t *testing.T) {
	u := []float64{0.01, -0.02, 0, 0.02}
	for _, c := range []struct {
		loss   loss.Kind
		method Method
		want   string
	}{
		{loss.Hinge, Newton, "0x1.7d458f76caceap+26"},
		{loss.Log, Newton, "0x1.7d458f76cacfp+26"},
		{loss.SquaredHinge, Newton, "0x1.7d457915385d2p+26"},
		{loss.Hinge, Dual, "0x1.7d32d8a0ec1c2p+26"},
		{loss.SquaredHinge, Dual, "0x1.7d328424c9f13p+26"},
	} {
		r := newRounds(t, c.loss, c.method, 2)
		r.biasScale = 0.5
		s := r.Start()
		s.Kind = Proof
		p := taskOf(t, r, s)
		for k := range p.segments {
			p.segments[k].quantum = quantum{0x1p20, 0x1p-20}
		}
		p.model = modelVector{w: []float64{3, 0, 4}, bias: 5e8, biasSize: 7e8}
		p.setMean(r, 0, p.segments[0], 2e9)
		p.setMean(r, 1, p.segments[1], 1e8)
		p.setMean(r, 2, p.segments[2], 0.4)
		for j, v := range u {
			p.setMean(r, 3+j, p.segments[3], 1e3*v*r.scale[j])
		}
		_, bound := r.certify(p)
		if have := fmt.Sprintf("%x", bound); have != c.want {
			t.Errorf("%s, %s: %s, want %s", c.loss.Name(), c.method, have, c.want)
		}
	}
}

func TestModelVector(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	m := &Model{Weights: [][]float32{{1, -2, 3}}, Bias: []float64{-0.25}}
	if e := r.modelVector(m, 0); fmt.Sprint(e) != "{[1 -2 3] -0.25 0.25}" || e.norm(r) !=
		math.Sqrt(14+0.125*0.125) {
		t.Errorf("%+v, norm %v", e, e.norm(r))
	}
	m.Scale = &scale.Scale{Kind: scale.Standard, Folded: true,
		Shift: []float32{1, 0.5, -1}, Factor: []float32{2, 0.5, 1}}
	for biasScale, want := range map[float64]string{2: "{[0.5 -4 3] -3.25 5.25}",
		1: "{[0.5 -4 3] -3.25 5.25}", 0: "{[0.5 -4 3] 0 5.25}"} {
		r.biasScale = biasScale
		if e := r.modelVector(m, 0); fmt.Sprint(e) != want {
			t.Errorf("bias scale %v: %v, want %s", biasScale, e, want)
		}
	}
	r.biasScale = 0
	if e := r.modelVector(m, 0); e.norm(r) != math.Sqrt(25.25) {
		t.Errorf("norm %v of %v", e.norm(r), e)
	}
}

func TestNextProof(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Rounds, s *State)
		done   bool
	}{
		"not enough":    {func(r *Rounds, s *State) {}, false},
		"enough":        {func(r *Rounds, s *State) { r.Config.Tol = 0.95 }, true},
		"stuck":         {func(r *Rounds, s *State) { s.Problems[0].Stuck = true }, true},
		"last retry":    {func(r *Rounds, s *State) { s.Retries = newton.Retries - 1 }, false},
		"no retries":    {func(r *Rounds, s *State) { s.Retries = newton.Retries }, true},
		"no iterations": {func(r *Rounds, s *State) { s.Iterations = 10 }, true},
		"one iteration": {func(r *Rounds, s *State) { s.Iterations = 9 }, false},
	} {
		r := newRounds(t, loss.Hinge, Newton, 1)
		s := r.Start()
		s.Iterations, s.Target, s.Retries = 5, 0.5, 1
		s.Objective, s.Bound = 7, 7
		c.change(r, s)
		retries := s.Retries
		p := proofOf(t, r, s, []float64{0, 0, 0}, 0, 0.5, 0.26, 0.4, []float64{0, 0, 0, 0})
		if err := r.nextProof(s, []task{*p}); err != nil {
			t.Fatal(err)
		}
		now := s.Problems[0]
		if !near(s.Objective, 0.5) || math.Abs(s.Bound-0.26) > 1e-10 || now.Objective != s.Objective ||
			now.Bound != s.Bound || now.Since != s.Iterations || now.Falling != s.Objective {
			t.Errorf("%s: after the proof the state is %+v", name, s)
		}
		wantTarget, wantKind := 0.25, Sums
		if c.done {
			wantTarget, wantKind = 0.5, Proof
		} else {
			retries++
		}
		if s.Done != c.done || s.Retries != retries || s.Target != wantTarget || s.Kind != wantKind {
			t.Errorf("%s: after the proof the state is %+v", name, s)
		}
	}
	r := newRounds(t, loss.Hinge, Newton, 1)
	s := r.Start()
	p := proofOf(t, r, s, []float64{0, 0, 0}, 0, 0.2, 0.25, 0.4, []float64{0, 0, 0, 0})
	if r.nextProof(s, []task{*p}) == nil {
		t.Error("a bound above the objective is accepted")
	}
}

func TestProofMeans(t *testing.T) {
	r := newRounds(t, loss.Hinge, Newton, 1)
	r.labels = []float32{0, 1}
	s := r.Start()
	s.Problems = append(s.Problems, r.Start().Problems...)
	s.Problems[0].Stuck = true
	first, other := *s, *s
	first.Problems, other.Problems = s.Problems[:1], s.Problems[1:]
	zero := []float64{0, 0, 0, 0}
	a := proofOf(t, r, &first, zero[:3], 0, 0.5, 0.25, 0.4, zero)
	b := proofOf(t, r, &other, zero[:3], 0, 0.75, 0.125, 0.4, zero)
	if err := r.nextProof(s, []task{*a, *b}); err != nil {
		t.Fatal(err)
	}
	if !near(s.Objective, 0.625) || math.Abs(s.Bound-0.1875) > 1e-10 || s.Done || s.Kind != Sums ||
		!s.Problems[0].Done || s.Problems[1].Done {
		t.Errorf("after the proof the state is %+v", s)
	}
}

func verifying(t *testing.T, method Method, objective, bound float64) *Rounds {
	t.Helper()
	r := newRounds(t, loss.Hinge, method, 1)
	claim := proof.ClassResult{Objective: objective, DualObjective: bound}
	r.claimed = &Model{Weights: [][]float32{{5, 6, 7}}, Bias: []float64{3},
		Result: proof.Result{DualObjective: bound, PerClass: []proof.ClassResult{claim}}}
	return r
}

func TestReached(t *testing.T) {
	for _, c := range []struct{ claimed, objective, bound, want float64 }{
		{0, 1.1, 1, 1}, {0, 1.2, 1, 0}, {0.5, 1, 0.5, 1}, {0.5, 1, 0.49, 0}, {math.NaN(), 1.2, 1, 0},
		{math.NaN(), 1.05, 1, 1},
	} {
		r := verifying(t, Newton, 1, c.claimed)
		r.Config.Tol = 0.1000001
		s := &State{Objective: c.objective, Bound: c.bound}
		if have := r.reached(s); have != (c.want == 1) {
			t.Errorf("%+v: reached returned %v", c, have)
		}
		r.claimed = nil
		if have := r.reached(s); have != (c.objective <= 1.1*c.bound) {
			t.Errorf("%+v, training: %v", c, have)
		}
	}
}

func TestTargetBound(t *testing.T) {
	r := verifying(t, Newton, 1, 0.6)
	s := r.Start()
	p := &s.Problems[0]
	if !near(p.TargetBound, 0.62) || fmt.Sprint(p.W) != "[5 6 7 1.5]" {
		t.Errorf("the first problem is %+v", p)
	}
	for _, c := range []struct {
		bound       float64
		stuck, done bool
	}{{0.6, false, true}, {0.59, false, false}, {0.59, true, true}} {
		s.Problems[0] = Problem{Objective: 1, Bound: c.bound, Stuck: c.stuck, TargetBound: 0.62}
		r.resume(s, 0)
		if p.Done != c.done || !near(p.TargetBound, 0.715) {
			t.Errorf("%+v: after resume the problem is %+v", c, p)
		}
	}
	for _, c := range []struct {
		objective, bound float64
		targets          bool
	}{{1, 0, false}, {1, 1, true}, {1, 1.1, false}, {1, math.NaN(), false}, {math.NaN(), 1, false}} {
		r := verifying(t, Dual, c.objective, c.bound)
		if p := r.Start().Problems[0]; (p.TargetBound > 0) != c.targets || p.W[0] != 0 {
			t.Errorf("%+v: the first problem is %+v", c, p)
		}
	}
	s.Target = 0.25
	for bound, done := range map[float64]bool{0.8: true, 0.79: false} {
		s.Problems[0] = Problem{Objective: 1, Bound: bound}
		if r.resume(s, 0); p.Done != done || p.TargetBound != 0 {
			t.Errorf("bound %v: %+v", bound, p)
		}
	}
}

func TestClaim(t *testing.T) {
	c := &Model{Result: proof.Result{Objective: 3, DualObjective: 2}}
	c.Weights = make([][]float32, 2)
	if have := c.claim(1); !math.IsNaN(have.Objective) || !math.IsNaN(have.DualObjective) {
		t.Errorf("without PerClass the claim is %+v", have)
	}
	c.Result.PerClass = []proof.ClassResult{{Objective: 5}, {Objective: 6, DualObjective: 4}}
	if have := c.claim(1); have.Objective != 6 || have.DualObjective != 4 {
		t.Errorf("the claim is %+v", have)
	}
}
