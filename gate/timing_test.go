package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rounds returns times of n rounds with relative noise. The head takes factor times as long.
func rounds(r *rand.Rand, n int, noise, factor float64) *timing {
	var t timing
	sample := func(mean float64) float64 { return mean * math.Exp(noise*r.NormFloat64()) }
	for i := range n {
		minute := 100 * (1 + 0.3*math.Sin(float64(i))) // the machine's drift
		t.base = append(t.base, sample(minute))
		t.head = append(t.head, sample(minute*factor))
		t.again = append(t.again, sample(minute))
	}
	return &t
}

func TestSlower(t *testing.T) {
	const tries = 300
	for _, c := range []struct {
		name          string
		noise, factor float64
		least, most   int // tries believed to be slower
	}{
		{"the same, quiet", 0.01, 1, 0, 0},
		{"the same, noisy", 0.2, 1, 0, 3},
		{"the same, wild", 0.6, 1, 0, 3},
		{"4 % slower is not reported", 0.002, 1.04, 0, 0},
		{"10 % slower, quiet", 0.01, 1.1, tries * 99 / 100, tries},
		{"twice as slow, noisy", 0.1, 2, tries * 95 / 100, tries},
		{"10 % slower drowns in noise", 0.3, 1.1, 0, tries / 20},
		{"faster", 0.01, 0.5, 0, 0},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		got := 0
		for range tries {
			// As in the gate, a second run of twice as many rounds must confirm the first.
			if rounds(r, 15, c.noise, c.factor).slower() &&
				rounds(r, 30, c.noise, c.factor).slower() {
				got++
			}
		}
		if got < c.least || got > c.most {
			t.Errorf("%s: believed to be slower %d times of %d, want %d to %d", c.name, got, tries,
				c.least, c.most)
		}
	}
}

func TestFaster(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	if got := rounds(r, 15, 0.01, 0.7); !got.faster() || got.slower() {
		t.Error("a time of 0.7 is not faster")
	}
	if got := rounds(r, 15, 0.01, 1); got.faster() || got.slower() {
		t.Error("the same time is not the same")
	}
}

func TestUnconfirmed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	twice, same := rounds(r, 15, 0.01, 2), rounds(r, 15, 0.01, 1)
	for _, c := range []struct {
		first, second *timing
		want          verdict
	}{{twice, nil, unsettled}, {twice, twice, worse}, {twice, same, equal}, {same, nil, equal}} {
		var k result
		k.addTiming("A", *c.first, c.second)
		if got := k.findings[0].verdict; got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestExactly(t *testing.T) {
	if got, want := exactly("Kernels/op=a.b(c)/n=8"),
		`^BenchmarkKernels$/^op=a\.b\(c\)$/^n=8$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The ranks are those of Conover, Practical Nonparametric Statistics.
func TestSummary(t *testing.T) {
	for n, ranks := range map[int][2]float64{6: {1, 6}, 9: {2, 8}, 15: {4, 12}, 30: {10, 21}} {
		var values []float64
		for i := range n {
			values = append(values, float64((i*7)%n+1))
		}
		if got := summary(values); got.Lo != ranks[0] || got.Hi != ranks[1] {
			t.Errorf("%d values: %v to %v, want ranks %v", n, got.Lo, got.Hi, ranks)
		}
	}
	if got := summary([]float64{1, 2, 3, 4, 5}); !math.IsInf(got.Lo, -1) {
		t.Errorf("5 values: at least %v, want no bound", got.Lo)
	}
}

func TestRatio(t *testing.T) {
	base := make([]float64, 15)
	head := make([]float64, 15)
	for i := range base {
		base[i], head[i] = float64(i+1), float64(i+1)*1.5
	}
	head[3] *= 100
	if got := ratioOf(head, base); got.Center != 1.5 || got.Lo != 1.5 || got.Hi != 1.5 {
		t.Errorf("got %+v, want 1.5 in spite of one round", got)
	}
	if !slices.IsSorted(base) {
		t.Error("the times were put in another order")
	}
}
