// Package checkpoint defines the state of an interrupted training run, State, and reads its arrays
// from a model's file. With the data and the settings, it is all that package engine needs to
// continue the run to the bit.
package checkpoint

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
	"github.com/pegasimd/pegasimd/internal/train/result"
)

// State is the state of a training session.
type State struct {
	Head
	Arrays [][]float32 // long arrays, in the order of engine.Session.arrays
}

// Head is a State without its long arrays, as it is stored in the header of a file.
type Head struct {
	Data      string    `json:"data"`   // fingerprint of the data
	Lengths   []int     `json:"arrays"` // lengths of the long arrays
	Round     int       `json:"round"`
	Ended     bool      `json:"ended,omitempty"` // by a stopping criterion, early
	NextCheck int       `json:"look"`
	Best      *Best     `json:"best,omitempty"`
	Runs      []Run     `json:"runs"`
	Learners  []Learner `json:"learners"` // of all runs, in order
}

// Best is the best point by validation data so far, without its weights, which are among the long
// arrays.
type Best struct {
	Quality   float64        `json:"quality"`
	SinceBest int            `json:"worse"`
	Bias      []float64      `json:"bias,omitempty"`
	Result    *result.Header `json:"result"`
}

// Run is the position of one run.
type Run struct {
	Steps int64 `json:"steps"`
	Epoch int   `json:"epoch"`
	// state at the start of the current epoch, or now if the epoch is over or the order is IID
	Generator []byte `json:"generator"`
	Position  int    `json:"position"` // steps into the current epoch
}

// Learner is the state of one learner, without its long arrays.
type Learner struct {
	iterate.Saved
	Dual         *iterate.Progress `json:"dual,omitempty"`
	Newton       *Newton           `json:"newton,omitempty"`
	NewtonStarts int               `json:"newtons,omitempty"` // starts of Newton's method
}

// Newton is the state of Newton's method: what it has done since it started, which a resumed run
// repeats.
type Newton struct {
	Start int64 `json:"start"`          // step after which the method began
	Dual  bool  `json:"dual,omitempty"` // whether dual coordinate descent preceded the method
	newton.Past
}

// Steps returns the number of steps taken, summed over the runs.
func (st *State) Steps() (n int64) {
	for _, r := range st.Runs {
		n += r.Steps
	}
	return n
}

// sliceSize is the size of a slice header in bytes.
const sliceSize = 24

// Read reads the long arrays that belong to a head. Whether they fit a run is checked when the run
// is resumed.
func Read(r *modelfile.Reader, from *Head) (*State, error) {
	st := &State{Head: *from}
	if err := r.Take(len(from.Lengths) * sliceSize); err != nil {
		return nil, fmt.Errorf("header: state: %d arrays: %w", len(from.Lengths), err)
	}
	for _, n := range from.Lengths {
		if n < 0 {
			return nil, fmt.Errorf("header: state: an array has negative length %d", n)
		}
		a, err := r.Floats(n)
		if err != nil {
			return nil, err
		}
		st.Arrays = append(st.Arrays, a)
	}
	return st, nil
}
