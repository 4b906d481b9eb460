package options

import (
	"math"
	"testing"
)

func TestRules(t *testing.T) {
	for want, r := range map[string]Rule{
		`A: have "x", want a or b`:    OneOf("A", "x", "a", "b"),
		`A: have "x", want a, b or c`: OneOf("A", "x", "a", "b", "c"),
		"B: have 5, want 1 to 4": Range("B", 5, 1, 4,
			"1 to 4"),
		"C: have +Inf, want a positive finite number": Positive("C", math.Inf(1)),
		"D: have 1, want more than 0 and less than 1": Share("D", 1),
		`E: have 2, which has no effect with K "k"`: Only("E", true, 2,
			"K", "k"),
		"Lambda: have NaN, want a positive finite number": Penalty(math.NaN(), 0),
		"Lambda: have 1e-13, want a lambda from 1e-12 to 1.361e+39 for these rows": LambdaFits(1e-13,
			0, 4),
		"C: have 2, which makes lambda 1e-15, want a lambda from 1e-14 to 3.403e+38 for these " +
			"rows": LambdaFits(1e-15, 2, 0.01),
		"C: have -1, want a positive finite number":                    Penalty(0, -1),
		"Steps: only one of Epochs and Steps can be set, have 1 and 2": Exclusive(0, 0, 1, 2)[1],
	} {
		if err := Check(nil, []Rule{{}, r}); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	kept := []Rule{
		OneOf("A", "a", "a", "b"), Range("B", 4, 1, 4, ""), Positive("C", 1), Share("D", 0.5),
		Only("E", false, 2, "K", "k"), Penalty(1, 0), Penalty(0, 1),
		LambdaFits(1e-20, 0, 1e-8), LambdaFits(1e45, 0, 1e7), LambdaFits(1, 0, 0),
	}
	if err := Check(kept, Exclusive(1, 0, 0, 2)); err != nil {
		t.Error(err)
	}
	if lambda, r := LambdaFor(0, 2, 50); lambda != 0.01 || r.Field != "" {
		t.Errorf("LambdaFor returned %v, %v", lambda, r)
	}
	if _, r := LambdaFor(0, 1e300, 1e10); r.Field != "C" {
		t.Errorf("for a C that is too large, LambdaFor returned the rule %v", r)
	}
}
