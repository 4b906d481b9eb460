// Package checkpoint defines the state of an interrupted training session, and reads its arrays
// from a model file. A resumed session has the same results, to the bit, as an uninterrupted one.
package checkpoint

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// State is the state of an interrupted training session.
type State struct {
	Head
	Arrays [][]float32 // long arrays, in the order of engine.Session.arrays
}

// Head is a State without its long arrays, as stored in a file's header.
type Head struct {
	Data      string    `json:"data"` // fingerprint
	Lengths   []int     `json:"arrays"`
	Round     int       `json:"round"` // epochs that all runs have completed
	Ended     bool      `json:"ended,omitempty"`
	NextCheck int       `json:"look"` // epoch after which the next stop check is due
	Best      *Best     `json:"best,omitempty"`
	Runs      []Run     `json:"runs"`
	Learners  []Learner `json:"learners"` // learners of the first run, then of the second, ...
}

// Best is the session's best point so far on validation data, without its weights, which are among
// the long arrays.
type Best struct {
	Quality   float64             `json:"quality"`
	SinceBest int                 `json:"worse"`
	Bias      []float64           `json:"bias,omitempty"`
	Result    *proof.ResultHeader `json:"result"`
}

// Run is the position of one of the session's runs.
type Run struct {
	Steps int64 `json:"steps"`
	Epoch int   `json:"epoch"`
	// state of the random number generator at the start of the epoch, or now if the epoch is over
	// or the order is IID
	Generator []byte `json:"generator"`
	Position  int    `json:"position"` // steps taken in the current epoch
}

// Learner is the state of one learner, without long arrays.
type Learner struct {
	iterate.Saved
	Dual         *iterate.Progress `json:"dual,omitempty"`
	Newton       *Newton           `json:"newton,omitempty"`
	NewtonStarts int               `json:"newtons,omitempty"` // starts of Newton's method so far
}

// Newton is the state of Newton's method. A resumed run repeats the iterations of Past.
type Newton struct {
	Start int64 `json:"start"`          // steps before Newton's method began
	Dual  bool  `json:"dual,omitempty"` // Newton's method followed the dual descent
	newton.Past
}

func (st *State) Steps() (n int64) {
	for _, r := range st.Runs {
		n += r.Steps
	}
	return n
}

// on 64-bit machines
const sliceSize = 24

// Read reads the long arrays of head. It does not check whether the state fits a training run.
func Read(r *modelfile.Reader, head *Head) (*State, error) {
	st := &State{Head: *head}
	if err := r.Take(len(head.Lengths) * sliceSize); err != nil {
		return nil, fmt.Errorf("header: state: %s: %w",
			plural.Count(len(head.Lengths), "array"), err)
	}
	for _, n := range head.Lengths {
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
