package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

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
		t := new(trainFlags)
		t.driver.define(f, "it has to be given")
		t.define(f)
		return t.run
	},
}

type trainFlags struct {
	driver
	cfg          rounds.Config
	start, force bool
}

func (t *trainFlags) define(f *flag.FlagSet) {
	cfg := &t.cfg
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
	f.BoolVar(&t.start, "start", false, "make the folder ready for command round, and take no round")
	f.BoolVar(&t.force, "force", false, "replace any file by MODEL")
}

func (t *trainFlags) check(c *call) error {
	switch {
	case t.dir == "":
		return usagef("-dir has to be given: a folder that all workers see")
	case !(t.cfg.Tol > 0):
		return usagef("-tol must be greater than 0")
	case t.start && len(c.args) > 1:
		return usagef("-start writes no model")
	case !t.start && len(c.args) < 2:
		return usagef("too few arguments")
	}
	return t.driver.check(c)
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
	say := t.sayer(c)
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
	if err := t.drive(c, dir); err != nil {
		return err
	}
	return writeModel(c, dir, c.args[1], t.quiet)
}

// manyShards is how many shards are too many for the dual method.
const manyShards = 16

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
