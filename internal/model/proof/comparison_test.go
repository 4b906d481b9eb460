package proof

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func claim(objective, bound float64) Claim {
	return Claim{objective, bound}
}

func contradictions(proven bool) (t *Comparison, list *[]string) {
	list = new([]string)
	return &Comparison{Proven: proven, Contradict: func(format string, a ...any) {
		*list = append(*list, fmt.Sprintf(format, a...))
	}}, list
}

func TestAsGood(t *testing.T) {
	for _, c := range []struct {
		have, want Claim
		good       bool
	}{
		{claim(1, 0.5), claim(1, 0.5), true},
		{claim(1, 0.6), claim(1, 0.5), true},
		{claim(1, 0.4), claim(1, 0.5), false},
		{claim(2, 0.6), claim(1, 0.5), false},
		{claim(0.8, 0.4), claim(1, 0.5), false},
		{claim(1, nan), claim(1, 0.5), false},
	} {
		if good := c.have.AsGood(c.want); good != c.good {
			t.Errorf("%v beside %v: %v", c.have, c.want, good)
		}
	}
}

func TestSmall(t *testing.T) {
	for _, c := range []struct {
		claim Claim
		want  float64
	}{
		{claim(3, 1), 0.02}, {claim(3, -5), 0.03}, {claim(3, nan), 3e-4},
	} {
		if have := c.claim.Tolerance(); math.Abs(have-c.want) > 1e-15 {
			t.Errorf("%v: %v, want %v", c.claim, have, c.want)
		}
	}
}

func TestOf(t *testing.T) {
	if s := ProblemSuffix("weight vector", 2, 3); s != " of weight vector 2" {
		t.Errorf("%q", s)
	}
	if s := ProblemSuffix("weight vector", 0, 1); s != "" {
		t.Errorf("the only problem: %q", s)
	}
}

func TestObjective(t *testing.T) {
	for _, c := range []struct {
		claimed, found float64
		unsure         bool
		want           []string
	}{
		{1, 1, false, nil}, {1, 1.125, false, nil}, {1, 0.875, false, nil}, {1, 1.25, true, nil},
		{1, 1.5, true, nil}, {1, 1.75, false, []string{"the objective of x is 1.75, not 1"}},
		{1, 0.25, false, []string{"the objective of x is 0.25, not 1"}},
		{1, nan, false, []string{"the objective of x is NaN, not 1"}},
	} {
		trial, list := contradictions(false)
		trial.Objective(" of x", c.claimed, c.found, 0.125, 0.5)
		if trial.Unsure != c.unsure || !slices.Equal(*list, c.want) {
			t.Errorf("%v, found %v: unsure %v, %q", c.claimed, c.found, trial.Unsure, *list)
		}
	}
}

func TestBound(t *testing.T) {
	for _, c := range []struct {
		claimed, found Claim
		proven, good   bool
		contradictions int
	}{
		{claim(1, 0.5), claim(1, 0.5), false, true, 0},
		{claim(1, 0.5), claim(1, 0.25), false, false, 0},
		{claim(1, 0.5), claim(1, 0.25), true, false, 1},
		{claim(1, 0), claim(1, 0.25), true, true, 0},
		{claim(1, nan), claim(1, 0.25), true, false, 0},
		{claim(1, -0.25), claim(1, 0.25), false, false, 1},
		{claim(1, 0.75), claim(0.5, 0.25), false, false, 1},
	} {
		trial, list := contradictions(c.proven)
		good := trial.Bound("", c.claimed, c.found)
		if good != c.good || len(*list) != c.contradictions || trial.Unsure {
			t.Errorf("%v, found %v: %v, %q", c.claimed, c.found, good, *list)
		}
		again, twice := contradictions(c.proven)
		again.All(c.claimed, c.found)
		if again.Unsure == c.good || len(*twice) != c.contradictions {
			t.Errorf("all, %v, found %v: unsure %v, %q", c.claimed, c.found, again.Unsure, *twice)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, c := range []struct {
		problems []Claim
		all      Claim
		want     []string
	}{
		{[]Claim{claim(1, 0.5), claim(3, 1)}, claim(2, 0.75), nil},
		{[]Claim{claim(1, 0.5), claim(3, nan)}, claim(2, nan), nil},
		{[]Claim{claim(1, 0.5), claim(3, 1)}, claim(2.5, 0.75),
			[]string{"the mean of the claimed objectives is 2, not 2.5"}},
		{[]Claim{claim(1, 0.5), claim(3, 1)}, claim(2, 0.5),
			[]string{"the mean of the claimed bounds is 0.75, not 0.5"}},
		{[]Claim{claim(1, 0.5), claim(3, 1)}, claim(2, nan),
			[]string{"the mean of the claimed bounds is 0.75, not NaN"}},
		{[]Claim{claim(1, 0.5), claim(3, nan)}, claim(2, 0.75),
			[]string{"the mean of the claimed bounds is NaN, not 0.75"}},
	} {
		trial, list := contradictions(false)
		for _, p := range c.problems {
			trial.Bound("", p, p)
		}
		if trial.Means(c.all); !slices.Equal(*list, c.want) {
			t.Errorf("%v, all %v: %q", c.problems, c.all, *list)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		reasons int
		all     Claim
		unsure  bool
		want    string
	}{
		{1, claim(1, 0.9), false, "contradicted"},
		{0, claim(1, 0.9), false, "confirmed"},
		{0, claim(1, 0.9), true, "not confirmed"},
		{0, claim(1, 0.25), true, "claims nothing"},
		{0, claim(1, nan), false, "claims nothing"},
	} {
		if have := Verdict(c.reasons, c.all, c.unsure); have != c.want {
			t.Errorf("%+v: %s", c, have)
		}
	}
}

func TestProven(t *testing.T) {
	for _, c := range [][3]float64{{1, 0.25, 0.75}, {0.25, 1, 0}, {-1, 0, 0}, {1, 0, 1}} {
		if have := (Measurement{Bound: c[0], MaxError: c[1]}).Proven(); have != c[2] {
			t.Errorf("bound %v, error %v: %v", c[0], c[1], have)
		}
	}
}
