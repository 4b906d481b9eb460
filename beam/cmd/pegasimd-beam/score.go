package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pegasimd/pegasimd/beam/engine"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/predictions"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/internal/visible"
	"github.com/pegasimd/pegasimd/modelio"
)

var scoreCommand = command{
	name:      "score",
	arguments: "DATA... MODEL FOLDER",
	summary:   "predict the labels of many files",
	help: `Score predicts the rows of each of the files DATA, which may be patterns such as 'in/*.svm', and
writes a label for each row, a line each, to a file in FOLDER: that of in/part-7.svm to
FOLDER/part-7.svm.labels. The bytes are those that pegasimd predict writes. A file is worked on as a
whole, by one worker; files of about the same size, several for each processor, are best. Each result
is written beside its place and renamed, so that no half of one is ever there.

Files that are in FOLDER already and are not labels of this model are replaced only with -force.
Behind -- there may be flags of Apache Beam, as those of train.

Example:
  pegasimd-beam score 'in/part-*.svm' text.model out/`,
	least: 3, most: 1 << 30, beam: true,
	define: func(f *flag.FlagSet) func(*call) error {
		var s scoreFlags
		defineData(f, &s.opt)
		f.Func("labels", "`yes|no|auto` whether the data have labels (default auto)",
			text(&s.opt.Labels))
		f.BoolVar(&s.force, "force", false, "replace any files in FOLDER")
		f.BoolVar(&s.quiet, "quiet", false, "print no summary, only errors")
		return s.run
	},
}

type scoreFlags struct {
	opt          dataset.Options
	force, quiet bool
}

// A scoreJob is what workers have to know, in a file.
type scoreJob struct {
	Model   string
	Data    []string
	Out     []string
	Options scoreOptions
}

// scoreOptions are those of dataset.Options that flags set.
type scoreOptions struct {
	Format      dataset.Format
	Layout      dataset.Layout
	IndexBase   dataset.IndexBase
	Header      dataset.Header
	Labels      dataset.Labels
	LabelColumn string
	HashBits    int
	MaxFeatures int
	Threads     int
}

func (o *scoreOptions) options() dataset.Options {
	return dataset.Options{
		Format: o.Format, Layout: o.Layout, IndexBase: o.IndexBase, Header: o.Header,
		Labels: o.Labels, LabelColumn: o.LabelColumn, HashBits: o.HashBits,
		MaxFeatures: o.MaxFeatures, Threads: o.Threads,
	}
}

func (s *scoreFlags) run(c *call) error {
	if err := readBeam(c); err != nil {
		return err
	}
	n := len(c.args)
	job, err := newScoreJob(c.args[:n-2], c.args[n-2], c.args[n-1])
	if err != nil {
		return err
	}
	m, err := modelio.ReadFile(job.Model)
	if err != nil {
		return err
	}
	if err := predictions.Ready(m); err != nil {
		return err
	}
	if !s.force {
		if err := job.replaceable(m); err != nil {
			return err
		}
	}
	o := &s.opt
	if o.Labels == "" {
		o.Labels = dataset.LabelsAuto
	}
	job.Options = scoreOptions{o.Format, o.Layout, o.IndexBase, o.Header, o.Labels, o.LabelColumn,
		o.HashBits, o.MaxFeatures, max(1, runtime.GOMAXPROCS(0)/len(job.Data))}
	dir := filepath.Dir(job.Out[0])
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	r, err := job.run(c, dir)
	if err == nil && !s.quiet {
		fmt.Fprintf(c.stderr, "%d rows of %d files, %d MB, in %.2f s\n", r.Rows, len(job.Data),
			r.Bytes>>20, r.Time.Seconds())
	}
	return err
}

// newScoreJob finds the files.
func newScoreJob(patterns []string, model, dir string) (*scoreJob, error) {
	model, err := filepath.Abs(model)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	job := &scoreJob{Model: model}
	from := map[string]string{}
	for _, pattern := range patterns {
		names := []string{pattern}
		if _, err := os.Stat(pattern); err != nil {
			if names, err = filepath.Glob(pattern); err != nil {
				return nil, usagef("%q: %v", pattern, err)
			}
			if len(names) == 0 {
				return nil, usagef("there is no file %q", pattern)
			}
		}
		for _, name := range names {
			path, err := filepath.Abs(name)
			if err != nil {
				return nil, err
			}
			base := filepath.Base(path)
			if other, twice := from[base]; twice {
				return nil, usagef("%s and %s would both be written to %s.labels", other, name,
					base)
			}
			from[base] = name
			job.Data = append(job.Data, path)
			job.Out = append(job.Out, filepath.Join(dir, base+".labels"))
		}
	}
	return job, nil
}

// replaceable returns an error if a file that is to be replaced does not begin with a label of the
// model.
func (j *scoreJob) replaceable(m modelio.Predictor) error {
	known := map[string]bool{}
	for _, name := range visible.Names(predictions.ClassNames(m)) {
		known[name] = true
	}
	for _, out := range j.Out {
		text, err := os.ReadFile(out)
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(string(text), "\n")
		var number float64
		_, bad := fmt.Sscan(line, &number)
		if len(text) > 0 && !known[line] && (!predictions.Numbers(m) || bad != nil) {
			return usagef("%s exists and has no labels of this model: -force replaces it", out)
		}
	}
	return nil
}

// run runs the job, whose file is in the folder meanwhile.
func (j *scoreJob) run(c *call, dir string) (*engine.Result, error) {
	spec := filepath.Join(dir, "score.job")
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	err = replace.WriteFile(spec, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer os.Remove(spec)
	e, err := startEngine(c)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	items := make([]int, len(j.Data))
	for i := range items {
		items[i] = i
	}
	e.Least = scoreDeadline
	return e.Run(c, engine.Job{Work: scoreWork, Arg: spec, Items: items,
		Out: filepath.Join(dir, "score.sum"), Name: "scoring"})
}
