package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pegasimd/pegasimd/beam/engine"
	"github.com/pegasimd/pegasimd/beam/rounds"
	"github.com/pegasimd/pegasimd/internal/modelfile"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/pegasos"
)

var trainCommand = command{
	name:      "train",
	arguments: "MANIFEST MODEL",
	summary:   "train on shards, round by round",
	help: `Train trains on the shards of MANIFEST, which split wrote, and writes an ordinary MODEL. In a
round each shard is visited once; the sums of all of them make the next state. A line is printed for
each: the least objective P so far, the best lower bound D on the optimum, and the gap (P-D)/D.

All of it is in the folder of -dir, which the workers share with this process. If training is
interrupted, or fails, the same command goes on after the last round that is there. A folder of other
data or settings is refused. The model does not depend on what was tried again, nor on the number of
workers; with -method newton not on the number of shards either.

A round that fails, or takes more than ten times as long as the slowest one before, is cancelled and
tried again, -retries times. The lambda, the scaling and the bias are chosen as pegasimd train does,
by the statistics in the manifest. With more than two classes there is a problem for each.

Behind -- there may be flags of Apache Beam. Without them, all workers are in this process.
  --runner=universal --endpoint=HOST:PORT --environment_type=DOCKER   a job server, such as Flink's
  --runner=universal --endpoint=HOST:PORT --environment_type=PROCESS  workers are this program
  --beam_log=warn                                                     Beam's own messages

Examples:
  pegasimd-beam train -dir run/ shards/manifest.json text.model
  pegasimd-beam train -method newton -lambda 1e-4 -tol .001 -dir run/ shards/manifest.json a.model`,
	least: 1, most: 2, beam: true,
	define: func(f *flag.FlagSet) func(*call) error {
		t := &trainFlags{deadline: engine.DefaultLeast, retries: engine.DefaultRetries}
		t.define(f)
		return t.run
	},
}

type trainFlags struct {
	cfg                         rounds.Config
	dir                         string
	deadline                    time.Duration
	retries                     int
	noBeam, start, force, quiet bool
}

func (t *trainFlags) define(f *flag.FlagSet) {
	cfg := &t.cfg
	f.StringVar(&t.dir, "dir", "", "`folder` where the rounds are kept: it has to be given")
	f.Func("method", "`newton|dual` Newton's method, for up to some thousand features, or dual "+
		"coordinate ascent (CoCoA+) (default by the number of features)", text(&cfg.Method))
	f.Float64Var(&cfg.Lambda, "lambda", 0, "`number` the weight of the penalty (default by the data)")
	f.Float64Var(&cfg.C, "c", 0, "`number` the penalty as other solvers have it: lambda is "+
		"1/(C * rows)")
	f.Func("loss", "`hinge|squared-hinge|log` what a row costs (default hinge)", text(&cfg.Loss))
	f.Func("bias", "`none|augmented` the constant term (default augmented)", text(&cfg.Bias))
	f.Float64Var(&cfg.BiasScale, "bias-scale", 0,
		"`number` the appended feature's value (default by the data)")
	f.Func("scale", "`none|standard|max-abs|unit` scale the features first (default by the data)",
		text(&cfg.Scale))
	f.StringVar(&cfg.ClassWeight, "class-weight", "",
		"`balanced|label=weight,...` the weights of rows by their label (default 1 each)")
	f.Float64Var(&cfg.Tol, "tol", 0.01, "`share` stop when the objective is proven to be at most "+
		"this share above the optimum")
	f.IntVar(&cfg.Epochs, "epochs", 0, "`n` the most rounds of the dual method, or steps of Newton's "+
		"(default 1000)")
	f.Uint64Var(&cfg.Seed, "seed", 0, "`n` the seed of the random numbers")
	f.DurationVar(&t.deadline, "deadline", t.deadline, "`time` the least that a round is given "+
		"before it is cancelled; each further try is given twice as much")
	f.IntVar(&t.retries, "retries", t.retries, "`n` how often a round is tried again")
	f.BoolVar(&t.noBeam, "no-beam", false, "take the rounds in this process, without Beam")
	f.BoolVar(&t.start, "start", false, "make the folder ready for command round, and take no round")
	f.BoolVar(&t.force, "force", false, "replace any file by MODEL")
	f.BoolVar(&t.quiet, "quiet", false, "print no progress and no summary, only errors")
}

func (t *trainFlags) check(c *call) error {
	switch {
	case t.dir == "":
		return usagef("-dir has to be given: a folder that all workers see")
	case t.deadline <= 0:
		return usagef("-deadline: have %v, want more than 0", t.deadline)
	case t.retries < 0:
		return usagef("-retries: have %d, want 0 or more", t.retries)
	case !(t.cfg.Tol > 0):
		return usagef("-tol must be greater than 0")
	case t.start && len(c.args) > 1:
		return usagef("-start writes no model")
	case !t.start && len(c.args) < 2:
		return usagef("too few arguments")
	case t.noBeam && len(c.beam) > 0:
		return usagef("with -no-beam there is nothing behind -- for it")
	}
	return nil
}

func (t *trainFlags) run(c *call) error {
	if err := t.check(c); err != nil {
		return err
	}
	if !t.start {
		if err := errors.Join(replaceable(c.args[1], t.force), readBeam(c)); err != nil {
			return err
		}
	}
	dir, err := filepath.Abs(t.dir)
	if err == nil {
		err = rounds.Start(dir, c.args[0], t.cfg)
	}
	if err != nil {
		return err
	}
	say := func(format string, a ...any) {
		if !t.quiet {
			fmt.Fprintf(c.stderr, format+"\n", a...)
		}
	}
	plan, used, err := rounds.Plan(dir)
	if err != nil {
		return err
	}
	say("%s, lambda %.6g, %d shards", plan.Method, plan.Lambda, len(used))
	if plan.Method == pegasos.RoundDual && len(used) > manyShards {
		say("with more than %d shards this method takes many rounds: fewer and larger ones are "+
			"better", manyShards)
	}
	if t.start {
		return nil
	}
	if before, err := rounds.Status(dir); err == nil && before.Round > 0 {
		say("going on after round %d", before.Round)
	}
	return t.drive(c, dir)
}

// drive takes the rounds, and writes the model.
func (t *trainFlags) drive(c *call, dir string) error {
	each := rounds.InProcess(dir, 0)
	if !t.noBeam {
		on, closeEngine, err := t.onBeam(c, dir)
		if err != nil {
			return err
		}
		defer closeEngine()
		each = on
	}
	err := rounds.Run(c, dir, each, func(r rounds.Report) { printRound(c.stderr, t.quiet, r) })
	if err != nil && c.Err() == nil {
		return fmt.Errorf("%w; the rounds before are kept: the same command goes on", err)
	}
	if err != nil {
		return err
	}
	return writeModel(c, dir, c.args[1], t.quiet)
}

// manyShards is how many shards are too many for the dual method.
const manyShards = 16

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
func (t *trainFlags) onBeam(c *call, dir string) (rounds.Each, func(), error) {
	e, err := startEngine(c)
	if err != nil {
		return nil, nil, err
	}
	e.Least, e.Retries = t.deadline, t.retries
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

// writeModel writes the model of rounds that are done.
func writeModel(c *call, dir, path string, quiet bool) error {
	m, err := rounds.Model(dir)
	if err != nil {
		return err
	}
	if err := m.WriteFile(path); err != nil {
		return err
	}
	r, err := rounds.Status(dir)
	if err == nil && !quiet {
		fmt.Fprintf(c.stderr, "%d rounds: objective %.6g, at most %.3g %% above the optimum: %s\n",
			r.Round, r.Objective, 100*r.Gap, visible.Name(path))
	}
	if err == nil && !r.Reached && !quiet {
		fmt.Fprintln(c.stderr, "-tol was not reached: more -epochs may help, in another folder")
	}
	return err
}

// replaceable returns an error if the file that a model is to replace is none, without -force.
func replaceable(path string, force bool) error {
	info, err := os.Stat(path)
	if force || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, ok := modelfile.Peek(f, modelfile.Linear, modelfile.Kernel); !ok {
		return usagef("MODEL: %s exists and is not a model of pegasimd: -force replaces it", path)
	}
	return nil
}
