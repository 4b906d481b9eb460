package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/beam/rounds"
	"github.com/pegasimd/pegasimd/internal/proof"
	"github.com/pegasimd/pegasimd/pegasos"
)

var verifyCommand = command{
	name:      "verify",
	arguments: "MANIFEST MODEL",
	summary:   "hold shards and a model against what is claimed of them",
	help: `Verify holds the shards of MANIFEST against their hashes, and MODEL against what it claims: it
finds its objective on their rows anew, and a lower bound on the least objective there is, and
compares with what the model claims of both. The bound is found in rounds such as those of train,
which owe nothing to the training. Like pegasimd verify it says one of

  confirmed       the objective is what the model claims, and it is proven to be at most as far above
                  the optimum as is claimed
  not confirmed   so is the objective, but our own bound proves less, which is told; the claim may be
                  right all the same: more -epochs may tell
  contradicted    the objective, the settings or the data are others, or the claim can't be; the exit
                  code is 1

MODEL may be of pegasimd train as well, if its settings are such as pegasimd-beam train has. The rounds
are kept in the folder of -dir, so that the same command goes on after an interruption; without -dir
it is a temporary one. Behind -- there may be flags of Apache Beam, as those of train.

Example:
  pegasimd-beam verify shards/manifest.json text.model`,
	least: 2, most: 2, beam: true,
	define: func(f *flag.FlagSet) func(*call) error {
		v := new(verifyFlags)
		v.driver.define(f, "without it in a temporary one")
		f.IntVar(&v.epochs, "epochs", 0, "`n` the most rounds of the dual method, or steps of "+
			"Newton's (default 1000)")
		return v.run
	},
}

type verifyFlags struct {
	driver
	epochs int
}

func (v *verifyFlags) run(c *call) error {
	switch {
	case v.epochs < 0:
		return usagef("-epochs: have %d, want 0 or more", v.epochs)
	case v.dir == "" && len(c.beam) > 0:
		return usagef("-dir has to be given with flags of Beam: a folder that all workers see")
	}
	if err := errors.Join(v.check(c), readBeam(c)); err != nil {
		return err
	}
	dir, err := filepath.Abs(v.dir)
	if v.dir == "" {
		dir, err = os.MkdirTemp("", "pegasimd-beam-verify-*")
		defer os.RemoveAll(dir)
	}
	if err == nil {
		err = rounds.StartVerify(dir, c.args[0], c.args[1], v.epochs)
	}
	if err == nil {
		err = v.drive(c, dir)
	}
	if err != nil {
		return err
	}
	found, err := rounds.Verified(dir)
	if err != nil {
		return err
	}
	if !v.quiet {
		fmt.Fprintf(c.stdout, "model hash %s\nall shards are those of the manifest\n", found.Hash)
		f := proof.Finding{
			Claimed: found.Claimed.Objective, ClaimedGap: found.Claimed.Gap,
			Objective: found.Objective, Gap: found.Gap, Source: "from rounds of our own",
			Reasons: found.Reasons, Verdict: string(found.Verdict),
			Less: found.Verdict == pegasos.NotConfirmed,
		}
		f.Print(c.stdout)
	}
	if found.Verdict == pegasos.Contradicted {
		return fmt.Errorf("%s: contradicted: %s", c.args[1], strings.Join(found.Reasons, "; "))
	}
	return nil
}
