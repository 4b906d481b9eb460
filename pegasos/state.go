package pegasos

import (
	"encoding/json"
	"errors"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/checkpoint"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A State is all that is needed to take up a run where it was left off, beside the data and the
// Config: see Trainer.KeepState and Trainer.Resume. It is part of the model's file.
type State struct{ state checkpoint.State }

// Steps returns how many the run had taken, as in [Progress].
func (st *State) Steps() int64 { return st.state.Steps() }

// Data returns a fingerprint of the rows, labels, weights and prior of the run.
func (st *State) Data() string { return st.state.Data }

// Size returns how many numbers the state has beside those of the model.
func (st *State) Size() int { return st.state.Size() }

// room returns r as the trainer's rooms have it.
func (r *Result) room() result.Result {
	to := result.Result{Steps: r.Steps, Epochs: r.Epochs, Violations: r.Violations,
		Replaced: r.Replaced, Weight: r.Weight, R2: r.R2, T0: r.T0, Objective: r.Objective,
		DualObjective: r.DualObjective, Gap: r.Gap}
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
