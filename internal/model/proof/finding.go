package proof

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// Standing describes how far above the optimum an objective with this relative duality gap can be.
func Standing(gap float64) string {
	switch {
	case math.IsNaN(gap):
		return "no bound on its distance from the optimum"
	case !Useful(gap):
		return "no useful bound yet"
	}
	return "at most " + Percent(gap) + " above the optimum"
}

// Finding is the result of verifying a model's claim about its objective and gap.
type Finding struct {
	Claimed, ClaimedGap float64 // the model's claim; Claimed is NaN if there is none
	Objective, Gap      float64
	Source              string   // how the lower bound of Gap was computed, in words
	Reasons             []string // what speaks against the claim, in words
	Verdict             string
	Unconfirmed         []int // indices of weight vectors whose bound or gap is worse than claimed
	Vectors             int   // number of weight vectors
	Less                bool  // less was found than claimed: Print adds Gap to Verdict if it is useful
}

// Print writes f as text to w.
func (f *Finding) Print(w io.Writer) {
	if math.IsNaN(f.Claimed) {
		fmt.Fprintln(w, "claimed    nothing: training was interrupted, or is not known")
	} else {
		fmt.Fprintf(w, "claimed    objective %.10g, %s\n", f.Claimed, Standing(f.ClaimedGap))
	}
	standing := Standing(f.Gap)
	if f.Gap > 1 && !math.IsInf(f.Gap, 0) { // a large gap is printed too: it is the result
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
