package proof

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/escape"
)

// Standing says how far above the optimum an objective of that gap is at most.
func Standing(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound on its distance from the optimum"
	case !Useful(gap):
		return "no useful bound yet"
	}
	return "at most " + Percent(gap) + " above the optimum"
}

// A Finding is what was found of the claim that a model makes of itself.
type Finding struct {
	Claimed, ClaimedGap float64 // an objective that is NaN claims nothing
	Objective, Gap      float64
	Source              string   // of the bound
	Reasons             []string // that speak against the claim
	Verdict             string
	Unconfirmed         []int // weight vectors of which less was found than is claimed
	Vectors             int   // that there are
	Less                bool  // the verdict is that our own bound proves less, which is told
}

// Print writes it for people.
func (f *Finding) Print(w io.Writer) {
	if math.IsNaN(f.Claimed) {
		fmt.Fprintln(w, "claimed    nothing: training was interrupted, or is not known")
	} else {
		fmt.Fprintf(w, "claimed    objective %.10g, %s\n", f.Claimed, Standing(f.ClaimedGap))
	}
	standing := Standing(f.Gap)
	if f.Gap > 1 && !math.IsInf(f.Gap, 0) { // Of little use, but it is what was found.
		standing = "at most " + Percent(f.Gap) + " above the optimum"
	}
	fmt.Fprintf(w, "found      objective %.10g, %s, %s\n", f.Objective, standing, f.Source)
	for _, reason := range f.Reasons {
		fmt.Fprintf(w, "but        %s\n", escape.Text(reason))
	}
	if n := len(f.Unconfirmed); n > 0 {
		const most = 20
		some := strings.Trim(fmt.Sprint(f.Unconfirmed[:min(most, n)]), "[]")
		if n > most {
			some += " ..."
		}
		fmt.Fprintf(w, "of %d of %d weight vectors less was found than is claimed: %s\n", n,
			f.Vectors, strings.ReplaceAll(some, " ", ", "))
	}
	verdict := f.Verdict
	if f.Less && Useful(f.Gap) {
		verdict += ", at most " + Percent(f.Gap)
	}
	fmt.Fprintln(w, verdict)
}
