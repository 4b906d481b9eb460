package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// checkpoints writes the state of a run, and resumes from one.
type checkpoints struct {
	out      *output
	from     *pegasos.Model // the checkpoint of -resume, or nil
	before   int64          // its number of steps
	restored bool           // the settings are the checkpoint's
	failed   error          // error of the last checkpoint
}

// check returns an error if the flags are invalid.
func (k *checkpoints) check(c *call) error {
	f := c.flags
	switch {
	case f.Checkpoint == "" && f.Given("every"):
		return flags.Usagef("-every has no effect without -checkpoint")
	case f.Every < 0:
		return flags.Usagef("-every must be greater than 0")
	case f.Checkpoint == "-":
		return flags.Usagef("-checkpoint: want the name of a file, which is replaced again and again")
	}
	return nil
}

// read reads the checkpoint to resume from. If no flags say how to train, it copies the
// checkpoint's settings to cfg, except that a flag can give another length.
func (k *checkpoints) read(c *call, cfg *pegasos.Config) (err error) {
	resume := c.flags.Resume
	if resume == "" {
		return nil
	}
	if k.from, err = readNamed(resume, pegasos.Read); err != nil {
		return err
	}
	if k.from.State == nil {
		return fmt.Errorf("%s: a model, but not a checkpoint: it has no state to continue from; name "+
			"the file of -checkpoint, or continue with -start", resume)
	}
	k.before = k.from.State.Steps()
	if c.flags.Given("proba") || slices.ContainsFunc(c.flags.Each(), func(f *flags.Flag) bool {
		return f.Is(flags.Setting) && f.Name != "epochs" && f.Name != "steps"
	}) {
		return nil
	}
	epochs, steps := cfg.Epochs, cfg.Steps
	*cfg, k.restored = k.from.Config, true
	if epochs != 0 || steps != 0 {
		cfg.Epochs, cfg.Steps = epochs, steps
	}
	return nil
}

// train trains, and writes checkpoints at intervals.
func (k *checkpoints) train(r *linearRun, tr *pegasos.Trainer) (*pegasos.Model, error) {
	c, set := r.call, r.set
	tr.Resume = k.from
	if c.flags.Checkpoint == "" {
		return tr.Train(c, set.Examples(), set.Y)
	}
	tr.KeepState = true
	steps, every := int64(-1), c.flags.Every
	for {
		ctx, cancel := context.WithTimeout(c, every)
		m, err := tr.Train(ctx, set.Examples(), set.Y)
		cancel()
		if m == nil && errors.Is(err, context.DeadlineExceeded) {
			if c.Err() != nil { // both at once
				return nil, c.Err()
			}
			every *= 4 // preparation took longer than the interval
			continue
		}
		if m == nil {
			return nil, err
		}
		stage.Store(finishing) // also if the run was interrupted
		k.failed = k.write(m, r)
		timeUp := errors.Is(err, context.DeadlineExceeded)
		if timeUp && c.Err() != nil { // both at once
			timeUp, err = false, c.Err()
		}
		if !timeUp {
			m.State = nil // the checkpoint has it
			return m, err
		}
		if k.failed != nil { // perhaps the next one succeeds
			fmt.Fprintf(c.stderr, "no checkpoint: %s\n", escape.Text(k.failed.Error()))
		}
		if m.State.Steps() == steps {
			every *= 4 // the time outside of the steps was longer than the interval
		}
		steps = m.State.Steps()
		stage.Store(training)
		tr.Start, tr.Resume = nil, m
	}
}

func (k *checkpoints) write(m *pegasos.Model, r *linearRun) error {
	if err := r.describe(m); err != nil {
		return err
	}
	return k.out.write(m.Write)
}
