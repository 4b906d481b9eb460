package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// all are the losses, one of them with two widths.
var all = []Func{{Kind: Hinge}, {Kind: Log}, {Kind: SquaredHinge}, {Kind: EpsInsensitive},
	{Kind: EpsInsensitive, Epsilon: 0.25}, {Kind: Squared}}

// points are margins, most of them near the kinks.
func points(g *rand.Rand) []float64 {
	margins := []float64{0, 1, -1, 0.25, -0.25, 0.5, 2, 1e4, -1e4, 1e30, -1e30, 88.8, -88.8, 709,
		-710, 40, -40}
	for range 200 {
		margins = append(margins, 6*g.Float64()-3)
	}
	return margins
}

// Coefficient is minus a sub-gradient of At, and its derivative where there is one.
func TestCoefficient(t *testing.T) {
	margins := points(rand.New(rand.NewPCG(1, 1)))
	for _, f := range all {
		for _, m := range margins {
			at, coefficient := f.At(m), f.Coefficient(m)
			for _, u := range margins {
				if have := at - coefficient*(u-m); f.At(u) < have-
					1e-9*(1+math.Abs(at)+math.Abs(coefficient*(u-m))) {
					t.Errorf("%+v: the loss at %v is %v, and %v according to the sub-gradient at %v",
						f, u, f.At(u), have, m)
				}
			}
			const h = 1e-6
			near := math.Abs(m) > 100 || f.Kind.Traits().Kinks && f.FromKink(m) < 2*h
			if d := (f.At(m-h) - f.At(m+h)) / (2 * h); !near && math.Abs(d-coefficient) > 2e-6 {
				t.Errorf("%+v: the coefficient at %v is %v, by differences %v", f, m, coefficient, d)
			}
		}
	}
}

// Losses and Bends have the bits of At and Bent, in place too.
func TestMany(t *testing.T) {
	m := points(rand.New(rand.NewPCG(1, 4)))
	for _, f := range all {
		losses, a, bend := slices.Clone(m), slices.Clone(m), make([]float64, len(m))
		f.Losses(losses, losses)
		f.Bends(a, bend, a, 16)
		for i, v := range m {
			if wantA, wantBend := f.Bent(v, 16); losses[i] != f.At(v) || a[i] != wantA ||
				bend[i] != wantBend {
				t.Errorf("%+v: at %v: %v, %v, %v, want %v, %v, %v", f, v, losses[i], a[i], bend[i],
					f.At(v), wantA, wantBend)
			}
		}
	}
}

// Least is what it says, at coefficients that the loss can have.
func TestLeast(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, f := range all {
		traits := f.Kind.Traits()
		for range 100 {
			b := float64(f.Clamp(float32(4*g.Float64() - 2)))
			if traits.Curvature == 0 && math.Abs(b) > 1 || !traits.Numbers && b < 0 {
				t.Errorf("%+v: clamped to %v", f, b)
			}
			least := math.Inf(1)
			for m := -40.0; m < 40; m += 1. / 64 {
				least = math.Min(least, f.At(m)+b*m)
			}
			if have := f.Least(b); have > least+1e-12 || have < least-1e-3 {
				t.Errorf("%+v: least(%v) = %v, want %v", f, b, have, least)
			}
		}
	}
	if f := (Func{Kind: Log}); f.Least(0) != 0 || f.Least(1) != 0 || f.Least(0.5) != math.Ln2 {
		t.Error("entropy of 0, 1 or a half")
	}
}

// The smoothed slope is that of the loss outside of the zone, and goes up by its second derivative.
func TestBent(t *testing.T) {
	const h = 0.0625
	for _, f := range all {
		kinks := f.Kind.Traits().Kinks
		for _, m := range points(rand.New(rand.NewPCG(1, 3))) {
			a, bend := f.Bent(m, 1/h)
			if outside := !kinks || f.FromKink(m) > h/2; outside && a != f.Coefficient(m) {
				t.Errorf("%+v: the slope at %v is %v, of the loss %v", f, m, a, f.Coefficient(m))
			}
			const d = 1e-6
			up, _ := f.Bent(m+d, 1/h)
			down, _ := f.Bent(m-d, 1/h)
			end := math.Abs(m) > 100 || kinks && math.Abs(f.FromKink(m)-h/2) < 2*d ||
				f.Kind == SquaredHinge && math.Abs(1-m) < 2*d
			if have := (down - up) / (2 * d); !end && math.Abs(have-bend) > 1e-5 {
				t.Errorf("%+v: the second derivative at %v is %v, by differences %v", f, m, bend, have)
			}
			if flat, ok := f.Flat(); ok && bend != 0 {
				if kinks {
					flat /= h
				}
				if bend != flat {
					t.Errorf("%+v: the second derivative at %v is %v, want %v", f, m, bend, flat)
				}
			}
		}
	}
}

// No coefficient is better than Best, or of Log by more than a little of what it gains, and how far
// the loss and its conjugate are apart is what it says, of Log nearly so where they are close.
func TestBest(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 4))
	for _, f := range all {
		for _, m := range points(g) {
			for _, q := range []float64{0, 1e-12, 0.01, 1, 40, 1e8} {
				a := float64(f.Clamp(float32(4*g.Float64() - 2)))
				if g.IntN(4) == 0 { // the best already, or nearly
					a = float64(f.Clamp(float32(f.Coefficient(m) * (1 + g.Float64()*float64(g.IntN(2))))))
				}
				value := func(b float64) float64 { return f.Least(b) - b*m - q/2*(b-a)*(b-a) }
				to, apart := f.Best(a, m, q)
				gain, nearly := value(to)-value(a), 1e-12*(1+math.Abs(value(a))+math.Abs(value(to)))
				if f.Kind == Log {
					nearly += 1e-3 * gain
				}
				if float64(f.Clamp(float32(to))) != float64(float32(to)) || !(gain >= -nearly) {
					t.Errorf("%+v: from %v to %v, m = %v, q = %v: gains %v", f, a, to, m, q, gain)
				}
				for _, b := range []float64{-1, 0, 0.5, 1, 2, to - 0.1, to + 0.1, to * 1.01, to * 0.99,
					to - 1e-4, to + 1e-4} {
					b = float64(f.Clamp(float32(b)))
					if now := value(b) - value(a); now > gain+nearly*(1+b*b) {
						t.Errorf("%+v: from %v, m = %v, q = %v: %v gains %v, and %v %v", f, a, m, q, to,
							gain, b, now)
					}
				}
				want := f.At(m) - f.Least(a) + a*m
				off := 1e-12 * (1 + math.Abs(a*m) + f.At(m))
				if f.Kind == Log {
					off += want / 2
				}
				if !(apart >= 0 && math.Abs(apart-want) <= off) {
					t.Errorf("%+v: a = %v, m = %v: %v apart, want %v", f, a, m, apart, want)
				}
			}
		}
	}
}
