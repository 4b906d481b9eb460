package settings

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

var (
	scaleWords = map[scale.Kind]string{
		scale.None: "features not scaled", scale.Standard: "columns standardized",
		scale.MaxAbs: "columns divided by their largest magnitude",
		scale.Unit:   "rows divided by their length",
	}
	biasWords = map[string]string{
		BiasNone: "no bias", BiasAugmented: "bias", BiasUnregularised: "unregularised bias",
	}
	multiclassWords = map[string]string{
		OneVsRest: "one-vs-rest", OneVsOne: "one-vs-one", CrammerSinger: "Crammer-Singer",
		Multinomial: "multinomial",
	}
)

// Describe returns the text of pegasos.Model.Settings. lambda is the weight of the penalty, and r2
// the mean squared norm of the scaled rows, 0 if unknown.
func (s Settings) Describe(classes int, lambda, r2 float64) string {
	s = s.Plain()
	parts := []string{scaleWords[s.Scale], biasWords[s.Bias]}
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	if classes > 2 || s.Joint() {
		add("%s of %d classes", multiclassWords[s.Multiclass], classes)
	}
	if s.Curves != curves.None {
		add("%s of columns", s.Curves)
	}
	if s.TargetScale == scale.Standard {
		add("targets standardized")
	}
	switch {
	case s.C != 0:
		add("C %.3g", s.C)
	case r2 > 0:
		add("lambda %.2g = %.2g mean |x|^2", lambda, lambda/r2)
	default:
		add("lambda %.2g", lambda)
	}
	length := plural.Count(s.Epochs, "pass")
	if s.Steps != 0 {
		length = plural.Count(s.Steps, "step")
	}
	switch {
	case s.Finish == FinishNewton:
		add("Newton's method")
	case s.Tol != 0:
		add("up to %s, until within %.2g %% of the optimum", length, 100*s.Tol)
	default:
		add("%s", length)
	}
	return strings.Join(parts, ", ")
}
