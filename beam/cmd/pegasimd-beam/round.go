package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pegasimd/pegasimd/beam/rounds"
)

var roundCommand = command{
	name:      "round",
	arguments: "FOLDER [MODEL]",
	summary:   "take a part of a round, without Beam",
	help: `Round is for schedulers that only run processes: it takes the same rounds as train, without Beam.
FOLDER is what train -start has made ready, and all processes see it.

With -shard I it takes the part of shard I in the next round, and writes it to FOLDER. It does not
matter how often that is done, or by whom. With -commit it adds up the parts, and ends the round. The
exit code is then 0 if it was the last one, and MODEL is written; 3 if there are more; 1 if parts are
missing or damaged, which are named.

Example, of a job with an index for each shard:
  pegasimd-beam train -start -dir run/ shards/manifest.json
  pegasimd-beam round -shard $JOB_COMPLETION_INDEX run/     # in each process
  pegasimd-beam round -commit run/ text.model               # when all have ended`,
	least: 1, most: 2,
	define: func(f *flag.FlagSet) func(*call) error {
		var r roundFlags
		f.IntVar(&r.shard, "shard", -1, "`i` take the part of this shard, counted from 0")
		f.BoolVar(&r.commit, "commit", false, "add up the parts of all shards, and end the round")
		f.BoolVar(&r.force, "force", false, "replace any file by MODEL")
		f.BoolVar(&r.quiet, "quiet", false, "print no progress and no summary, only errors")
		return r.run
	},
}

type roundFlags struct {
	shard                int
	commit, force, quiet bool
}

func (r *roundFlags) run(c *call) error {
	switch {
	case r.commit == (r.shard >= 0):
		return usagef("one of -shard and -commit has to be given")
	case r.commit && len(c.args) < 2:
		return usagef("-commit: MODEL is missing, which is written after the last round")
	case !r.commit && len(c.args) > 1:
		return usagef("-shard writes no model")
	}
	dir, err := filepath.Abs(c.args[0])
	if err != nil {
		return err
	}
	state, err := rounds.Status(dir)
	if err != nil {
		return err
	}
	k := state.Round + 1
	if !r.commit {
		return r.part(c, dir, k, state.Done)
	}
	if err := replaceable(c.args[1], r.force); err != nil {
		return err
	}
	if !state.Done {
		sum, err := rounds.Sum(dir, k)
		if err != nil {
			return err
		}
		if state, err = rounds.Next(dir, k, sum); err != nil {
			return err
		}
		printRound(c.stderr, r.quiet, state)
	}
	if !state.Done {
		return errMore
	}
	return writeModel(c, dir, c.args[1], r.quiet)
}

// part takes the part of a shard.
func (r *roundFlags) part(c *call, dir string, k int, done bool) error {
	if done {
		return fmt.Errorf("%s: the rounds are done", c.args[0])
	}
	_, err := rounds.RunShardAlone(c, dir, k, r.shard)
	if err == nil && !r.quiet {
		fmt.Fprintf(os.Stderr, "round %d: shard %d is done\n", k, r.shard)
	}
	return err
}
