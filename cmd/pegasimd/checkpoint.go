package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// checkpoints keep, and resume from, the state of a run.
type checkpoints struct {
	file, resume string
	every        time.Duration

	out      *output
	from     *pegasos.Model // that -resume names, or nil
	before   int64          // the steps it had taken
	restored bool           // the settings are those of the checkpoint
	failed   error          // of the last checkpoint
}

func (k *checkpoints) define(f *flag.FlagSet) {
	f.StringVar(&k.file, "checkpoint", "", "`file` keep the state of the run in this file: "+
		"regularly, and when the run ends or is interrupted")
	f.DurationVar(&k.every, "every", 30*time.Second, "`duration` the time between two checkpoints")
	f.StringVar(&k.resume, "resume", "", "`file` continue the run of this checkpoint, with its "+
		"settings, on the same data; the model is that of an unbroken run, to the bit; -epochs or "+
		"-steps may make it longer")
}

// check returns what is wrong with the flags.
func (k *checkpoints) check(c *call) error {
	switch {
	case k.file == "" && c.given("every"):
		return usagef("-every is of no use without -checkpoint")
	case k.every <= 0:
		return usagef("-every must be greater than 0")
	case k.file == "-":
		return usagef("-checkpoint: want a file, which is replaced again and again")
	}
	return nil
}

// read reads the checkpoint to resume from. Unless there are flags that say how to train, its
// settings are put into cfg: all but the length, if a flag gives it.
func (k *checkpoints) read(c *call, cfg *pegasos.Config) (err error) {
	if k.resume == "" {
		return nil
	}
	if k.from, err = readNamed(k.resume, pegasos.Read); err != nil {
		return err
	}
	if k.from.State == nil {
		return fmt.Errorf("%s: the model has no state to go on from: it is no checkpoint", k.resume)
	}
	k.before = k.from.State.Steps()
	settings := flag.NewFlagSet("", flag.ContinueOnError)
	new(settingFlags).define(settings)
	given := c.given("proba")
	settings.VisitAll(func(f *flag.Flag) {
		given = given || c.given(f.Name) && f.Name != "epochs" && f.Name != "steps"
	})
	if given {
		return nil
	}
	epochs, steps := cfg.Epochs, cfg.Steps
	*cfg, k.restored = k.from.Config, true
	if epochs != 0 || steps != 0 {
		cfg.Epochs, cfg.Steps = epochs, steps
	}
	return nil
}

// train trains, and writes a checkpoint whenever it is time.
func (k *checkpoints) train(r *linearRun, tr *pegasos.Trainer) (*pegasos.Model, error) {
	c, set := r.call, r.set
	tr.Resume = k.from
	if k.file == "" {
		return tr.Train(c, set.Examples(), set.Y)
	}
	tr.KeepState = true
	steps, every := int64(-1), k.every
	for {
		ctx, cancel := context.WithTimeout(c, every)
		m, err := tr.Train(ctx, set.Examples(), set.Y)
		cancel()
		if m == nil && errors.Is(err, context.DeadlineExceeded) {
			if c.Err() != nil { // both at once
				return nil, c.Err()
			}
			every *= 4 // what is before the steps takes longer
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
			m.State = nil // is in the checkpoint
			return m, err
		}
		if k.failed != nil { // perhaps the next one succeeds
			fmt.Fprintf(c.stderr, "no checkpoint: %s\n", escape.Text(k.failed.Error()))
		}
		if m.State.Steps() == steps {
			every *= 4 // what is before or after the steps takes longer
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
