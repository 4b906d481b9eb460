package pegasos

import (
	"encoding/json"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A Result says how a run went.
type Result struct {
	// Steps is the largest number that a weight vector has taken, those of Trainer.Start included.
	Steps      int64
	Epochs     float64 // of the run
	Violations int64   // steps that changed the weights, over all classes
	// Solver names what the run began with, Pegasos's "steps" or the "dual" descent, and after
	// commas what has taken over some class's problem: "newton", or the descent. It is empty
	// where there was no Finish.
	Solver string

	// Replaced counts the problems whose result was worse than w = 0 (the prior) or the start and
	// is the best of these and the last iterate instead; 0 with OffsetNone or Patience.
	Replaced int
	Weight   float64 // sum of the rows' weights; 0 if there were none, and all weighed 1
	// R2 is the mean squared norm of the rows, with the appended feature; with one-vs-one R2 and T0
	// are those of the first pair.
	R2, T0 float64
	// Objective is P, the mean over the classes' problems. DualObjective is a lower bound on the
	// least P there is, with all roundings allowed for, also those of Objective. Gap is the most by
	// which P is above that least, as a share of it: (Objective-DualObjective)/DualObjective, 0
	// where the two are the same, and +Inf where only DualObjective is 0. The latter two are NaN
	// without a certificate, and all three in the model of a run that was interrupted.
	Objective, DualObjective, Gap float64
	// PerClass has the parts of the above for each weight vector; none for joint problems. A pair
	// of one-vs-one without rows is left as it was in Start or Prior, and has NaN.
	PerClass []ClassResult
}

// A ClassResult is the part of one weight vector in a [Result].
type ClassResult struct {
	Objective, DualObjective float64
	Violations               int64
	Steps                    int64   // 0 in models of former versions: as many as in all
	Lambda                   float64 // 0 there, too; with one-vs-one and C each pair has its own
	// Width is that of the zone of margins over which Newton's method had smoothed the kink of the
	// loss when it found the dual variables of the bound, which Verify makes again; 0 for none.
	Width float64
}

// WorstGap returns the largest gap of a problem and the number of its vector; NaN and -1 for none.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerClass), func(k int) (objective, bound float64) {
		return r.PerClass[k].Objective, r.PerClass[k].DualObjective
	})
}

// room returns r as the trainer's rooms have it.
func (r Result) room() *result.Result {
	to := &result.Result{Objective: r.Objective, DualObjective: r.DualObjective, Gap: r.Gap,
		Run: result.Run{Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations,
			Solver: r.Solver, Replaced: r.Replaced, Weight: r.Weight, R2: r.R2, T0: r.T0}}
	for _, c := range r.PerClass {
		to.PerClass = append(to.PerClass, result.Problem(c))
	}
	return to
}

func resultOf(r result.Result) Result {
	to := Result{Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations, Solver: r.Solver,
		Replaced: r.Replaced, Weight: r.Weight, R2: r.R2, T0: r.T0, Objective: r.Objective,
		DualObjective: r.DualObjective, Gap: r.Gap}
	for _, c := range r.PerClass {
		to.PerClass = append(to.PerClass, ClassResult(c))
	}
	return to
}

// MarshalJSON leaves out what was not measured, for JSON has no NaN.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r.room().Header()) }

// UnmarshalJSON reads what MarshalJSON writes. A measurement that is left out is NaN, and an
// unknown field is an error.
func (r *Result) UnmarshalJSON(text []byte) error {
	var h *result.Header
	if err := modelfile.Unmarshal(text, &h); err != nil {
		return err
	}
	*r = resultOf(h.Result())
	return nil
}
