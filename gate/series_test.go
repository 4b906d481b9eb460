package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func judged(draw func(head bool) float64) (verdict, int) {
	var s series
	for stage, until := range stages {
		for len(s[0]) < until {
			s[0], s[1] = append(s[0], draw(false)), append(s[1], draw(true))
		}
		if s.settled(stage, false) {
			break
		}
	}
	return s.verdict(false, true), len(s[0])
}

func TestSeries(t *testing.T) {
	const tries = 4000
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name           string
		spread, factor float64
		modes          bool // two values, as a map's layout may give
		least, most    int  // tries judged worse
	}{
		{"the same, exactly", 0, 1, false, 0, 0},
		{"the same, spread by .1 %", 0.001, 1, false, 0, 0},
		{"the same, spread by 1 %", 0.01, 1, false, 0, 1},
		{"the same, spread by 10 %", 0.1, 1, false, 0, 1},
		{"the same, in two modes", 0.05, 1, true, 0, 2},
		{"1 % more, exactly", 0, 1.01, false, tries, tries},
		{"1 % more, spread by .1 %", 0.001, 1.01, false, tries * 99 / 100, tries},
		{"3 % more, spread by .5 %", 0.005, 1.03, false, tries * 97 / 100, tries},
		{"3 % more, spread by 1 %", 0.01, 1.03, false, tries * 90 / 100, tries},
		{"3 % more drowns in 10 %", 0.1, 1.03, false, 0, tries / 100},
		{".3 % more is not reported", 0, 1.003, false, 0, 0},
	} {
		got, processes := 0, 0
		for range tries {
			v, n := judged(func(head bool) float64 {
				x := 1 + c.spread*r.NormFloat64()
				if c.modes {
					x = 1 + c.spread*float64(r.IntN(2))
				}
				if head {
					x *= c.factor
				}
				return x
			})
			if processes += n; v == worse {
				got++
			}
		}
		if got < c.least || got > c.most {
			t.Errorf("%s: worse %d times of %d, want %d to %d", c.name, got, tries, c.least, c.most)
		}
		t.Logf("%s: worse %d times of %d, %.1f processes", c.name, got, tries,
			float64(processes)/tries)
	}
}

func TestTooFewProcesses(t *testing.T) {
	const tries = 20000
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		name         string
		draw         func() float64
		factor       float64
		least, worst float64 // share of tries judged worse
	}{
		{"the same, exactly", func() float64 { return 1 }, 1, 0, 0},
		{"the same, up to 11 % apart", func() float64 { return 1 + 0.11*r.Float64() }, 1, 0, 0},
		{"the same, up to 24 % apart", func() float64 { return 1 + 0.24*r.Float64() }, 1, 0, 0},
		{"the same, in two modes", func() float64 { return 1 + 0.24*float64(r.IntN(2)) }, 1, 0, 0},
		{"the same, rarely 24 % more", func() float64 {
			if r.IntN(4) == 0 {
				return 1.24
			}
			return 1 + 0.001*r.Float64()
		}, 1, 0, 0},
		{"40 % more is not told", func() float64 { return 1 + 0.001*r.Float64() }, 1.4, 0, 0},
		{"twice as much, exactly", func() float64 { return 1 }, 2, 1, 1},
		{"twice as much, up to 4 % apart", func() float64 { return 1 + 0.04*r.Float64() }, 2, 1, 1},
		{"twice as much, up to 11 % apart", func() float64 { return 1 + 0.11*r.Float64() }, 2, 1, 1},
		{"twice as much, up to 24 % apart", func() float64 { return 1 + 0.24*r.Float64() }, 2, 0.3, 1},
	} {
		for processes := 1; processes < stages[1]; processes++ {
			got := 0
			for range tries {
				var s series
				for range processes {
					s[0], s[1] = append(s[0], c.draw()), append(s[1], c.factor*c.draw())
				}
				if s.verdict(false, false) == worse {
					got++
				}
			}
			share := float64(got) / tries
			if share < c.least || share > c.worst {
				t.Errorf("%s: worse in %.4f of the tries with %d processes, want %g to %g", c.name,
					share, processes, c.least, c.worst)
			}
		}
	}
}

func TestVerdict(t *testing.T) {
	six := func(v float64) []float64 { return slices.Repeat([]float64{v}, stages[1]) }
	for _, c := range []struct {
		base, head     []float64
		calls, settled bool
		want           verdict
	}{
		{[]float64{100, 100}, []float64{200, 200}, false, false, worse},
		{[]float64{100, 111}, []float64{200, 222}, false, false, worse},
		{[]float64{100}, []float64{200}, false, false, worse},
		{[]float64{100}, []float64{140}, false, false, unsettled},
		{[]float64{100, 100}, []float64{140, 140}, false, false, unsettled},
		{[]float64{100, 130}, []float64{200, 260}, false, false, unsettled},
		{[]float64{100, 100}, []float64{100, 100}, false, false, unsettled},
		{[]float64{100, 100}, []float64{100, 100}, false, true, equal},
		{[]float64{100, 100}, []float64{50, 50}, false, false, unsettled},
		{six(100), six(102), false, false, worse},
		{six(100), six(100), false, false, unsettled},
		{[]float64{100}, []float64{101}, true, false, worse},
		{[]float64{100}, []float64{100}, true, true, equal},
		{[]float64{0, 0}, []float64{0, 0}, false, true, unsettled},
		{[]float64{0, 0}, []float64{100, 100}, false, true, unsettled},
		{nil, []float64{100, 100}, false, true, unsettled},
	} {
		if got := (series{c.base, c.head}).verdict(c.calls, c.settled); got != c.want {
			t.Errorf("%v, %v, calls %v, settled %v: %s, want %s", c.base, c.head, c.calls,
				c.settled, got, c.want)
		}
	}
}

func TestMemoryVerdict(t *testing.T) {
	for _, c := range []struct {
		base, head []float64
		by         rise
		want       verdict
	}{
		{[]float64{0, 0, 0}, []float64{1, 1, 1}, allocsRise, worse},
		{[]float64{1, 1, 1}, []float64{0, 0, 0}, allocsRise, better},
		{[]float64{10, 12, 11}, []float64{12, 13, 13}, allocsRise, equal},
		{[]float64{1000, 1000}, []float64{1004, 1004}, allocsRise, equal},
		{[]float64{1000, 1000}, []float64{1007, 1007}, allocsRise, worse},
		{[]float64{100, 100}, []float64{101, 101}, allocsRise, worse},
		{[]float64{20, 20}, []float64{30, 30}, bytesRise, equal},
		{[]float64{4096, 4096}, []float64{8192, 8192}, bytesRise, worse},
		{nil, []float64{1}, allocsRise, unsettled},
	} {
		if got := (series{c.base, c.head}).memoryVerdict(c.by, 1); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.base, c.head, got, c.want)
		}
		few := unsettled
		if len(c.base) > 0 && c.base[0] == 4096 {
			few = worse
		}
		if got := (series{c.base, c.head}).memoryVerdict(c.by, 4); got != few {
			t.Errorf("%v, %v: %s with too few processes, want %s", c.base, c.head, got, few)
		}
	}
}
