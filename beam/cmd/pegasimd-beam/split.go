package main

import (
	"flag"
	"fmt"
	"path/filepath"

	"github.com/pegasimd/pegasimd/beam/shards"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

var splitCommand = command{
	name:      "split",
	arguments: "DATA FOLDER",
	summary:   "cut data into shards",
	help: `Split writes the rows of DATA to shards in FOLDER, .pgsm files of about as many rows each, and
beside them manifest.json, which says which there are, and what the defaults of training and its sums
have to know of all rows. A shard has whole blocks of 256 rows; of few rows some shards get none.

svmlight text is read twice and is not held in memory, nor is the .pgsm form; other formats are, and
are refused if that may take more than -max-memory: pegasimd convert makes .pgsm of them on a machine
that has the memory. From svmlight text, FOLDER needs room for two copies of the rows in the .pgsm
form. It is to be new, empty, or one of shards, which are replaced, unless -force is given.

Example:
  pegasimd-beam split -shards 16 train.svm.gz shards/`,
	least: 2, most: 2,
	define: func(f *flag.FlagSet) func(*call) error {
		var s splitFlags
		defineData(f, &s.opt.Options)
		f.IntVar(&s.opt.Shards, "shards", 16, "`n` the number of shards")
		f.IntVar(&s.memory, "max-memory", shards.DefaultMaxMemory>>20, "`n` refuse data that are "+
			"held in memory, and may take more megabytes there")
		f.BoolVar(&s.force, "force", false, "write to any folder")
		f.BoolVar(&s.quiet, "quiet", false, "print no summary, only errors")
		return s.run
	},
}

type splitFlags struct {
	opt          shards.Options
	memory       int
	force, quiet bool
}

// defineData defines how data are read.
func defineData(f *flag.FlagSet, opt *dataset.Options) {
	f.Func("format", "`svmlight|csv|tsv|npy|idx|pgsm|auto` the data's format (default by the name)",
		text(&opt.Format))
	f.Func("layout", "`dense|sparse|auto` how the features are held (default by the share of "+
		"nonzeros)", text(&opt.Layout))
	f.Func("index-base", "`0|1|auto` the number of the first feature in svmlight data (default 1, "+
		"or the model's)", text(&opt.IndexBase))
	f.Func("header", "`yes|no|auto` whether a CSV file's first row names the columns (default auto)",
		text(&opt.Header))
	f.StringVar(&opt.LabelColumn, "label-column", "",
		"`column` where the label is in a CSV or .npy file: a name, a number from 0, or last "+
			"(default last, or where it was in training)")
	f.IntVar(&opt.HashBits, "hash-bits", 0, "`n` hash svmlight indices to 2^n features (0: do not)")
	f.IntVar(&opt.MaxFeatures, "max-features", 0, "`n` refuse data with more features (0: 2^20, or "+
		"one for each value in the file if that is more)")
}

// text returns what sets a field of a string type from its flag.
func text[T ~string](to *T) func(string) error {
	return func(s string) error {
		*to = T(s)
		return nil
	}
}

func (s *splitFlags) run(c *call) error {
	if s.opt.Shards < 1 || s.opt.Shards > shards.MaxShards {
		return usagef("-shards: have %d, want 1 to %d", s.opt.Shards, shards.MaxShards)
	}
	if s.memory < 1 {
		return usagef("-max-memory: have %d, want 1 or more", s.memory)
	}
	s.opt.MaxMemory = int64(s.memory) << 20
	dir := c.args[1]
	if !s.force {
		if err := shards.Replaceable(dir); err != nil {
			return usagef("%v: -force writes there", err)
		}
	}
	s.opt.Context = c
	m, err := shards.Split(c.args[0], dir, s.opt)
	if err == nil && !s.quiet {
		fmt.Fprintf(c.stderr, "%d rows of %d features in %d shards: %s\n", m.Rows, m.Cols,
			len(m.Shards), visible.Name(filepath.Join(dir, "manifest.json")))
	}
	return err
}
