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

	data, model  string // files
	modelOut     *output
	proofOut     *output
	jsonOut      *output
	reader       *dataReader
	set          *dataset.Set
	held         *heldOut // of -holdout, or nil
	known        labelling
	start, prior *pegasos.Model // or nil
	trainer      pegasos.Trainer
	curve        curve

	result      *pegasos.Model
	epochs      int   // those before the run included
	ended       bool  // before its last step, by a rule
	interrupted error // or nil

	loading, training, measuring time.Duration // what they took
}

// describe stores a description of the run's data in a model, and the command that trains it again.
// A resumed run stores the settings of the checkpoint's command.
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

// heldOut is the rows that -holdout holds out of training.
type heldOut struct {
	set          *dataset.Set
	weights      []float32 // of the rows of set; nil for ones
	trainWeights []float32 // of the other rows; nil for ones
	all          int       // rows held out and trained on
	report       *evalReport
}

// checkpoints keeps, and resumes from, the state of a run.
type checkpoints struct {
	out      *output
	from     *pegasos.Model // that -resume names, or nil
	before   int64          // the steps it had taken
	restored bool           // the settings are those of the checkpoint
	failed   error          // of the last checkpoint
}
