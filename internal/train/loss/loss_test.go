package loss

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var all = func() (all []Func) {
	for k := range Kind(Kinds) {
		all = append(all, Func{Kind: k})
		if k.Traits().Epsilon {
			all = append(all, Func{Kind: k, Epsilon: 0.25})
		}
	}
	return all
}()

// truths defines the losses again, with package math.
var truths = [Kinds]struct {
	at, coefficient func(m, epsilon float64) float64
	traits          Traits
}{
	Hinge: {
		func(m, _ float64) float64 { return math.Max(0, 1-m) },
		func(m, _ float64) float64 { return step(1 - m) },
		Traits{Name: "hinge", Formula: "max(0, 1 - yz)", Kinks: true, High: 1, Linear: 1, Flat: 1},
	},
	Log: {
		func(m, _ float64) float64 { return math.Max(0, -m) + math.Log1p(math.Exp(-math.Abs(m))) },
		func(m, _ float64) float64 { return 1 / (1 + math.Exp(m)) },
		Traits{Name: "log", Formula: "log(1 + e^-yz)", LogOdds: true, High: 1, Linear: 1,
			Entropy: true},
	},
	SquaredHinge: {
		func(m, _ float64) float64 { return math.Pow(math.Max(0, 1-m), 2) },
		func(m, _ float64) float64 { return math.Max(0, 2-2*m) },
		Traits{Name: "squared-hinge", Formula: "max(0, 1 - yz)^2", High: math.Inf(1),
			Linear: 1, Curvature: 2,
			Quadratic: 0.25, Flat: 2},
	},
	EpsInsensitive: {
		func(m, epsilon float64) float64 { return math.Max(0, math.Abs(m)-epsilon) },
		func(m, epsilon float64) float64 { return step(-m-epsilon) - step(m-epsilon) },
		Traits{Name: "eps-insensitive", Formula: "max(0, |y - z| - epsilon)", Numbers: true,
			Epsilon: true, Kinks: true, Low: -1, High: 1},
	},
	Squared: {
		func(m, _ float64) float64 { return m * m / 2 },
		func(m, _ float64) float64 { return -m },
		Traits{Name: "squared", Formula: "(y - z)^2/2", Numbers: true, Low: math.Inf(-1),
			High: math.Inf(1), Curvature: 1, Quadratic: 0.5, Flat: 1, MeanResidual: true},
	},
}

func step(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

func TestEveryLoss(t *testing.T) {
	margins := points(rand.New(rand.NewPCG(1, 1)))
	for _, f := range all {
		want := truths[f.Kind]
		if have := *f.Kind.Traits(); want.at == nil || have != want.traits {
			t.Fatalf("%s: traits %+v, want %+v: is its line in truths missing?",
				f.Kind.Name(), have, want.traits)
		}
		for _, m := range margins {
			at, coefficient := f.At(m), f.Coefficient(m)
			if want := want.at(m, f.Epsilon); !near(at, want, 1e-14*want) || !(at >= 0) {
				t.Errorf("%+v: the loss at %v is %v, want %v", f, m, at, want)
			}
			want := want.coefficient(m, f.Epsilon)
			if !near(coefficient, want, 1e-14*math.Abs(want)) {
				t.Errorf("%+v: the coefficient at %v is %v, want %v", f, m, coefficient, want)
			}
			if b := float32(coefficient); f.Clamp(b) != b {
				t.Errorf("%+v: the coefficient %v at %v is out of range", f, b, m)
			}
		}
	}
}

func near(have, want, off float64) bool {
	return math.Abs(have-want) <= off && have-have == 0
}

func TestIncompleteDefinitions(t *testing.T) {
	for name, damage := range map[string]func(d *definition){
		"Name":           func(d *definition) { d.Name = "" },
		"Formula":        func(d *definition) { d.Formula = "" },
		"at":             func(d *definition) { d.at = nil },
		"coefficient":    func(d *definition) { d.coefficient = nil },
		"best":           func(d *definition) { d.best = nil },
		"smooth":         func(d *definition) { d.smooth = nil },
		"Kinks":          func(d *definition) { d.Kinks = !d.Kinks },
		"Low below High": func(d *definition) { d.Low = d.High },
		"Curvature": func(d *definition) {
			if d.Curvature = 0; !math.IsInf(d.Slope(), 1) {
				d.Kinks, d.kink, d.Curvature = true, d.at, 1
			}
		},
		"Entropy": func(d *definition) { d.Entropy, d.Quadratic = true, d.Quadratic+0.25 },
	} {
		for k := range definitions {
			d := definitions[k]
			damage(&d)
			err := d.prepare()
			if err == nil || !strings.Contains(err.Error(), name) ||
				!strings.Contains(err.Error(), strconv.Quote(d.Name)) {
				t.Errorf("%s with a damaged %s: %v", definitions[k].Name, name, err)
			}
		}
	}
	for _, d := range []definition{
		{Traits: Traits{Low: -1, High: 1, Entropy: true}}, {Traits: Traits{High: 2, Entropy: true}},
	} {
		whole := definitions[Log]
		whole.Low, whole.High = d.Low, d.High
		if err := whole.prepare(); err == nil {
			t.Errorf("an entropy with Low %v and High %v is accepted", d.Low, d.High)
		}
	}
	if new(definition).prepare() == nil {
		t.Error("an empty definition is accepted")
	}
	defer func() {
		if recover() == nil {
			t.Error("a kind that does not exist has a loss")
		}
	}()
	Func{Kind: Kinds}.At(0)
}

func TestNames(t *testing.T) {
	names := Names()
	for k, name := range names {
		if found, ok := KindOf(name); !ok || int(found) != k || Kind(k).Name() != name {
			t.Errorf("KindOf(%q) returned %v, %v", name, found, ok)
		}
	}
	if len(names) != Kinds {
		t.Errorf("names %q", names)
	}
	if k, ok := KindOf("no loss"); ok || k != Hinge {
		t.Errorf("KindOf of an unknown name returned %v, %v", k, ok)
	}
}

func points(g *rand.Rand) []float64 {
	margins := []float64{0, 1, -1, 0.25, -0.25, 0.5, 2, 1e4, -1e4, 1e30, -1e30, 88.8, -88.8, 709,
		-710, 40, -40}
	for range 200 {
		margins = append(margins, 6*g.Float64()-3)
	}
	return margins
}

func TestCoefficient(t *testing.T) {
	margins := points(rand.New(rand.NewPCG(1, 1)))
	for _, f := range all {
		for _, m := range margins {
			at, coefficient := f.At(m), f.Coefficient(m)
			for _, u := range margins {
				if have := at - coefficient*(u-m); f.At(u) < have-
					1e-9*(1+math.Abs(at)+math.Abs(coefficient*(u-m))) {
					t.Errorf("%+v: the loss at %v is %v, and %v according to the sub-gradient at "+
						"%v",
						f, u, f.At(u), have, m)
				}
			}
			const h = 1e-6
			near := math.Abs(m) > 100 || f.Kind.Traits().Kinks && f.KinkDistance(m) < 2*h
			if d := (f.At(m-h) - f.At(m+h)) / (2 * h); !near && math.Abs(d-coefficient) > 2e-6 {
				t.Errorf("%+v: the coefficient at %v is %v, by differences %v",
					f, m, coefficient, d)
			}
		}
	}
}

func TestSlices(t *testing.T) {
	m := points(rand.New(rand.NewPCG(1, 4)))
	for _, f := range all {
		losses, a, curvature := slices.Clone(m), slices.Clone(m), make([]float64, len(m))
		f.Losses(losses, losses)
		f.Derivatives(a, curvature, a, 16)
		for i, v := range m {
			if wantA, wantCurvature := f.DerivativesAt(v, 16); losses[i] != f.At(v) || a[i] != wantA ||
				curvature[i] != wantCurvature {
				t.Errorf("%+v: at %v: %v, %v, %v, want %v, %v, %v",
					f, v, losses[i], a[i], curvature[i], f.At(v), wantA, wantCurvature)
			}
		}
	}
}

func TestLeast(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for _, f := range all {
		traits := f.Kind.Traits()
		for range 100 {
			b := float64(f.Clamp(float32(10*g.Float64() - 5)))
			if traits.Curvature == 0 && math.Abs(b) > 1 || !traits.Numbers && b < 0 {
				t.Errorf("%+v: clamped to %v", f, b)
			}
			least := math.Inf(1)
			for m := -40.0; m < 40; m += 1. / 64 {
				least = math.Min(least, f.At(m)+b*m)
			}
			if have := f.DualTerm(b); have > least+1e-12 || have < least-1e-3 {
				t.Errorf("%+v: DualTerm(%v) = %v, want %v", f, b, have, least)
			}
		}
	}
	if f := (Func{Kind: Log}); f.DualTerm(0) != 0 || f.DualTerm(1) != 0 ||
		f.DualTerm(0.5) != math.Ln2 {
		t.Error("DualTerm of the log loss is wrong at 0, 1 or 0.5")
	}
}

func TestSmoothing(t *testing.T) {
	const h = 0.0625
	for _, f := range all {
		kinks := f.Kind.Traits().Kinks
		for _, m := range points(rand.New(rand.NewPCG(1, 3))) {
			a, curvature := f.DerivativesAt(m, 1/h)
			if outside := !kinks || f.KinkDistance(m) > h/2; outside && a != f.Coefficient(m) {
				t.Errorf("%+v: the coefficient at %v is %v, want %v", f, m, a, f.Coefficient(m))
			}
			const d = 1e-6
			up, after := f.DerivativesAt(m+d, 1/h)
			down, before := f.DerivativesAt(m-d, 1/h)
			end := math.Abs(m) > 100 || math.Abs(after-before) > 1e-3
			if have := (down - up) / (2 * d); !end && math.Abs(have-curvature) > 1e-5 {
				t.Errorf("%+v: the second derivative at %v is %v, by differences %v",
					f, m, curvature, have)
			}
			if flat := f.Kind.Traits().Flat; flat != 0 && curvature != 0 {
				if kinks {
					flat /= h
				}
				if curvature != flat {
					t.Errorf("%+v: the second derivative at %v is %v, want %v",
						f, m, curvature, flat)
				}
			}
		}
	}
}

func TestBest(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 4))
	for _, f := range all {
		for _, m := range points(g) {
			for _, q := range []float64{0, 1e-12, 0.01, 1, 40, 1e8} {
				a := float64(f.Clamp(float32(4*g.Float64() - 2)))
				if g.IntN(4) == 0 {
					a = float64(f.Clamp(float32(f.Coefficient(m) * (1 + g.Float64()*float64(g.IntN(2))))))
				}
				value := func(b float64) float64 { return f.DualTerm(b) - b*m - q/2*(b-a)*(b-a) }
				to, gap := f.DualStep(a, m, q)
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
						t.Errorf("%+v: from %v, m = %v, q = %v: %v gains %v, but %v gains %v",
							f, a, m, q, to, gain, b, now)
					}
				}
				want := f.At(m) - f.DualTerm(a) + a*m
				off := 1e-12 * (1 + math.Abs(a*m) + f.At(m))
				if f.Kind == Log {
					off += want / 2
				}
				if !(gap >= 0 && math.Abs(gap-want) <= off) {
					t.Errorf("%+v: a = %v, m = %v: the gap %v, want %v", f, a, m, gap, want)
				}
			}
		}
	}
}

// The bits must be the same on every machine.
func TestLogBits(t *testing.T) {
	g, h := rand.New(rand.NewPCG(1, 5)), sha256.New()
	f := Func{Kind: Log}
	for range 2000 {
		q := math.Ldexp(g.Float64(), g.IntN(40)-20)
		to, gap := f.DualStep(g.Float64(), 6*g.NormFloat64(), q)
		for _, v := range []float64{to, gap} {
			binary.Write(h, binary.LittleEndian, math.Float64bits(v))
		}
	}
	const want = "74aad3005c18251a"
	if have := hex.EncodeToString(h.Sum(nil)[:8]); have != want {
		t.Errorf("the results have the hash %s, want %s", have, want)
	}
}

// The second derivative jumps at m = 1.
func TestSquaredHingeAtOne(t *testing.T) {
	if a, curvature := (Func{Kind: SquaredHinge}).DerivativesAt(1, 1); a != 0 || curvature != 0 {
		t.Errorf("minus the derivative is %v, the second derivative %v, want 0 and 0", a, curvature)
	}
}
