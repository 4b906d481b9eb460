package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// checkpoints are the flags of train that keep, and take up, the state of a run.
type checkpoints struct {
	file, resume string
	every        time.Duration

	from   *pegasos.Model // that -resume names, or nil
	before int64          // the steps it had taken
	failed error          // of the last checkpoint
}

func (k *checkpoints) define(c *call) {
	c.flags.StringVar(&k.file, "checkpoint", "", "keep the state of the run in `file`, now and then and when the run ends or is interrupted")
	c.flags.DurationVar(&k.every, "every", 30*time.Second, "the `time` between two checkpoints")
	c.flags.StringVar(&k.resume, "resume", "", "take up the run of a checkpoint `file`, on the same data: the model is that of an unbroken run, to the bit.\nIts settings need not be repeated; -epochs or -steps may make it longer")
}

// read reads the checkpoint to resume from. Unless there are flags that say how to train, its settings are put into cfg: all but
// the length, if a flag tells that.
func (k *checkpoints) read(c *call, cfg *pegasos.Config, model string) error {
	if k.file == "" && c.given("every") {
		return usagef("-every is of no use without -checkpoint")
	}
	if k.every <= 0 {
		return usagef("-every must be greater than 0")
	}
	if k.file != "" && k.file == model {
		return usagef("-checkpoint and the model are the same file, %s", model)
	}
	if k.resume == "" {
		return nil
	}
	var err error
	if k.from, err = pegasos.ReadFile(k.resume); err != nil {
		return err
	}
	if k.from.State == nil {
		return fmt.Errorf("%s: the model has no state to go on from: it is no checkpoint", k.resume)
	}
	k.before = k.from.State.Steps()
	settings := flag.NewFlagSet("", flag.ContinueOnError)
	configFlags(settings, new(pegasos.Config), new(string))
	given := c.given("proba")
	settings.VisitAll(func(f *flag.Flag) {
		given = given || c.given(f.Name) && f.Name != "epochs" && f.Name != "steps"
	})
	if !given {
		epochs, steps := cfg.Epochs, cfg.Steps
		*cfg = k.from.Config
		cfg.ClassWeight = weightByName(k.from)
		if epochs != 0 || steps != 0 {
			cfg.Epochs, cfg.Steps = epochs, steps
		}
	}
	return nil
}

// weightByName returns the class weights of a model with names in place of labels, if it has names.
func weightByName(m *pegasos.Model) string {
	list := m.Config.ClassWeight
	if m.Names == nil || list == "" || list == pegasos.Balanced {
		return list
	}
	parts := strings.Split(list, ",")
	for i, part := range parts {
		label, weight, _ := strings.Cut(part, "=")
		if k := slices.IndexFunc(m.Classes, func(c float32) bool { return pegasos.FormatLabel(c) == label }); k >= 0 {
			parts[i] = m.Names[k] + "=" + weight
		}
	}
	return strings.Join(parts, ",")
}

// train trains, and writes a checkpoint whenever it is time, in which scaled puts how the features were scaled.
func (k *checkpoints) train(c *call, tr *pegasos.Trainer, set *dataset.Set, scaled func(*pegasos.Model) error) (*pegasos.Model, error) {
	tr.Resume = k.from
	if k.file == "" {
		return tr.Train(c, matrix(set), set.Y)
	}
	tr.KeepState = true
	steps, every := int64(-1), k.every
	for {
		ctx, cancel := context.WithTimeout(c, every)
		m, err := tr.Train(ctx, matrix(set), set.Y)
		cancel()
		if m == nil {
			return nil, err
		}
		k.failed = k.write(m, set, scaled)
		timeUp := errors.Is(err, context.DeadlineExceeded)
		if timeUp && c.Err() != nil { // both at once
			timeUp, err = false, c.Err()
		}
		if !timeUp {
			m.State = nil // is in the checkpoint
			return m, err
		}
		if k.failed != nil { // perhaps the next one succeeds
			fmt.Fprintf(c.stderr, "no checkpoint: %v\n", k.failed)
		}
		if m.State.Steps() == steps {
			every *= 4 // what comes before or after the steps takes longer than that
		}
		steps = m.State.Steps()
		tr.Start, tr.Resume = nil, m
	}
}

func (k *checkpoints) write(m *pegasos.Model, set *dataset.Set, scaled func(*pegasos.Model) error) error {
	m.Names, m.IndexBase = set.Names, set.IndexBase
	if err := scaled(m); err != nil {
		return err
	}
	return m.WriteFile(k.file)
}
