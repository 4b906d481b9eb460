package main

import (
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/beam/internal/runs"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

var trainCommand = command{
	name:      "train",
	arguments: "MANIFEST MODEL",
	summary:   "train on shards, round by round",
	help: `Train trains on the shards of MANIFEST, which split wrote, and writes an ordinary MODEL. In
a round each shard is visited once; the sums of all of them make the next state. A line is
printed for each: the least objective P so far, the best lower bound D on the optimum, and
the gap (P-D)/D.

All of it is in the folder of -dir, which the workers share with this process. If training is
interrupted, or fails, the same command goes on after the last round that is there. A folder of
other data or settings is refused, and one that another process works on. The model does not depend
on what was tried again, nor on the number of workers; with -method newton not on the number of
shards either.

A round that fails, or takes more than ten times as long as the slowest one before, is cancelled
and tried again, three times. The lambda, the scaling and the bias are chosen as pegasimd train
does, by the statistics in the manifest. With more than two classes there is a problem for each.

Behind -- there may be flags of Apache Beam. Without them, all workers are in this process.
  --runner=universal --endpoint=HOST:PORT --environment_type=DOCKER   a job server, such as Flink's
  --runner=universal --endpoint=HOST:PORT --environment_type=PROCESS  workers are this program
  --beam_log=warn                                                     Beam's own messages

Examples:
  pegasimd-beam train -dir run/ shards/manifest.json text.model
  pegasimd-beam train -method newton -lambda 1e-4 -tol .001 -dir run/ shards/manifest.json a.model`,
	least: 2, most: 2,
	define: func(c *call) func() error {
		t := new(trainFlags)
		t.define(c)
		return t.run
	},
}

type trainFlags struct {
	driver
	dir string
	cfg runs.Config
}

func (t *trainFlags) define(c *call) {
	t.driver.define(c, "a round", engine.DefaultLeast)
	cfg := &t.cfg
	c.StringVar(&t.dir, "dir", "", "`folder` where the rounds are kept: it has to be given")
	text(c, &cfg.Method, "method", "`newton|dual` Newton's method, for up to some thousand features, "+
		"or dual coordinate ascent (CoCoA+) (default by the number of features)")
	c.Float64Var(&cfg.Lambda, "lambda", 0, "`number` the weight of the penalty (default by the data)")
	text(c, &cfg.Loss, "loss", "`hinge|squared-hinge|log` what a row costs (default hinge)")
	text(c, &cfg.Bias, "bias", "`none|augmented` the constant term (default augmented)")
	text(c, &cfg.Scale, "scale",
		"`none|standard|max-abs|unit` scale the features first (default by the data)")
	c.StringVar(&cfg.ClassWeight, "class-weight", "",
		"`balanced|label=weight,...` the weights of rows by their label (default 1 each)")
	c.Float64Var(&cfg.Tol, "tol", 0.01, "`share` stop when the objective is proven to be at most "+
		"this share above the optimum")
	c.IntVar(&cfg.Epochs, "epochs", 0, "`n` the most rounds of the dual method, or steps of Newton's "+
		"(default 1000)")
	c.Uint64Var(&cfg.Seed, "seed", 0, "`n` the seed of the random numbers")
	c.defineForce("file by MODEL")
}

func (t *trainFlags) run() error {
	switch {
	case t.dir == "":
		return usagef("-dir has to be given: a folder that all workers see")
	case !(t.cfg.Tol > 0):
		return usagef("-tol must be greater than 0")
	}
	path := t.args[1]
	if err := t.replaceable(path); err != nil {
		return err
	}
	if err := t.check(); err != nil {
		return err
	}
	dir, err := filepath.Abs(t.dir)
	if err != nil {
		return err
	}
	f, err := runs.Start(dir, t.args[0], t.cfg)
	if err != nil {
		return err
	}
	t.say("%s", f.Plan())
	if err := t.drive(f); err != nil {
		return err
	}
	m, err := f.Model()
	if err != nil {
		return err
	}
	if err := m.WriteFile(path); err != nil {
		return err
	}
	r, err := f.Status()
	if err != nil {
		return err
	}
	t.say("%d rounds: objective %.6g, at most %.3g %% above the optimum: %s", r.Round, r.Objective,
		100*r.Gap(), escape.Name(path))
	if !r.Reached {
		t.say("-tol was not reached: more -epochs may help, in another folder")
	}
	return nil
}

// replaceable returns an error if the file that a model is to replace is none, without -force.
func (t *trainFlags) replaceable(path string) error {
	info, err := os.Stat(path)
	if t.force || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
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
