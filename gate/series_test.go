package main

import (
	"math/rand/v2"
	"testing"
)

// judged runs the stages over values that are drawn, and returns the verdict and how many processes
// it took.
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
	return s.verdict(false), len(s[0])
}

// A change is believed when it is beyond what the processes differ by.
func TestSeries(t *testing.T) {
	const tries = 4000
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name           string
		spread, factor float64
		modes          bool // two values, as a map's layout may give
		least, most    int  // times of tries that it is worse
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

// Allocations are worse if no run of the base has as many as any run of the head.
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
		{nil, []float64{1}, allocsRise, equal},
	} {
		if got := (series{c.base, c.head}).memoryVerdict(c.by, 1); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.base, c.head, got, c.want)
		}
		if got := (series{c.base, c.head}).memoryVerdict(c.by, 4); got != equal {
			t.Errorf("%v, %v: %s with too few processes", c.base, c.head, got)
		}
	}
}
