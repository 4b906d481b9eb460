package proof

import (
	"slices"
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	for name, c := range map[string]struct {
		finding Finding
		want    string
	}{
		"confirmed": {Finding{Claimed: claim(2, 1.6), Found: claim(2, 1.6), Source: "from a proof",
			Verdict: Confirmed, Vectors: 1},
			"claimed    objective 2, at most 25 % above the optimum\n" +
				"found      objective 2, at most 25 % above the optimum, from a proof\n" +
				"confirmed\n"},
		"no claim": {Finding{Claimed: claim(nan, nan), Found: claim(2, 0.5), Source: "by Newton",
			Verdict: ClaimsNothing},
			"claimed    nothing: the model has no objective\n" +
				"found      objective 2, at most 300 % above the optimum, by Newton\n" +
				"claims nothing\n"},
		"no bound": {Finding{Claimed: claim(2, 0), Found: claim(2, 0), Source: "by Newton",
			Verdict: NotConfirmed},
			"claimed    objective 2, " + Standing(claim(2, 0).Gap()) + "\n" +
				"found      objective 2, " + Standing(claim(2, 0).Gap()) + ", by Newton\n" +
				"not confirmed\n"},
		"contradicted": {Finding{Claimed: claim(2, 1.6), Found: claim(3, 1.6), Source: "x",
			Reasons: []string{"one", "a\x1bb"}, Verdict: Contradicted},
			"claimed    objective 2, at most 25 % above the optimum\n" +
				"found      objective 3, at most 87.5 % above the optimum, x\n" +
				"but        one\nbut        a\\x1bb\ncontradicted\n"},
		"less": {Finding{Claimed: claim(2, 1.6), Found: claim(2, 1.25), Source: "x",
			Verdict: NotConfirmed, Unconfirmed: []int{1, 3}, Vectors: 5},
			"claimed    objective 2, at most 25 % above the optimum\n" +
				"found      objective 2, at most 60 % above the optimum, x\n" +
				"bound or gap not confirmed for 2 of 5 problems: 1, 3\n" +
				"not confirmed, at most 60 %\n"},
		"less by the last digits": {Finding{Claimed: claim(2, 1.61), Found: claim(2, 1.60999),
			Source: "x", Verdict: NotConfirmed},
			"claimed    objective 2, at most 24.23 % above the optimum\n" +
				"found      objective 2, at most 24.23 % above the optimum, x\n" +
				"not confirmed, at most 24.23 %: the bound 1.60999 is below the claimed bound 1.61\n"},
		"confirmed for the means": {Finding{Claimed: claim(2, 1.6), Found: claim(2, 1.6), Source: "x",
			Verdict: Confirmed, Unconfirmed: []int{1, 3}, Vectors: 5},
			"claimed    objective 2, at most 25 % above the optimum\n" +
				"found      objective 2, at most 25 % above the optimum, x\n" +
				"bound or gap not confirmed for 2 of 5 problems: 1, 3; the verdict is about the means " +
				"over the problems\nconfirmed\n"},
		"not confirmed, for a reason": {Finding{Claimed: claim(2, 1.6), Found: claim(2, 1.6),
			Source: "x", Reasons: []string{"one"}, Verdict: NotConfirmed},
			"claimed    objective 2, at most 25 % above the optimum\n" +
				"found      objective 2, at most 25 % above the optimum, x\n" +
				"but        one\nnot confirmed\n"},
	} {
		var text strings.Builder
		if c.finding.Print(&text); text.String() != c.want {
			t.Errorf("%s:\n%swant\n%s", name, &text, c.want)
		}
	}
	many := Finding{Unconfirmed: slices.Repeat([]int{7}, 21), Vectors: 30}
	var text strings.Builder
	many.Print(&text)
	if !strings.Contains(text.String(), " problems: "+strings.Repeat("7, ", 20)+"...\n") {
		t.Errorf("of 21 vectors: %s", &text)
	}
}
