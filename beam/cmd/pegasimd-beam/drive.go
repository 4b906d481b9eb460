package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/pegasimd/pegasimd/beam/engine"
	"github.com/pegasimd/pegasimd/beam/rounds"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// A driver takes the rounds of a folder: its fields are flags.
type driver struct {
	dir           string
	deadline      time.Duration
	retries       int
	noBeam, quiet bool
}

// define defines the flags. without says what happens if there is no -dir.
func (d *driver) define(f *flag.FlagSet, without string) {
	f.StringVar(&d.dir, "dir", "", "`folder` where the rounds are kept: "+without)
	f.DurationVar(&d.deadline, "deadline", engine.DefaultLeast, "`time` the least that a round is "+
		"given before it is cancelled; each further try is given twice as much")
	f.IntVar(&d.retries, "retries", engine.DefaultRetries, "`n` how often a round is tried again")
	f.BoolVar(&d.noBeam, "no-beam", false, "take the rounds in this process, without Beam")
	f.BoolVar(&d.quiet, "quiet", false, "print no progress and no summary, only errors")
}

func (d *driver) check(c *call) error {
	switch {
	case d.deadline <= 0:
		return usagef("-deadline: have %v, want more than 0", d.deadline)
	case d.retries < 0:
		return usagef("-retries: have %d, want 0 or more", d.retries)
	case d.noBeam && len(c.beam) > 0:
		return usagef("with -no-beam there is nothing behind -- for it")
	}
	return nil
}

// sayer returns what prints lines for people.
func (d *driver) sayer(c *call) func(format string, a ...any) {
	return func(format string, a ...any) {
		if !d.quiet {
			fmt.Fprintf(c.stderr, format+"\n", a...)
		}
	}
}

// drive takes the rounds from the last that was committed to their end.
func (d *driver) drive(c *call, dir string) error {
	if before, err := rounds.Status(dir); err == nil && before.Round > 0 {
		d.sayer(c)("going on after round %d", before.Round)
	}
	each := rounds.InProcess(dir, 0)
	if !d.noBeam {
		on, closeEngine, err := d.onBeam(c, dir)
		if err != nil {
			return err
		}
		defer closeEngine()
		each = on
	}
	err := rounds.Run(c, dir, each, func(r rounds.Report) { printRound(c.stderr, d.quiet, r) })
	if err != nil && c.Err() == nil {
		return fmt.Errorf("%w; the rounds before are kept: the same command goes on", err)
	}
	return err
}

// roundWork is the work that a round is made of.
const roundWork = "round"

func init() {
	engine.Register(roundWork, func(ctx context.Context, dir string, k, shard int) (
		engine.Part, error,
	) {
		sum, err := rounds.RunShard(ctx, dir, k, shard)
		return engine.Part{Sum: sum}, err
	})
}

// onBeam returns what takes rounds as jobs of Beam.
func (d *driver) onBeam(c *call, dir string) (rounds.Each, func(), error) {
	e, err := startEngine(c)
	if err != nil {
		return nil, nil, err
	}
	e.Least, e.Retries = d.deadline, d.retries
	each := func(ctx context.Context, k int, shards []int) ([]int64, error) {
		r, err := e.Run(ctx, engine.Job{
			Work: roundWork, Arg: dir, Round: k, Items: shards,
			Out: filepath.Join(dir, "sum"), Name: fmt.Sprintf("round %d", k),
		})
		if err != nil {
			return nil, err
		}
		return r.Sum, nil
	}
	return each, e.Close, nil
}

// readBeam reads the flags behind --.
func readBeam(c *call) error {
	if err := engine.Start(c.beam); err != nil {
		return usageError{err}
	}
	return nil
}

// startEngine starts Beam, as the flags behind -- say.
func startEngine(c *call) (*engine.Engine, error) {
	e, err := engine.New()
	if err != nil {
		return nil, err
	}
	e.Log = func(text string) { fmt.Fprintln(c.stderr, visible.Text(text)) }
	return e, nil
}

func printRound(w io.Writer, quiet bool, r rounds.Report) {
	if !quiet {
		fmt.Fprintf(w, "round %d: P %.6g, D %.6g, gap %.3g %%, %.2f s\n", r.Round, r.Objective,
			r.Bound, 100*r.Gap, r.Seconds)
	}
}
