package pegasos

import (
	"fmt"
	"strings"
)

// Settings describes the objective and the length of the run, whether they were chosen from the
// data or given, in one line for people, such as
//
//	columns standardised, bias, one-vs-one of 9 classes, lambda 9e-5 = 2e-6 mean |x|^2, 20 passes
//
// In that line mean |x|^2 is the mean squared norm of the scaled rows. The text may change in later
// versions.
func (m *Model) Settings() string {
	cfg := m.Config.Plain()
	var parts []string
	add := func(format string, a ...any) { parts = append(parts, fmt.Sprintf(format, a...)) }
	add("%s", map[Scale]string{
		ScaleNone: "features as they are", ScaleStandard: "columns standardised",
		ScaleMaxAbs: "columns divided by their largest magnitude",
		ScaleUnit:   "rows divided by their length",
	}[cfg.Scale])
	add("%s", map[Bias]string{
		BiasNone: "no bias", BiasAugmented: "bias", BiasUnregularised: "unregularised bias",
	}[cfg.Bias])
	if k := len(m.Classes); k > 2 || cfg.Multiclass.Joint() {
		add("%s of %d classes", map[Multiclass]string{
			OneVsRest: "one-vs-rest", OneVsOne: "one-vs-one", CrammerSinger: "Crammer-Singer",
			Multinomial: "multinomial",
		}[cfg.Multiclass], k)
	}
	if cfg.TargetScale == ScaleStandard {
		add("numbers standardised")
	}
	switch {
	case cfg.C != 0:
		add("C %.3g", cfg.C)
	case m.Scaling != nil && m.Scaling.R2 > 0:
		add("lambda %.2g = %.2g mean |x|^2", m.Lambda, m.Lambda/m.Scaling.R2)
	default:
		add("lambda %.2g", m.Lambda)
	}
	switch {
	case cfg.Finish == FinishNewton:
		add("Newton's method")
	case cfg.Steps != 0:
		add("%d steps", cfg.Steps)
	case cfg.Tol != 0:
		add("up to %d passes, until proven to %.2g %%", cfg.Epochs, 100*cfg.Tol)
	default:
		add("%d passes", cfg.Epochs)
	}
	line := strings.Join(parts, ", ")
	if m.Scaling != nil && m.Scaling.Note != "" {
		line += " (" + m.Scaling.Note + ")"
	}
	return line
}
