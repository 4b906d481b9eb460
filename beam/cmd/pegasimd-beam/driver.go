package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/beam/internal/runs"
	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

type driver struct {
	*call
	noBeam   bool
	deadline time.Duration
}

const roundDeadline = "a round after this `time` or, if that is longer, after ten times the time " +
	"of the slowest round since this command started"

func (d *driver) define(c *call, what string, deadline time.Duration) {
	d.call = c
	c.BoolVar(&d.noBeam, "no-beam", false, "work in this process, without Beam")
	c.DurationVar(&d.deadline, "deadline", deadline, "cancel "+what+", and try again up to three "+
		"times, doubling the time each time; no effect with -no-beam")
}

func (d *driver) check() error {
	switch {
	case d.deadline <= 0:
		return usagef("-deadline: have %v, want more than 0", d.deadline)
	case d.noBeam && len(d.beam) > 0:
		return usagef("-no-beam: remove the arguments after --, which are for Beam")
	case d.noBeam:
		return nil
	}
	if err := engine.Start(d.beam); err != nil {
		return usageError{err}
	}
	return nil
}

// The caller must call closeIt, unless runner fails.
func (d *driver) runner() (r work.Runner, closeIt func(), err error) {
	if d.noBeam {
		return work.InProcess{}, func() {}, nil
	}
	e, err := engine.New()
	if err != nil {
		return nil, nil, err
	}
	e.Least = d.deadline
	e.Log = func(text string) { fmt.Fprintln(d.stderr, escape.Text(text)) }
	return e, e.Close, nil
}

// drive runs the rounds. kept says that the folder remains after an error.
func (d *driver) drive(f *runs.Folder, kept bool) error {
	if before, err := f.Status(); err == nil && before.Round > 0 && !before.Done {
		d.say("continuing after round %d", before.Round)
	}
	r, closeIt, err := d.runner()
	if err != nil {
		return err
	}
	defer closeIt()
	err = f.Run(d, r, func(r runs.Report) {
		d.say("round %d: P %.6g, %s, %.2f s", r.Round, r.Objective, proof.Standing(r.Gap()), r.Seconds)
	})
	if kept && errors.As(err, new(runs.RoundError)) {
		err = fmt.Errorf("%w; once the cause is removed, the same command continues with this round",
			err)
	}
	return err
}
