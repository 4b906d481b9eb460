package pegasos

import (
	"fmt"
	"strings"
)

// Settings returns what the run minimised and for how long in one line, such as
//
//	columns standardised, bias, one-vs-one of 9 classes, lambda 9e-5 = 2e-6 mean |x|^2, 20 passes
//
// whether it was chosen or given. mean |x|^2 is the mean squared length of the scaled rows.
func (m *Model) Settings() string {
	cfg := m.Config.Plain()
	parts := []string{
		map[Scale]string{
			ScaleNone: "features as they are", ScaleStandard: "columns standardised",
			ScaleMaxAbs: "columns divided by their largest magnitude",
			ScaleUnit:   "rows divided by their length",
		}[cfg.Scale],
		map[Bias]string{
			BiasNone: "no bias", BiasAugmented: "bias",
			BiasUnregularised: "unregularised bias",
		}[cfg.Bias],
	}
	if k := len(m.Classes); k > 2 || cfg.Multiclass.Joint() {
		name := map[Multiclass]string{
			OneVsRest: "one-vs-rest", OneVsOne: "one-vs-one", CrammerSinger: "Crammer-Singer",
			Multinomial: "multinomial",
		}[cfg.Multiclass]
		parts = append(parts, fmt.Sprintf("%s of %d classes", name, k))
	}
	if cfg.TargetScale == ScaleStandard {
		parts = append(parts, "numbers standardised")
	}
	if cfg.C != 0 {
		parts = append(parts, fmt.Sprintf("C %.3g", cfg.C))
	} else {
		lambda := fmt.Sprintf("lambda %.2g", m.Lambda)
		if m.Scaling != nil && m.Scaling.R2 > 0 {
			lambda += fmt.Sprintf(" = %.2g mean |x|^2", m.Lambda/m.Scaling.R2)
		}
		parts = append(parts, lambda)
	}
	if cfg.Finish == FinishNewton {
		parts = append(parts, "Newton's method")
	} else if cfg.Steps != 0 {
		parts = append(parts, fmt.Sprintf("%d steps", cfg.Steps))
	} else if cfg.Tol != 0 {
		parts = append(parts, fmt.Sprintf("up to %d passes, until proven to %.2g %%", cfg.Epochs,
			100*cfg.Tol))
	} else {
		parts = append(parts, fmt.Sprintf("%d passes", cfg.Epochs))
	}
	line := strings.Join(parts, ", ")
	if m.Scaling != nil && m.Scaling.Note != "" {
		line += " (" + m.Scaling.Note + ")"
	}
	return line
}
