package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/beam/internal/work"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/modelio"
)

var scoreCommand = command{
	name:      "score",
	arguments: "DATA... MODEL FOLDER",
	summary:   "predict the labels of many files",
	help: `Score predicts the rows of the files DATA, which may be patterns such as 'in/*.svm'. For
in/part-7.svm it writes FOLDER/part-7.svm.labels, with one label per line, in the format of
pegasimd predict. One worker predicts a whole file, so it is best to have several files of
about the same size for each processor. Output files are written under temporary names and
renamed when complete. Existing .labels files in FOLDER are replaced only with -force.

Flags of Apache Beam may follow --, as for train.

Example:
  pegasimd-beam score 'in/part-*.svm' text.model out/`,
	least: 3, most: 1 << 30,
	define: func(c *call) func() error {
		s := &scoreFlags{job: scoreJob{Labels: dataset.LabelsAuto}}
		// The time that all files need is not known.
		s.driver.define(c, "all of the work after this `time`", 24*time.Hour)
		choice(c, &s.job.Format, "format", "the data's format (default by the name)",
			append(dataset.Formats(), dataset.FormatAuto)...)
		choice(c, &s.job.Labels, "labels", "whether the data have labels (default auto)",
			dataset.LabelsYes, dataset.LabelsNo, dataset.LabelsAuto)
		c.StringVar(&s.job.LabelColumn, "label-column", "", "`column` the column of a table or .npy "+
			"file that has the labels: a number counted from 0, last or, in a table, a name (default "+
			"the column of the training data or, if the model has none, the first or last column if "+
			"it alone is called label, target, class or y, or the last if none is)")
		c.defineForce("replace .labels files in FOLDER")
		return s.run
	},
}

type scoreFlags struct {
	driver
	job scoreJob
}

type scoreJob struct {
	Model       string
	Data, Out   []string
	Format      dataset.Format
	Labels      dataset.Labels
	LabelColumn string
	Threads     int
	Began       time.Time // lets openScoring tell equal jobs apart
}

func (s *scoreFlags) run() error {
	if err := s.check(); err != nil {
		return err
	}
	n := len(s.args)
	dir, err := filepath.Abs(s.args[n-1])
	if err == nil {
		s.job.Model, err = filepath.Abs(s.args[n-2])
	}
	if err == nil {
		err = s.find(s.args[:n-2], dir)
	}
	if err != nil {
		return err
	}
	m, err := modelio.ReadFile(s.job.Model)
	if err != nil {
		return err
	}
	if err := errors.Join(predictions.Ready(m), os.MkdirAll(dir, 0o777)); err != nil {
		return err
	}
	s.job.Threads = max(1, runtime.GOMAXPROCS(0)/len(s.job.Data))
	s.job.Began = time.Now()
	arg, err := json.Marshal(s.job)
	if err != nil {
		return err
	}
	r, closeIt, err := s.runner()
	if err != nil {
		return err
	}
	defer closeIt()
	items := make([]int, len(s.job.Data))
	for i := range items {
		items[i] = i
	}
	sum, err := r.Run(s, work.Job{Work: scoreWork, Arg: string(arg), Items: items,
		Out: filepath.Join(dir, "score.sum"), Name: "scoring"})
	if err == nil {
		s.say("%s of %s, %.1f MB uncompressed, in %.2f s", plural.Count(int(sum[0]), "row"),
			plural.Count(len(items), "file"), float64(sum[1])/1e6,
			time.Since(s.job.Began).Seconds())
	}
	return err
}

func (s *scoreFlags) find(patterns []string, dir string) error {
	from := map[string]string{}
	for _, pattern := range patterns {
		names := []string{pattern}
		if _, missing := os.Stat(pattern); missing != nil {
			found, err := filepath.Glob(pattern)
			switch images, labels, _ := strings.Cut(pattern, ","); {
			case err != nil:
				return usagef("%q: %v", pattern, err)
			case len(found) > 0:
				names = found
			case isFile(images) && isFile(labels): // of a format with pairs of files
			case !errors.Is(missing, fs.ErrNotExist):
				return missing
			default:
				return usagef("found no file %q", pattern)
			}
		}
		for _, name := range names {
			path, base, err := absolute(name)
			if err != nil {
				return err
			}
			out := filepath.Join(dir, base+".labels")
			switch other, twice := from[out]; {
			case slices.Contains(s.job.Data, path):
				return usagef("%s is given twice", name)
			case twice:
				return usagef("the labels of %s and %s would both be written to %s", other, name, out)
			}
			switch old, err := os.Lstat(out); {
			case err == nil && old.IsDir():
				return usagef("%s is a folder: choose another folder for the labels", out)
			case err == nil && !s.force:
				return usagef("%s exists: choose another folder, or replace it with -force", out)
			}
			from[out] = name
			s.job.Data, s.job.Out = append(s.job.Data, path), append(s.job.Out, out)
		}
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// absolute returns the absolute path of a file, or of both files of a pair, and the first file's
// base name.
func absolute(name string) (path, base string, err error) {
	if path, err = filepath.Abs(name); err != nil || isFile(path) {
		return path, filepath.Base(path), err
	}
	first, second, isPair := strings.Cut(name, ",")
	if !isPair || !isFile(first) {
		return path, filepath.Base(path), nil
	}
	if first, err = filepath.Abs(first); err == nil {
		second, err = filepath.Abs(second)
	}
	return first + "," + second, filepath.Base(first), err
}

const scoreWork = "score"

func init() { work.Register(scoreWork, scoreFile) }

func scoreFile(ctx context.Context, arg string, _, item int) ([]int64, error) {
	s, err := openScoring(arg)
	if err != nil {
		return nil, err
	}
	if item < 0 || item >= len(s.job.Data) {
		return nil, work.Refuse(fmt.Errorf("no file %d", item))
	}
	opt := dataset.Options{Context: ctx, Format: s.job.Format, Labels: s.job.Labels,
		LabelColumn: s.job.LabelColumn, Threads: s.job.Threads}
	var rows int
	var size int64
	err = atomicfile.WriteFile(s.job.Out[item], func(w io.Writer) (err error) {
		rows, size, err = predictions.Write(w, s.job.Data[item], s.model, opt)
		if err != nil && ctx.Err() == nil { // bad data stay bad: don't retry
			err = work.Refuse(err)
		}
		return err
	})
	return []int64{int64(rows), size}, err
}

type scoring struct {
	job   scoreJob
	model modelio.Predictor
}

var lastScoring work.Last[*scoring]

func openScoring(arg string) (*scoring, error) {
	return lastScoring.Get(arg, func() (*scoring, error) {
		s := new(scoring)
		err := json.Unmarshal([]byte(arg), &s.job)
		if err == nil {
			s.model, err = modelio.ReadFile(s.job.Model)
		}
		return s, err
	})
}
