package main

import (
	"path/filepath"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/internal/base/escape"
)

var splitCommand = command{
	name:      "split",
	arguments: "DATA FOLDER",
	summary:   "cut data into shards",
	help: `Split writes the rows of DATA to shards in FOLDER, .pgsm files of about as many rows each,
and beside them manifest.json, which says which there are, and what the defaults of training
and its sums have to know of all rows. A shard has whole blocks of 256 rows; of few rows
some shards get none.

DATA is svmlight text, which is read twice and never held in memory, or .pgsm, which pegasimd
convert makes of other formats. Of text, FOLDER needs room for two copies of the rows in the .pgsm
form. It is to be new, empty, or one of shards, which are replaced, unless -force is given.

Example:
  pegasimd-beam split -shards 16 train.svm.gz shards/`,
	least: 2, most: 2,
	define: func(c *call) func() error {
		var opt shards.Options
		c.IntVar(&opt.Shards, "shards", 16, "`n` the number of shards")
		text(c, &opt.IndexBase, "index-base",
			"`0|1|auto` the number of the first feature in svmlight data (default 1)")
		c.IntVar(&opt.HashBits, "hash-bits", 0, "`n` hash svmlight indices to 2^n features (0: do not)")
		c.defineForce("files in FOLDER")
		return func() error { return split(c, opt) }
	},
}

func split(c *call, opt shards.Options) error {
	switch {
	case len(c.beam) > 0:
		return usagef("it does not run on Beam: there is nothing behind -- for it")
	case opt.Shards < 1 || opt.Shards > shards.MaxShards:
		return usagef("-shards: have %d, want 1 to %d", opt.Shards, shards.MaxShards)
	}
	opt.Context, opt.Force = c, c.force
	m, err := shards.Split(c.args[0], c.args[1], opt)
	if err == nil {
		c.say("%d rows of %d features in %d shards: %s", m.Rows, m.Cols, len(m.Shards),
			escape.Name(filepath.Join(c.args[1], "manifest.json")))
	}
	return err
}
