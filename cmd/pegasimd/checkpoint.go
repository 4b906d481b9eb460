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

type checkpoints struct {
	out      *output
	from     *pegasos.Model // the checkpoint of -resume, or nil
	before   int64
	restored bool  // the run has the settings of from
	failed   error // of writing the last checkpoint
}

func (k *checkpoints) check(c *call) error {
	f := c.flags
	switch {
	case f.Checkpoint == "" && f.Given("every"):
		return flags.Usagef("-every has no effect without -checkpoint")
	case f.Checkpoint == "-":
		return flags.Usagef("-checkpoint: have -, want the name of a file to replace again and again")
	}
	return nil
}

// read reads the checkpoint of -resume. It copies the checkpoint's settings to cfg unless -proba or
// a flag for a setting other than the length is given; -epochs and -steps override the length.
func (k *checkpoints) read(c *call, cfg *pegasos.Config) (err error) {
	resume := c.flags.Resume
	if resume == "" {
		return nil
	}
	if k.from, err = readNamed(resume, pegasos.Read); err != nil {
		return err
	}
	if k.from.State == nil {
		how := ""
		if s := k.from.Scaling; s == nil || s.Expansion == nil { // -start refuses curves
			how = ", or give -start in place of -resume"
		}
		return fmt.Errorf("%s: a model, but not a checkpoint: name a file that -checkpoint wrote%s",
			resume, how)
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

// With -checkpoint, train stops the trainer after each interval -every, writes a checkpoint, and
// resumes.
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
			if c.Err() != nil { // interrupted after the deadline
				return nil, c.Err()
			}
			every *= 4 // preparation took longer than the interval
			continue
		}
		if m == nil {
			return nil, err
		}
		stage.Store(finishing) // an interruption must not prevent writing the checkpoint
		k.failed = k.write(m, r)
		timeUp := errors.Is(err, context.DeadlineExceeded)
		if timeUp && c.Err() != nil {
			timeUp, err = false, c.Err()
		}
		if !timeUp {
			m.State = nil // only the checkpoint stores the state
			return m, err
		}
		if k.failed != nil { // the next checkpoint may succeed
			fmt.Fprintf(c.stderr, "no checkpoint: %s\n", escape.Text(k.failed.Error()))
		}
		if m.State.Steps() == steps {
			every *= 4 // the interval was too short for a step
		}
		steps = m.State.Steps()
		stage.Store(training)
		tr.Resume = m
	}
}

func (k *checkpoints) write(m *pegasos.Model, r *linearRun) error {
	if err := r.describe(m); err != nil {
		return err
	}
	return k.out.write(m.Write)
}
