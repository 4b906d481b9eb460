package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/beam/internal/runs"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

var verifyCommand = command{
	name:      "verify",
	arguments: "MANIFEST MODEL",
	summary:   "hold shards and a model against what is claimed of them",
	help: `Verify holds the shards of MANIFEST against their hashes, and MODEL against what it claims:
it finds its objective on their rows, and a lower bound on the least objective there is, and
compares with what the model claims of both. The bound is found in rounds such as those of
train, which owe nothing to the training. Like pegasimd verify it says one of

  confirmed       the objective is what the model claims, and it is proven to be at most as far
                  above the optimum as is claimed
  not confirmed   so is the objective, but our own bound proves less, which is told; the claim may
                  be right all the same: more -epochs may tell
  contradicted    the objective, the settings or the data are others, or the claim can't be; the
                  exit code is 1
  claims nothing  the model has no objective or no bound to verify; the exit code is 3

MODEL may be of pegasimd train as well, if its settings are such as pegasimd-beam train has. The
rounds are kept in the folder of -dir, so that the same command goes on after an interruption;
without -dir it is a temporary one. Behind -- there may be flags of Apache Beam, as those of train.

Example:
  pegasimd-beam verify shards/manifest.json text.model`,
	least: 2, most: 2,
	define: func(c *call) func() error {
		v := new(verifyFlags)
		v.driver.define(c, "a round", engine.DefaultLeast)
		c.StringVar(&v.dir, "dir", "",
			"`folder` where the rounds are kept: without it in a temporary one")
		c.IntVar(&v.epochs, "epochs", 0, "`n` the most rounds of the dual method, or steps of "+
			"Newton's (default 1000)")
		return v.run
	},
}

type verifyFlags struct {
	driver
	dir    string
	epochs int
}

func (v *verifyFlags) run() error {
	switch {
	case v.epochs < 0:
		return usagef("-epochs: have %d, want 0 or more", v.epochs)
	case v.dir == "" && len(v.beam) > 0:
		return usagef("-dir has to be given with flags of Beam: a folder that all workers see")
	}
	if err := v.check(); err != nil {
		return err
	}
	dir, err := filepath.Abs(v.dir)
	if v.dir == "" {
		dir, err = os.MkdirTemp("", "pegasimd-beam-verify-*")
		defer os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	f, err := runs.StartVerify(dir, v.args[0], v.args[1], v.epochs)
	if err != nil {
		return err
	}
	if err := v.drive(f); err != nil {
		return err
	}
	found, err := f.Verified()
	if err != nil {
		return err
	}
	if !v.quiet {
		fmt.Fprintf(v.stdout, "model hash %s\nall shards are those of the manifest\n", found.Hash)
		finding := proof.Finding{
			Claimed: proof.Claim{Objective: found.Claimed.Objective,
				DualObjective: found.Claimed.DualObjective},
			Found:  proof.Claim{Objective: found.Objective, DualObjective: found.Bound},
			Source: "from rounds of our own", Reasons: found.Reasons, Verdict: string(found.Verdict),
			Vectors: len(found.Claimed.PerClass), Unconfirmed: found.Unconfirmed,
		}
		finding.Print(v.stdout)
	}
	switch found.Verdict {
	case pegasos.Contradicted:
		return fmt.Errorf("%s: contradicted: %s", v.args[1], strings.Join(found.Reasons, "; "))
	case pegasos.ClaimsNothing:
		return fmt.Errorf("%s: %w", v.args[1], errClaimsNothing)
	}
	return nil
}
