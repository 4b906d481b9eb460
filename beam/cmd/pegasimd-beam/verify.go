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
	summary:   "check the claims of a model and the hashes of the shards",
	help: `Verify compares the shards that have rows with their hashes in MANIFEST, and MODEL with
its claims: it computes the model's objective on the rows, and a lower bound on the optimum, in
rounds like those of train but independent of the training. Like pegasimd verify it prints one of

  confirmed       the objective is as claimed, and proven to be at most as far above the optimum
                  as claimed
  not confirmed   the objective is as claimed, but the bound found here is not as good. The
                  claim may still be right: more -epochs may confirm it
  contradicted    the objective, the settings or the data differ, or the claim is impossible; the
                  exit code is 1
  claims nothing  the model has no objective, no bound, or a gap above 100 %; the exit code is 3

A line is printed for each round: the least objective P so far, how far it can be above the
optimum, and the seconds of the round. The line of the last round is about MODEL.

MODEL may also come from pegasimd train without -weights and -holdout, if pegasimd-beam train
supports its settings: curves, for example, it does not. The state of all rounds is kept in the
folder of -dir, so that the same command continues after an interruption; the default is a temporary
folder. Flags of Apache Beam may follow --, as for train.

Example:
  pegasimd-beam verify shards/manifest.json text.model`,
	least: 2, most: 2,
	define: func(c *call) func() error {
		v := new(verifyFlags)
		v.driver.define(c, roundDeadline, engine.DefaultLeast)
		c.StringVar(&v.dir, "dir", "",
			"`folder` for the state of all rounds (default a temporary one)")
		c.IntVar(&v.epochs, "epochs", 0, epochsUsage)
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
	case v.given("epochs") && v.epochs < 1:
		return usagef("-epochs: have %d, want 1 or more", v.epochs)
	case v.dir == "" && len(v.beam) > 0:
		return usagef("-dir is missing: with flags of Beam, name a folder that all workers can use")
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
	if err := v.drive(f, v.dir != ""); err != nil {
		return err
	}
	found, err := f.Verified()
	if err != nil {
		return err
	}
	if !v.quiet {
		fmt.Fprintf(v.stdout, "model hash %s\nall shards with rows agreed with the manifest when they "+
			"were read\n", found.Hash)
		finding := proof.Finding{
			Claimed: proof.Claim{Objective: found.Claimed.Objective,
				DualObjective: found.Claimed.DualObjective},
			Found:  proof.Claim{Objective: found.Objective, DualObjective: found.Bound},
			Source: "by the rounds of this verification", Reasons: found.Reasons,
			Verdict: string(found.Verdict), Vectors: len(found.Claimed.PerClass), Unconfirmed: found.Unconfirmed,
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
