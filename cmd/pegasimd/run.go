package main

import (
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A linearRun is one run of train without -kernel.
type linearRun struct {
	*call
	cfg         pegasos.Config
	classWeight string // of cfg, with names in place of labels
	keep        *checkpoints

	model        string // file name
	modelOut     *output
	proofOut     *output
	jsonOut      *output
	reader       *dataReader
	set          *dataset.Set
	held         *heldOut // rows of -holdout, or nil
	known        labelling
	start, prior *pegasos.Model // or nil
	trainer      pegasos.Trainer
	curve        curve

	result      *pegasos.Model
	epochs      int   // including those before a resumed run
	ended       bool  // a rule ended it before its last step
	interrupted error // or nil

	loading, training, measuring time.Duration // wall-clock times
}

// describe stores a description of the run's data in a model, and the command line that trains it
// again. A resumed run stores the settings of the checkpoint's command line.
func (r *linearRun) describe(m *pegasos.Model) error {
	err := r.reader.describe(m, r.set, r.known)
	if r.keep.restored {
		length := r.flags.Words(true, func(f *flags.Flag) bool {
			return f.Name == "epochs" || f.Name == "steps"
		})
		m.Command = strings.TrimSpace(r.keep.from.Command + " " + shellWords(length))
	}
	return err
}

// heldOut holds the rows that -holdout keeps out of training.
type heldOut struct {
	set          *dataset.Set
	weights      []float32 // weights of the rows of set; nil for ones
	trainWeights []float32 // weights of the other rows; nil for ones
	all          int       // rows held out and trained on
	report       *evalReport
}

// checkpoints writes the state of a run, and resumes from one.
type checkpoints struct {
	out      *output
	from     *pegasos.Model // the checkpoint of -resume, or nil
	before   int64          // its number of steps
	restored bool           // the settings are the checkpoint's
	failed   error          // error of the last checkpoint
}
