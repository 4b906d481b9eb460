package proof

import (
	"slices"
	"testing"
)

type linear struct {
	Comparison
	r     Result
	n     int
	joint bool
	found []Found
	all   Claim
}

func confirmed() *linear {
	return &linear{
		Comparison: Comparison{SameData: true},
		r: Result{Objective: 2, DualObjective: 0.75, PerClass: []ClassResult{
			{Objective: 1, DualObjective: 0.5, Lambda: 0.25},
			{Objective: 3, DualObjective: 1, Lambda: 0.125}}},
		n: 2,
		found: []Found{
			{Vector: 0, Lambda: 0.25, Exact: Measurement{1, 0, 0.5}, Quick: Measurement{1, 0, nan}},
			{Vector: 1, Lambda: 0.125, Exact: Measurement{3, 0, 1}, Quick: Measurement{3, 0, nan}}},
		all: claim(2, 0.75),
	}
}

func TestLinear(t *testing.T) {
	first := func(l *linear, quick, exact Measurement) {
		l.found[0].Quick, l.found[0].Exact = quick, exact
	}
	other := func(l *linear, quick, exact Measurement) {
		l.SameData = false
		first(l, quick, exact)
	}
	for name, c := range map[string]struct {
		change      func(*linear)
		reasons     []string
		unsure      bool
		unconfirmed []int
	}{
		"as claimed": {func(*linear) {}, nil, false, nil},
		"nothing is claimed": {func(l *linear) {
			l.r.Unmeasure()
			l.n, l.found[0].Lambda = 5, 7
		}, nil, false, nil},
		"claims of joint vectors": {func(l *linear) { l.joint = true },
			[]string{"the model has results of 2 weight vectors, want none: all weight vectors share " +
				"one problem"},
			false, nil},
		"joint": {func(l *linear) {
			l.joint, l.n, l.r.PerClass = true, 3, nil
			l.found = []Found{{Lambda: 7, Exact: Measurement{2, 0, 0.75}, Quick: Measurement{2, 0, nan}}}
		}, nil, false, nil},
		"joint, not as good": {func(l *linear) {
			l.joint, l.n, l.r.PerClass = true, 3, nil
			l.found = []Found{{Lambda: 7, Exact: Measurement{2, 0, 0.5}, Quick: Measurement{2, 0, nan}}}
		}, nil, true, nil},
		"a vector more": {func(l *linear) { l.n = 3 },
			[]string{"the model has results of 2 weight vectors, want 3"}, false, nil},
		"lambda": {func(l *linear) { l.found[1].Lambda = 0.5 },
			[]string{"the lambda of weight vector 1 is 0.5, not 0.125"}, false, nil},
		// The tolerance is 0.005, a hundredth of the claimed P - D.
		"quick": {func(l *linear) {
			first(l, Measurement{1, 0.005, nan}, Measurement{1.004, 0, 0.6})
		}, nil, false, nil},
		// The quick objective is 0.004 too low, and the bound is 0.
		"quick, without a bound": {func(l *linear) {
			l.Proven = true
			l.r.DualObjective, l.r.PerClass[0].DualObjective, l.all = 0.5, 0, claim(2.002, 0.5)
			first(l, Measurement{1, 0.005, nan}, Measurement{1.004, 0, -1})
		}, nil, false, nil},
		"too quick": {func(l *linear) {
			first(l, Measurement{1, 0.006, nan}, Measurement{1.004, 0, 0.6})
		}, []string{"the objective of weight vector 0 is 1.004, not 1"}, false, nil},
		"exact": {func(l *linear) {
			first(l, Measurement{1.004, 0, nan}, Measurement{1, 0.1, 0.7})
		}, nil, false, nil},
		"other data, nearly": {func(l *linear) {
			other(l, Measurement{2, 0, nan}, Measurement{1.0015, 0.001, 0.6})
		}, nil, false, nil},
		"other data, unsure": {func(l *linear) {
			other(l, Measurement{2, 0, nan}, Measurement{1.0055, 0.001, 0.6})
		}, nil, true, nil},
		"other data": {func(l *linear) {
			other(l, Measurement{2, 0, nan}, Measurement{1.0065, 0.001, 0.6})
		}, []string{"the objective of weight vector 0 is 1.0065, not 1"}, false, nil},
		"other data, with large errors": {func(l *linear) {
			other(l, Measurement{2, 0, nan}, Measurement{1.018, 0.01, 0.6})
		}, nil, false, nil},
		"a lower bound": {func(l *linear) { l.found[1].Exact.Bound = 0.875 }, nil, false, []int{1}},
		"a bound with an error": {func(l *linear) { l.found[1].Exact.MaxError = 0.125 }, nil, false,
			[]int{1}},
		"a lower mean": {func(l *linear) {
			l.found[0].Exact.Bound, l.all = 0.25, claim(2, 0.625)
		}, nil, true, []int{0}},
		"one vector": {func(l *linear) {
			l.n, l.found, l.r.PerClass = 1, l.found[:1], l.r.PerClass[:1]
			l.r.Objective, l.r.DualObjective, l.all = 1, 0.5, claim(1, 0)
		}, nil, false, nil},
		"one vector, not as good": {func(l *linear) {
			l.n, l.found, l.r.PerClass = 1, l.found[:1], l.r.PerClass[:1]
			l.r.Objective, l.r.DualObjective, l.found[0].Exact.Bound = 1, 0.5, 0.25
		}, nil, true, nil},
		"means": {func(l *linear) { l.r.Objective = 2.5 },
			[]string{"the mean of the claimed objectives is 2, not 2.5"}, false, nil},
		"a claim without rows": {func(l *linear) { // the means are over all three problems
			l.n, l.r.PerClass = 3, append(l.r.PerClass, ClassResult{Objective: 5, DualObjective: nan})
			l.r.Objective = 3
		}, []string{"the model makes claims about weight vector 2, for which the data have no rows"},
			false, nil},
		"vectors without rows": {func(l *linear) {
			l.n, l.r.PerClass = 5, append(l.r.PerClass, ClassResult{Objective: nan, DualObjective: nan},
				ClassResult{Objective: 1, DualObjective: nan},
				ClassResult{Objective: nan, DualObjective: 1})
		}, []string{"the model makes claims about weight vector 3, for which the data have no rows",
			"the model makes claims about weight vector 4, for which the data have no rows"}, false, nil},
		"parts": {func(l *linear) {
			l.Parts = true
			first(l, Measurement{}, Measurement{1 - 1e-6, 0, 0.5})
		}, nil, false, nil},
		"parts, unsure": {func(l *linear) {
			l.Parts = true
			first(l, Measurement{}, Measurement{1 + 1e-6, 0, 0.6})
		}, nil, true, nil},
	} {
		l := confirmed()
		c.change(l)
		compare, list := contradictions(false)
		l.Contradict = compare.Contradict
		l.Linear(l.r, l.n, l.joint, l.found, l.all)
		if !slices.Equal(*list, c.reasons) || l.Unsure != c.unsure ||
			!slices.Equal(l.Unconfirmed, c.unconfirmed) {
			t.Errorf("%s: unsure %v, vectors %v, %q", name, l.Unsure, l.Unconfirmed, *list)
		}
	}
}

func TestPartObjective(t *testing.T) {
	for _, c := range []struct {
		claimed, found float64
		unsure, wrong  bool
	}{
		{2, 2, false, false}, {0, 0, false, false},
		{2 * (1 + 0.9e-5), 2, false, false}, {2 * (1 + 1.1e-5), 2, false, true},
		{2 * (1 - 0.9e-11), 2, false, false}, {2 * (1 - 1.1e-11), 2, true, false},
		{2 * (1 - 0.9e-5), 2, true, false}, {2 * (1 - 1.1e-5), 2, false, true},
		{1, 0, false, true}, {2, nan, false, true},
	} {
		compare, list := contradictions(false)
		compare.partObjective("", c.claimed, c.found)
		if compare.Unsure != c.unsure || len(*list) > 0 != c.wrong {
			t.Errorf("%v, found %v: unsure %v, %q", c.claimed, c.found, compare.Unsure, *list)
		}
	}
}
