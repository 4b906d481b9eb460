package main

import (
	"slices"
	"testing"
	"time"
)

// Each runner runs once a round, who begins changes, and the ratio is that of the rounds: a machine
// that is ten times as slow in one of them changes nothing.
func TestByTurns(t *testing.T) {
	var order []int
	calls := [2]int{}
	run := func(k int, seconds float64) runner {
		return func() (timing, error) {
			order = append(order, k)
			s := seconds
			if calls[k] == 1 {
				s *= 10
			}
			calls[k]++
			return timing{seconds: s}, nil
		}
	}
	r, err := byTurns(3, time.Minute, run(0, 2), run(1, 6))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{0, 1, 1, 0, 0, 1}; !slices.Equal(order, want) {
		t.Errorf("turns %v, want %v", order, want)
	}
	if r.ratio(1, 0) != 3 || r.of(0).seconds != 2 || r.of(1).seconds != 6 {
		t.Errorf("ratio %v, medians %v and %v", r.ratio(1, 0), r.of(0), r.of(1))
	}
	r[1][0].above, r[1][2].above = true, true
	if slow, fast := r.text(1, 0), r.text(0, 1); slow != "> 3" || fast != "-" {
		t.Errorf("%q and %q of one that did not come to the end", slow, fast)
	}
	if r, err := byTurns(9, 0, run(0, 1)); err != nil || len(r[0]) != 1 {
		t.Errorf("%d rounds, want the first alone", len(r[0]))
	}
}
