package main

import (
	"path/filepath"

	"github.com/pegasimd/pegasimd/beam/internal/shards"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

var splitCommand = command{
	name:      "split",
	arguments: "DATA FOLDER",
	summary:   "divide data into shards",
	help: `Split divides the rows of DATA into shards: .pgsm files in FOLDER with about the same number
of rows each. It also writes FOLDER/manifest.json, which lists the shards, and
FOLDER/columns.json; both have statistics that train needs. A shard consists of blocks of 256
rows, so that with few rows some shards are empty.

DATA is svmlight text, which is read twice and never held in memory, or a .pgsm file; pegasimd
convert writes such files from other formats. For text, FOLDER needs space for two copies of the
rows as .pgsm files. FOLDER must be new, empty, or have a valid manifest, whose shards are
replaced; -force allows any folder.

Example:
  pegasimd-beam split -shards 16 train.svm.gz shards/`,
	least: 2, most: 2,
	define: func(c *call) func() error {
		var opt shards.Options
		c.IntVar(&opt.Shards, "shards", 16, "`n` the number of shards")
		choice(c, &opt.IndexBase, "index-base", "the number of the first feature in svmlight data "+
			"(default 1)", dataset.BaseZero, dataset.BaseOne, dataset.BaseAuto)
		choice(c, &opt.Unsorted, "unsorted", "how to treat svmlight rows whose indices do not ascend; "+
			"sum sorts them and adds the values of equal indices (default error)",
			dataset.UnsortedError, dataset.UnsortedSort, dataset.UnsortedSum)
		c.IntVar(&opt.MaxFeatures, "max-features", 0, "`n` refuse data with more features (0: 2^20, or "+
			"the number of values in the file if that is larger, but at most 2^27; with -hash-bits 2^27)")
		c.IntVar(&opt.HashBits, "hash-bits", 0,
			"`n` hash svmlight indices to 2^n features (0: no hashing)")
		c.defineForce("write to FOLDER even if it has other files, and replace those of the same names")
		return func() error { return split(c, opt) }
	},
}

func split(c *call, opt shards.Options) error {
	switch {
	case len(c.beam) > 0:
		return usagef("split does not run on Beam: remove the arguments after --")
	case opt.Shards < 1 || opt.Shards > shards.MaxShards:
		return usagef("-shards: have %d, want 1 to %d", opt.Shards, shards.MaxShards)
	}
	opt.Context, opt.Force = c, c.force
	m, err := shards.Split(c.args[0], c.args[1], opt)
	if err == nil {
		c.say("%s of %s in %s: %s", plural.Count(m.Rows, "row"), plural.Count(m.Cols, "feature"),
			plural.Count(len(m.Shards), "shard"),
			escape.Name(filepath.Join(c.args[1], "manifest.json")))
	}
	return err
}
