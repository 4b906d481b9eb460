package proof

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

var inf, nan = math.Inf(1), math.NaN()

func TestGap(t *testing.T) {
	for _, c := range []struct{ objective, bound, want float64 }{
		{0, 0, 0}, {1, 1, 0}, {1, 0.5, 1}, {0.75, 0.5, 0.5}, {1, 0, inf}, {1, -3, inf},
		{nan, 1, nan}, {1, nan, nan}, {nan, nan, nan}, {1e300, 1e-300, inf}, {1, 2, -0.5},
	} {
		g := Gap(c.objective, c.bound)
		if g != c.want && !(math.IsNaN(g) && math.IsNaN(c.want)) {
			t.Errorf("%v, %v: %v, want %v", c.objective, c.bound, g, c.want)
		}
		if err := Check(c.objective, c.bound); (err != nil) != (g < 0) ||
			err != nil && !strings.HasPrefix(err.Error(), "internal error: the bound 2 is above") {
			t.Errorf("%v, %v: %v", c.objective, c.bound, err)
		}
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		gaps []float64 // gaps of objectives whose bound is 1
		want float64
		k    int
	}{
		{nil, nan, -1}, {[]float64{nan, nan}, nan, -1}, {[]float64{nan, 0.5, 2, nan, 1, 2}, 2, 2},
		{[]float64{0, 0}, 0, 0},
	} {
		at := func(k int) (objective, bound float64) { return 1 + c.gaps[k], 1 }
		g, k := Worst(len(c.gaps), at)
		if k != c.k || g != c.want && !(math.IsNaN(g) && math.IsNaN(c.want)) {
			t.Errorf("%v: %v at %d", c.gaps, g, k)
		}
	}
	useless := func(k int) (objective, bound float64) { return 1, float64(1 - k) }
	if g, k := Worst(2, useless); g != inf || k != 1 {
		t.Errorf("a bound of 0: %v at %d", g, k)
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 1: "100 %", 0.01: "1 %", 0.3345: "33.45 %", 0.333333: "33.34 %",
		0.123401: "12.35 %", 9.99999e-9: "1e-06 %", nan: "none", inf: "none",
	} {
		if have := Percent(share); have != want {
			t.Errorf("%v: %s, want %s", share, have, want)
		}
	}
	g := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		share := math.Ldexp(g.Float64(), g.IntN(80)-60)
		text := Percent(share)
		p, err := strconv.ParseFloat(strings.TrimSuffix(text, " %"), 64)
		if err != nil || p < 100*share || p > 100*share*1.0011 {
			t.Fatalf("%v is printed as %s: %v", share, text, err)
		}
	}
}
