package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/beam/internal/runs"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/internal/train/rounds"
	"github.com/pegasimd/pegasimd/internal/train/settings"
	"github.com/pegasimd/pegasimd/pegasos"
)

var trainCommand = command{
	name:      "train",
	arguments: "MANIFEST MODEL",
	summary:   "train on shards, round by round",
	help: `Train trains on the shards of MANIFEST, which split wrote, and writes MODEL in the format of
pegasimd train. In each round every shard is visited once, and the sums over all shards give
the next state. A line is printed for each round: the least objective P so far, how far it can be
above the optimum, and the seconds of the round. The line of the last round is about the model.

All state is kept in the folder of -dir, which the workers share with this process. If training is
interrupted or fails, run the same command again: it continues after the last complete round. A
folder for other data or settings is refused, and, on file systems that have locks, one that
another process uses. The model depends neither on retries nor on the number of workers; with
-method newton it does not depend on the number of shards, either.

Without -no-beam, a round that fails, or takes longer than -deadline and more than ten times as
long as the slowest one so far, is tried again, up to three times. Lambda and scaling, if not
given, are chosen from the statistics that split has written. With more than two classes, one
problem is trained for each class.

Flags of Apache Beam may follow --. Without them, all workers run in this process.
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

var epochsUsage = fmt.Sprintf("`n` the largest number of passes of the dual method, or of steps of "+
	"Newton's method (default %d)", settings.DefaultNewtonEpochs)

func (t *trainFlags) define(c *call) {
	t.driver.define(c, roundDeadline, engine.DefaultLeast)
	cfg := &t.cfg
	c.StringVar(&t.dir, "dir", "", "`folder` for the state of all rounds (required)")
	choice(c, &cfg.Method, "method", "Newton's method, or dual coordinate ascent (CoCoA+), which "+
		"has no loss log (default newton for the loss log or up to 2,000 features, else dual)",
		rounds.Newton, rounds.Dual)
	c.Float64Var(&cfg.Lambda, "lambda", 0, "`number` the weight of the penalty (default: "+
		"chosen from the data)")
	choice(c, &cfg.Loss, "loss", "the loss function (default hinge)", pegasos.Hinge,
		pegasos.SquaredHinge, pegasos.Log)
	choice(c, &cfg.Bias, "bias", "the constant term (default augmented)", pegasos.BiasNone,
		pegasos.BiasAugmented)
	choice(c, &cfg.Scale, "scale", "scale the features first (default: chosen from the data)",
		pegasos.ScaleNone, pegasos.ScaleStandard, pegasos.ScaleMaxAbs, pegasos.ScaleUnit)
	c.StringVar(&cfg.ClassWeight, "class-weight", "",
		"`balanced|label=weight,...` the weights of rows by their label (default 1 each)")
	c.Float64Var(&cfg.Tol, "tol", 0.01, "`share` stop when the objective is proven to be at most "+
		"this share above the optimum")
	c.IntVar(&cfg.Epochs, "epochs", 0, epochsUsage)
	c.Uint64Var(&cfg.Seed, "seed", 0, "`n` the seed of the random numbers")
	c.defineForce("replace MODEL even if the file is not a model")
}

func (t *trainFlags) run() error {
	switch {
	case t.dir == "":
		return usagef("-dir has to be given: a folder that all workers see")
	case t.given("lambda") && !(t.cfg.Lambda > 0 && t.cfg.Lambda <= math.MaxFloat64):
		return usagef("-lambda: have %v, want a positive finite number", t.cfg.Lambda)
	case t.given("epochs") && t.cfg.Epochs < 1:
		return usagef("-epochs: have %d, want 1 or more", t.cfg.Epochs)
	case !(t.cfg.Tol > 0 && t.cfg.Tol < 1):
		return usagef("-tol: have %v, want more than 0 and less than 1", t.cfg.Tol)
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
	if err := t.drive(f, true); err != nil {
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
	t.say("%s: objective %.6g, %s: %s", plural.Count(r.Round, "round"), r.Objective,
		strings.TrimSuffix(proof.Standing(r.Gap()), " yet"), escape.Name(path))
	switch most := cmp.Or(t.cfg.Epochs, settings.DefaultNewtonEpochs); {
	case r.Reached:
	case r.Iterations >= most:
		t.say("-tol was not reached: more -epochs may help, with another -dir")
	default: // the method makes no more progress
		t.say("-tol was not reached")
	}
	return nil
}

// replaceable returns an error if path is a folder or its folder does not exist, or if, without
// -force, a regular file that is neither empty nor a model would be replaced.
func (t *trainFlags) replaceable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		_, err = os.Stat(filepath.Dir(path))
		return err
	}
	if info.IsDir() {
		return usagef("MODEL: %s is a folder: name a file", path)
	}
	if t.force || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, _, err := files.Unpack(f, "")
	ok := err == nil
	if ok {
		_, _, ok = modelfile.Peek(plain, modelfile.Linear, modelfile.Kernel)
	}
	if !ok {
		return usagef("MODEL: %s exists and is not a model of pegasimd: name another file, or "+
			"replace it with -force", path)
	}
	return nil
}
