package pegasos

import (
	"encoding/json"
	"errors"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A Result says how a run went.
type Result struct {
	// Steps is the largest number that a weight vector has taken. It includes the steps of the
	// model that the run started from.
	Steps      int64
	Epochs     float64 // of the run
	Violations int64   // steps that changed the weights, over all classes

	// Replaced is the number of problems whose result had an objective above that of w = 0 (the
	// prior, if there is one) or of the start: their weights are the best of these and the last
	// iterate. Nothing is replaced with OffsetNone, whose steps are the paper's, nor with Patience.
	Replaced int

	Weight float64 // sum of the rows' weights; 0 if there were none, and all weighed 1

	// R2 is the mean squared norm of the rows, the appended feature included. With one-vs-one it is
	// that of the first pair's rows, and so is T0.
	R2 float64
	T0 float64

	// Objective is P, the mean over the classes' problems; DualObjective is a lower bound on the
	// least P there is, which carries all roundings, also those of Objective. Gap is the most by
	// which P is above that least, as a share of it: (Objective-DualObjective)/DualObjective. It is
	// 0 where the two are the same, and +Inf where DualObjective is 0 and Objective is not. Without
	// a certificate the latter two are NaN, and all three are NaN in the model of a run that was
	// interrupted.
	Objective     float64
	DualObjective float64
	Gap           float64

	// PerClass has the parts of the above, for each weight vector. Joint problems have none. A pair
	// of one-vs-one whose classes are those of Start or Prior, and have no rows, is left as it was
	// there, and is not measured: it has NaN.
	PerClass []ClassResult
}

// A ClassResult is the part of one weight vector in a [Result].
type ClassResult struct {
	Objective, DualObjective float64
	Violations               int64
	Steps                    int64   // 0 in models of former versions: as many as in all
	Lambda                   float64 // 0 there, too; with one-vs-one and C each pair has its own

	// Width is that of the zone over which Newton's method had smoothed the kink of the loss when
	// it found the dual variables of the bound, in terms of the margins; 0 where it did not. Verify
	// needs it to make nearly the same dual variables of the weights.
	Width float64
}

// WorstGap returns the largest gap of a weight vector's own problem, and the number of that vector.
// They are NaN and -1 where no problem has a gap.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerClass), func(k int) (objective, bound float64) {
		return r.PerClass[k].Objective, r.PerClass[k].DualObjective
	})
}

// check returns an error if a bound is above its objective.
func (r *Result) check() error { return r.room().Check() }

// room returns r as the trainer's rooms have it.
func (r *Result) room() result.Result {
	to := result.Result{Objective: r.Objective, DualObjective: r.DualObjective, Gap: r.Gap,
		Run: result.Run{Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations,
			Replaced: r.Replaced, Weight: r.Weight, R2: r.R2, T0: r.T0}}
	for _, c := range r.PerClass {
		to.PerClass = append(to.PerClass, result.Problem(c))
	}
	return to
}

func resultOf(r result.Result) Result {
	to := Result{Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations,
		Replaced: r.Replaced, Weight: r.Weight, R2: r.R2, T0: r.T0, Objective: r.Objective,
		DualObjective: r.DualObjective, Gap: r.Gap}
	for _, c := range r.PerClass {
		to.PerClass = append(to.PerClass, ClassResult(c))
	}
	return to
}

func (r *Result) header() *result.Header {
	room := r.room()
	return room.Header()
}

// MarshalJSON leaves out what was not measured, for JSON has no NaN.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r.header()) }

// UnmarshalJSON reads what MarshalJSON has written, and makes NaN of what is left out. Fields that
// it does not know are an error.
func (r *Result) UnmarshalJSON(text []byte) error {
	var h *result.Header
	if err := modelfile.Unmarshal(text, &h); err != nil {
		return err
	}
	if h == nil {
		return errors.New("want an object")
	}
	*r = resultOf(h.Result())
	return nil
}
