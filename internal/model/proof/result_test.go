package proof

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
)

func known() *Result {
	return &Result{
		Steps: 1, Epochs: 2.5, Violations: 3, Solver: "steps, dual", Replaced: 4, Weight: 5,
		R2: 6, T0: 7,
		Objective: 0.75, DualObjective: 0.5, Gap: 0.5,
		PerClass: []ClassResult{
			{Objective: 1, DualObjective: 0.5, Violations: 8, Steps: 9, Lambda: 10, Width: 11},
			{Objective: 0.5, DualObjective: 0.5, Violations: 12, Steps: 13, Lambda: 14, Width: 15},
		},
	}
}

func TestHeader(t *testing.T) {
	unmeasured := known()
	unmeasured.Unmeasure()
	joint := known()
	joint.PerClass = nil
	for _, want := range []*Result{known(), unmeasured, joint} {
		text, err := json.Marshal(want.Header())
		if err != nil {
			t.Fatal(err)
		}
		var h ResultHeader
		if err := json.Unmarshal(text, &h); err != nil {
			t.Fatal(err)
		}
		if have := h.Unpack(); fmt.Sprint(have) != fmt.Sprint(*want) {
			t.Errorf("%+v, want %+v from %s", have, want, text)
		}
		if measured := !math.IsNaN(want.Objective); measured !=
			strings.Contains(string(text), `"gap":`) ||
			strings.Contains(string(text), `"objective":`) != measured {
			t.Errorf("measured: %v: %s", measured, text)
		}
	}
}

func TestHeaderGap(t *testing.T) {
	for _, c := range []struct{ objective, bound, gap float64 }{
		{3, 2, 0.5}, {1, 1, 0}, {1, 0, math.Inf(1)}, {1, math.NaN(), math.NaN()},
	} {
		r := Result{Objective: c.objective, DualObjective: c.bound}
		h := r.Header()
		if have := h.Unpack().Gap; have != c.gap && !(math.IsNaN(have) && math.IsNaN(c.gap)) {
			t.Errorf("P %v, D %v: gap %v, want %v", c.objective, c.bound, have, c.gap)
		}
		if finite := !math.IsNaN(c.gap) && !math.IsInf(c.gap, 0); (h.Gap != nil) != finite ||
			finite && *h.Gap != c.gap {
			t.Errorf("P %v, D %v: the header's gap is %v", c.objective, c.bound, h.Gap)
		}
	}
}

func TestUnmeasure(t *testing.T) {
	for _, p := range Unknown(3) {
		if fmt.Sprint(p) != "{NaN NaN 0 0 0 0}" {
			t.Errorf("unknown: %+v", p)
		}
	}
	if n := len(Unknown(3)); n != 3 {
		t.Errorf("Unknown(3) returns %d results", n)
	}
	r := known()
	r.Unmeasure()
	if have, want := fmt.Sprint(*r), "{1 2.5 3 steps, dual 4 5 6 7 <nil> <nil> NaN NaN NaN "+
		"[{NaN NaN 8 9 10 11} {NaN NaN 12 13 14 15}]}"; have != want {
		t.Errorf("%s, want %s", have, want)
	}
}

func TestCheck(t *testing.T) {
	if err := known().Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Result){
		"pegasos: weight vector 1": func(r *Result) { r.PerClass[1].DualObjective = 0.51 },
		"pegasos: ":                func(r *Result) { r.DualObjective = 0.76 },
	} {
		r := known()
		change(r)
		if err := r.Check(); err == nil || !strings.HasPrefix(err.Error(), want) ||
			want == "pegasos: " && strings.Contains(err.Error(), "vector") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	r := known()
	r.Unmeasure()
	if err := r.Check(); err != nil {
		t.Error(err)
	}
}
