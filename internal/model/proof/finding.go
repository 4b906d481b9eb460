package proof

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// Verdicts: see pegasos.Verdict.
const (
	Confirmed     = "confirmed"
	NotConfirmed  = "not confirmed"
	Contradicted  = "contradicted"
	ClaimsNothing = "claims nothing"
)

// Verdict returns the verdict on the claimed means, all. reasons counts the contradictions.
func Verdict(reasons int, all Claim, unsure bool) string {
	switch {
	case reasons > 0:
		return Contradicted
	case !Useful(all.Gap()):
		return ClaimsNothing
	case unsure:
		return NotConfirmed
	}
	return Confirmed
}

// Finding is the result of verifying a model's claim.
type Finding struct {
	Claimed     Claim // Objective is NaN if there is no claim
	Found       Claim
	Source      string
	Reasons     []string
	Verdict     string
	Unconfirmed []int // weight vectors whose bound or gap is not confirmed
	Vectors     int   // number of weight vectors; each has its own problem if any are Unconfirmed
}

func (f *Finding) Print(w io.Writer) {
	if math.IsNaN(f.Claimed.Objective) {
		fmt.Fprintln(w, "claimed    nothing: the model has no objective")
	} else {
		fmt.Fprintf(w, "claimed    objective %.10g, %s\n", f.Claimed.Objective,
			Standing(f.Claimed.Gap()))
	}
	gap := f.Found.Gap()
	standing := Standing(gap)
	if gap > 1 && !math.IsInf(gap, 0) {
		standing = "at most " + Percent(gap) + " above the optimum"
	}
	fmt.Fprintf(w, "found      objective %.10g, %s, %s\n", f.Found.Objective, standing, f.Source)
	for _, reason := range f.Reasons {
		fmt.Fprintf(w, "but        %s\n", escape.Text(reason))
	}
	if n := len(f.Unconfirmed); n > 0 && f.Vectors > 1 {
		const most = 20
		some := strings.Trim(fmt.Sprint(f.Unconfirmed[:min(most, n)]), "[]")
		if n > most {
			some += " ..."
		}
		about := ""
		if f.Verdict == Confirmed {
			about = "; the verdict is about the means over the problems"
		}
		fmt.Fprintf(w, "bound or gap not confirmed for %d of %s: %s%s\n", n,
			plural.Count(f.Vectors, "problem"), strings.ReplaceAll(some, " ", ", "), about)
	}
	verdict := f.Verdict
	if verdict == NotConfirmed && len(f.Reasons) == 0 && Useful(gap) {
		verdict += ", at most " + Percent(gap)
		if f.Found.DualObjective < f.Claimed.DualObjective && Percent(gap) == Percent(f.Claimed.Gap()) {
			verdict += fmt.Sprintf(": the bound %v is below the claimed bound %v", f.Found.DualObjective,
				f.Claimed.DualObjective)
		}
	}
	fmt.Fprintln(w, verdict)
}
