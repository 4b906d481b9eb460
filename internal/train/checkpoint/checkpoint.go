// Package checkpoint has the state of a run: what is needed to take it up where it was left off,
// beside the data and the settings. It is part of a model's file.
package checkpoint

import (
	"errors"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// A State is that of a session.
type State struct {
	Head
	Arrays [][]float32 // in the order in which the engine lists them
}

// A Head is the part of a State that is no long array, as it is in files.
type Head struct {
	Data     string    `json:"data"`   // fingerprint
	Lengths  []int     `json:"arrays"` // the arrays'
	Round    int       `json:"round"`
	Ended    bool      `json:"ended,omitempty"` // by a rule, before its last step
	Look     int       `json:"look"`
	Best     *Best     `json:"best,omitempty"`
	Runs     []Run     `json:"runs"`
	Learners []Learner `json:"learners"` // of all runs
}

// A Best is the best model on validation data, but for its weights.
type Best struct {
	Quality float64        `json:"quality"`
	Worse   int            `json:"worse"`
	Bias    []float64      `json:"bias,omitempty"`
	Result  *result.Header `json:"result"`
}

// A Run is where a run is.
type Run struct {
	Steps int64 `json:"steps"`
	Epoch int   `json:"epoch"`
	// of the epoch's start, unless it is over or the order is IID
	Generator []byte `json:"generator"`
	Position  int    `json:"position"` // in the epoch
}

// A Learner is what its solvers save.
type Learner struct {
	iterate.Saved
	Dual    *iterate.Progress `json:"dual,omitempty"`
	Newton  *Newton           `json:"newton,omitempty"`
	Newtons int               `json:"newtons,omitempty"` // how often Newton's method has begun
}

// A Newton is what Newton's method has done since it took over from the state that is saved: a
// resumed run does it again.
type Newton struct {
	Start int64 `json:"start"`          // the step after which it began
	Dual  bool  `json:"dual,omitempty"` // whether the descent came before it
	newton.Past
}

// Steps returns how many the runs had taken, all together.
func (st *State) Steps() (n int64) {
	for _, r := range st.Runs {
		n += r.Steps
	}
	return n
}

// sliceSize is what a slice takes besides its elements, in bytes.
const sliceSize = 24

// Read reads the arrays that go with a head. Whether they fit a run is found out when there is one.
func Read(r *modelfile.Reader, from *Head) (*State, error) {
	st := &State{Head: *from}
	if err := r.Take(len(from.Lengths) * sliceSize); err != nil {
		return nil, fmt.Errorf("header: state: %d arrays: %w", len(from.Lengths), err)
	}
	for _, n := range from.Lengths {
		if n < 0 {
			return nil, errors.New("header: state: an array of negative length")
		}
		a, err := r.Floats(n)
		if err != nil {
			return nil, err
		}
		st.Arrays = append(st.Arrays, a)
	}
	return st, nil
}
