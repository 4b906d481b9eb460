package certificate_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/certtest"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// An entropy's bound need only be 0.9 times the best: maximize may end early.
func TestBoundOfAnyDualVariables(t *testing.T) {
	for _, f := range forms() {
		g := rand.New(rand.NewPCG(1, 2))
		for range 6 {
			p := newProblem(t, g, f)
			_, _, least := p.truth.Minimize()
			for range 8 {
				a := p.duals(g)
				given := slices.Clone(a)
				bound, s := certificate.Bound(p.of, a, p.r2)
				if f.bias != "free" && f.vectors == 1 && !slices.Equal(a, given) {
					t.Fatalf("%+v: the dual variables %v became %v", f, given, a)
				}
				if bound > least {
					t.Errorf("%+v: the bound %v is above the optimum %v", f, bound, least)
				}
				d := p.dual(a, s)
				value, size := d.value, d.size
				best, at := p.bestDual(a)
				off := 1e-5 * size // Bound rounds some dual variables of joint problems to float32
				if f.isEntropy() {
					if at > 0.8 && !(bound >= 0.9*best) || bound < value-off {
						t.Errorf("%+v: the bound is %v, the dual objective %v, and %v at the "+
							"factor %v", f, bound, value, best, at)
					}
					value = best
				} else if !(bound >= value-off) || value < best-1e-9*size {
					t.Errorf("%+v: the bound %v from terms of size %v; the dual objective is %v, "+
						"and %v at the factor %v",
						f, bound, size, value, best, at)
				}
				if bound > value+1e-15*size {
					t.Errorf("%+v: the bound %v is above the dual objective %v", f, bound, value)
				}
			}
		}
	}
}

// Bound does not return its factor for an entropy.
func (f form) isEntropy() bool {
	return f.vectors == 1 && f.cost.Kind == loss.Log || f.joint == certtest.Multinomial
}

func (p *problem) bestDual(a []float32) (best, s float64) {
	low, high := 0.0, 1.0
	for range 40 {
		third := (high - low) / 3
		if p.dual(a, low+third).value < p.dual(a, high-third).value {
			low += third
		} else {
			high -= third
		}
	}
	s = (low + high) / 2
	best = p.dual(a, s).value
	if v := p.dual(a, 1).value; v > best {
		best, s = v, 1
	}
	return max(best, 0), s
}

func TestFromScores(t *testing.T) {
	for _, f := range forms() {
		g := rand.New(rand.NewPCG(3, 4))
		for range 5 {
			p := newProblem(t, g, f)
			w, b, least := p.truth.Minimize()
			a, bound := certificate.FromScores(p.of, w, b, p.r2, 0)
			if again, _ := certificate.Bound(p.of, slices.Clone(a), p.r2); again < bound*(1-1e-6) {
				t.Errorf("%+v: the dual variables have the bound %v, not %v", f, again, bound)
			}
			if enough := p.closeBound(f, w, b, least); bound > least || bound < enough {
				t.Errorf("%+v: the bound %v from the scores of the optimum %v, want at least %v",
					f, bound, least, enough)
			}
			for i, v := range a {
				if p.of.Clamp(v) != v {
					t.Errorf("%+v: dual variable %d is %v, outside the range of the loss", f, i, v)
				}
			}
			_, wider := certificate.FromScores(p.of, w, b, p.r2, 1e-3)
			if wider < bound || wider > least {
				t.Errorf("%+v: an additional width changes the bound from %v to %v, the optimum "+
					"is %v", f, bound, wider, least)
			}
			for k := range w {
				for j := range w[k] {
					w[k][j] += normal(g) / math.Sqrt(p.r2)
				}
			}
			w[0][0] = pick(g, w[0][0], math.Inf(1), math.NaN(), 1e30)
			if _, bound := certificate.FromScores(p.of, w, b, p.r2, 0); !(bound >= 0 && bound <= least) {
				t.Errorf("%+v: the bound %v from other scores, the optimum is %v", f, bound, least)
			}
		}
	}
}

func (p *problem) closeBound(f form, w [][]float64, b []float64, least float64) (bound float64) {
	switch {
	case f.isEntropy() || !f.cost.Kind.Traits().Kinks:
		return 0.99 * least
	case f.vectors > 1:
		return 0.02 * least
	}
	v := &p.terms.View
	for h := 1e-4; h < 1e5; h *= 1.25 {
		a := make([]float32, v.X.Rows())
		for at, i := range v.All() {
			m := b[0]
			for j, x := range p.truth.Rows[at] {
				m += x * w[0][j]
			}
			if v.Target != nil {
				m -= p.truth.Labels[at]
			} else {
				m *= p.truth.Labels[at]
			}
			a[i] = float32(f.cost.SmoothedCoefficient(m, h))
		}
		value, _ := certificate.Bound(p.of, a, p.r2)
		bound = max(bound, value)
	}
	return 0.8 * bound
}

// A larger Terms.SumError lowers the bound of a loss without an entropy by as much as the package
// comment says, within a tenth. With SumError 0, a Crammer-Singer bound includes the float32
// rounding of own dual variables.
func TestBoundMakesUpForRoundings(t *testing.T) {
	const sums = 0x1p-20
	for _, f := range forms() {
		g := rand.New(rand.NewPCG(7, 8))
		for range 12 {
			p := newProblem(t, g, f)
			a := p.duals(g)
			p.terms.SumError = 0
			exact, s := certificate.Bound(p.of, a, p.r2)
			d := p.dual(a, s)
			if f.vectors > 1 && !f.isEntropy() && exact > 0 {
				rounded := 0x1p-23 * d.norm * math.Sqrt(d.squares*p.r2) / p.truth.Lambda
				if off := d.value - exact; off < 0.5*rounded || off > 2*rounded+1e-14*d.size {
					t.Errorf("%+v: the bound is %v below the dual objective, want about %v",
						f, off, rounded)
				}
			}
			p.terms.SumError = sums
			less, _ := certificate.Bound(p.of, a, p.r2)
			have, want := (exact-less)/sums, p.slack(d)
			if exact < 1e-2*want || exact == 0 {
				continue
			}
			switch low := 0.9 * want; {
			case f.isEntropy(): // maximize adds 64 to the sensitivity
				if !(have > 0 && have < 1.1*want+70) {
					t.Errorf("%+v: the bound falls by %v times SumError, want at most %v and 64",
						f, have, want)
				}
			case !(have >= low && have <= 1.1*want):
				t.Errorf("%+v: the bound falls by %v times SumError, want %v", f, have, want)
			}
		}
	}
}

// slack returns the sensitivity of the bound to Terms.SumError: the errors of the linear and
// quadratic terms, of |u|^2/(2 lambda), and of the prior's scores.
func (p *problem) slack(d dualParts) float64 {
	lambda, reach := p.truth.Lambda, math.Sqrt(d.squares*p.r2)
	slack := d.linear + d.norm*(d.norm+reach)/lambda + d.quadratic
	length, bias := 0.0, 0.0
	for k, w := range p.truth.Prior {
		length = math.Max(length, sample.Norm(w))
		bias = math.Max(bias, math.Abs(p.truth.PriorBias[k]))
	}
	prior := math.Sqrt(d.squares) * (length*math.Sqrt(p.r2) + bias)
	if p.truth.Vectors > 1 {
		prior *= 2
	}
	return slack + prior
}

func TestJointWithoutPenaltyHasNoBound(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 6))
	p := newProblem(t, g, form{loss.Func{}, certtest.CrammerSinger, 3, "free"})
	bound, s := certificate.Bound(p.of, p.duals(g), p.r2)
	a, other := certificate.FromScores(p.of, make([][]float64, 3), make([]float64, 3), p.r2, 0)
	if !math.IsNaN(bound) || s != 0 || a != nil || !math.IsNaN(other) {
		t.Errorf("Bound returns %v and %v, FromScores %v and %v", bound, s, a, other)
	}
}

func TestBoundScalesSumsAboveOne(t *testing.T) {
	g := rand.New(rand.NewPCG(17, 18))
	for range 20 {
		joint := pick(g, certtest.CrammerSinger, certtest.Multinomial)
		p := newProblem(t, g, form{loss.Func{}, joint, 3, ""})
		_, _, least := p.truth.Minimize()
		a := p.duals(g)
		i := p.terms.Row(0)
		own, row := int(p.terms.Class[i]), a[3*i:][:3]
		row[(own+1)%3], row[(own+2)%3] = 0.75, 0.5
		bound, _ := certificate.Bound(p.of, a, p.r2)
		if sum := certificate.Sum(row); sum > 1 || sum < 1-0x1p-18 || bound > least ||
			math.Abs(float64(row[(own+1)%3]/row[(own+2)%3])-1.5) > 1e-6 {
			t.Errorf("%v, the bound %v, the optimum %v", row, bound, least)
		}
	}
}

func TestBoundBalances(t *testing.T) {
	g := rand.New(rand.NewPCG(19, 20))
	for _, f := range forms() {
		if f.bias != "free" {
			continue
		}
		for range 10 {
			p := newProblem(t, g, f)
			a := p.duals(g)
			if g.IntN(4) == 0 { // all on one side: only zeros balance
				for at, i := range p.terms.All() {
					if a[i] = float32(math.Abs(float64(a[i]))); p.terms.Target == nil &&
						p.truth.Labels[at] < 0 {
						a[i] = 0
					}
				}
			}
			before := slices.Clone(a)
			up, down := p.sideSums(before)
			certificate.Bound(p.of, a, p.r2)
			for at, i := range p.terms.All() {
				want := float64(before[i])
				if side := p.side(at) * want; side > 0 && up > down {
					want *= down / up
				} else if side < 0 && down > up {
					want *= up / down
				}
				if math.Abs(float64(a[i])-want) > 1e-3*math.Abs(want) {
					t.Errorf("%+v: variable %d became %v from %v, want %v",
						f, i, a[i], before[i], want)
				}
			}
			if up, down := p.sideSums(a); math.Abs(up-down) > 1e-6*(up+down) {
				t.Errorf("%+v: the sides have the sums %v and %v", f, up, down)
			}
		}
	}
}

func (p *problem) side(at int) float64 {
	if p.terms.Target != nil {
		return 1
	}
	return p.truth.Labels[at]
}

func (p *problem) sideSums(a []float32) (up, down float64) {
	for at, i := range p.terms.All() {
		up += math.Max(0, p.side(at)*float64(a[i])*p.terms.RowWeight(i))
		down += math.Max(0, -p.side(at)*float64(a[i])*p.terms.RowWeight(i))
	}
	return up, down
}

// Model files contain bounds.
func TestBoundBits(t *testing.T) {
	g, h := rand.New(rand.NewPCG(21, 22)), sha256.New()
	put := func(values ...float64) {
		binary.Write(h, binary.LittleEndian, values)
	}
	for _, bias := range []string{"", "augmented", "free"} {
		for _, f := range []form{{loss.Func{}, 0, 1, bias}, {loss.Func{Kind: loss.Log}, 0, 1, bias},
			{loss.Func{Kind: loss.EpsInsensitive, Epsilon: 0.25}, 0, 1, bias},
			{loss.Func{Kind: loss.SquaredHinge}, 0, 1, bias}, {loss.Func{Kind: loss.Squared}, 0, 1, bias},
			{loss.Func{}, certtest.CrammerSinger, 3, bias}, {loss.Func{}, certtest.Multinomial, 3, bias}} {
			if f.vectors > 1 && bias == "free" {
				continue
			}
			for range 12 {
				p := newProblem(t, g, f)
				a := p.duals(g)
				bound, s := certificate.Bound(p.of, a, p.r2)
				put(bound, s)
				for _, v := range a {
					put(float64(v))
				}
				var w [][]float64
				for range f.vectors {
					v := make([]float64, p.terms.X.Cols())
					for j := range v {
						v[j] = normal(g) * float64(g.IntN(3)) / math.Sqrt(p.r2)
					}
					w = append(w, v)
				}
				_, best := certificate.FromScores(p.of, w, make([]float64, f.vectors), p.r2, 0.5)
				put(best)
			}
		}
	}
	const want = "44e16c8215a5544d"
	if have := hex.EncodeToString(h.Sum(nil)[:8]); have != want {
		t.Errorf("hash is %s, want %s", have, want)
	}
}
