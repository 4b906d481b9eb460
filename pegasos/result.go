package pegasos

import (
	"encoding/json"

	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// Result describes the length of a run and the quality of its model.
type Result struct {
	// Steps is the largest number of steps of a weight vector, including those of Trainer.Start. It
	// leaves out pairs of classes without rows, which keep the steps of Start.
	Steps      int64
	Epochs     float64 // passes over the rows in this run; for a Partial, number of non-empty chunks
	Violations int64   // steps that changed weights, summed over all problems
	// Solver names the solver that the run began with, "steps" (Pegasos) or "dual" (dual coordinate
	// descent), and after commas the other solvers in use at the end ("newton", "dual"). It is
	// empty if Config.Finish is FinishNone or zero.
	Solver string

	// Replaced is the number of problems whose weights had a larger objective than w = 0 (with a
	// prior, w = w0) or than the start. Their weights were replaced by the best of w = 0, the start
	// and the last iterate. It is 0 with OffsetNone or Patience, which prevent the replacement.
	Replaced int
	Weight   float64 // sum of the rows' weights; 0 if neither rows nor classes had weights
	// R2 is the weighted mean squared norm of the scaled rows, with the appended feature. T0 is the
	// t0 of Offset. With one-vs-one R2 and T0 refer to the first pair that has rows, with
	// one-vs-rest T0 to the first class.
	R2, T0 float64
	// CrossValidated is the quality of models with the same settings in a cross-validation; nil if
	// there was none. It is optimistic, because the folds also chose the settings.
	CrossValidated *Estimate
	// HeldOut is the quality of the model on the rows that Trainer.Holdout held out; nil if there
	// were none, or if the run was interrupted.
	HeldOut *Estimate
	// Objective is P, the mean of the problems' objectives. DualObjective is D, a proven lower
	// bound on the minimum of P, which allows for rounding errors. Gap is the relative duality gap
	// (P-D)/D: 0 if P = D, and otherwise +Inf if D is 0 or less. DualObjective and Gap are NaN
	// without a certificate; all three are NaN in the model of an interrupted run or of a Partial.
	Objective, DualObjective, Gap float64
	// PerClass holds a result for each weight vector; it is nil for joint problems. A pair of
	// one-vs-one that has no rows keeps the weights of Start or Prior, and has NaN objectives.
	PerClass []ClassResult
}

// ClassResult is the part of a [Result] for one weight vector:
//
//	Objective, DualObjective float64 // P of the problem and its lower bound D; NaN if unknown
//	Violations               int64   // steps that changed the vector
//	Steps                    int64   // steps of the vector
//	Lambda                   float64 // penalty weight; 0 for a pair of one-vs-one without rows
//	Width                    float64 // smoothing width; 0 if the loss was not smoothed
//
// Width is the width of the interval of margins over which Newton's method smoothed the kink of the
// loss. Verify needs Width to find the bound again.
type ClassResult = proof.ClassResult

// Estimate is an estimate of how well a model predicts rows that it was not trained on:
//
//	Metric string  // "accuracy" or "r2"
//	Value  float64 // accuracy, from 0 to 1, or R^2, weighted by the rows' weights
//	StdErr float64 // standard error of Value
//	Rows   int     // number of predicted rows
//	Folds  int     // folds of a cross-validation; 0 for held-out rows
//	Share  float64 // share of the groups of equal rows that Trainer.Holdout held out; else 0
type Estimate = proof.Estimate

// WorstGap returns the largest relative duality gap in PerClass and the index of its weight vector.
// It returns NaN and -1 if no gap is known.
func (r Result) WorstGap() (gap float64, k int) {
	return proof.Worst(len(r.PerClass), func(k int) (objective, bound float64) {
		return r.PerClass[k].Objective, r.PerClass[k].DualObjective
	})
}

// MarshalJSON encodes r for a model's header, without NaN objectives, bounds and gaps, and without
// an infinite gap.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(proof.Result(r).Header()) }

// UnmarshalJSON decodes the JSON of MarshalJSON. Missing objectives and bounds become NaN, and Gap
// is computed from Objective and DualObjective. Unknown keys and invalid Estimates are errors.
func (r *Result) UnmarshalJSON(text []byte) error {
	var h *proof.ResultHeader
	if err := modelfile.Unmarshal(text, &h); err != nil {
		return err
	}
	if err := h.CheckEstimates(); err != nil {
		return err
	}
	*r = Result(h.Unpack())
	return nil
}
