package main

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// dataFlags are the flags of every command that reads data.
type dataFlags struct {
	scaler                       *dataset.Scaler // of what is read; nil for none
	hashBits                     int             // of what was read last
	opt                          dataset.Options
	format, layout, base, header string
	quiet                        bool
}

func (d *dataFlags) define(c *call) {
	f := c.flags
	f.StringVar(&d.format, "format", "auto", "the data's `form`: svmlight, csv, tsv, npy, idx, pgsm, or auto to go by the name")
	f.StringVar(&d.layout, "layout", "auto", "hold the features `dense` or sparse; auto goes by the share of nonzeros")
	f.StringVar(&d.base, "index-base", "", "the `number` of the first feature in svmlight data: 0, 1 or auto (default 1, or the model's)")
	f.StringVar(&d.header, "header", "auto", "whether a CSV file's first row names the columns: `yes`, no or auto")
	f.StringVar(&d.opt.LabelColumn, "label-column", "last", "a CSV or .npy file's label `column`: its name, its number from 0, or last")
	f.Func("unsorted", "what to `do` with svmlight indices that don't ascend: error, sort, or sum, which adds values of the same index (default error)", text(&d.opt.Unsorted))
	f.IntVar(&d.opt.HashBits, "hash-bits", 0, "hash svmlight indices, which may be any below 2^64, to 2^`n` features (0: don't)")
	f.BoolVar(&d.opt.InMemory, "in-memory", false, "read a .pgsm file into memory and check it, in place of mapping it")
	f.BoolVar(&d.opt.Verify, "verify", false, "check all of a .pgsm file before it is used")
	f.IntVar(&d.opt.MaxFeatures, "max-features", 1<<27, "refuse data with more than `n` features")
	f.Int64Var(&d.opt.MaxBytes, "max-bytes", 0, "refuse data of more than `n` bytes, counted after decompression (0: no limit)")
	f.IntVar(&d.opt.Threads, "threads", 0, "use `n` threads (0: all); the result does not depend on it")
	f.BoolVar(&d.quiet, "quiet", false, "print no progress and no summary, only errors")
}

// options fills opt in, and returns what shows the progress of reading a file.
func (d *dataFlags) options(c *call, name string) *progress {
	d.opt.Format = dataset.Format(d.format)
	d.opt.Layout = dataset.Layout(d.layout)
	d.opt.IndexBase = dataset.IndexBase(d.base)
	d.opt.Header = dataset.Header(d.header)
	d.opt.Context = c
	p := newProgress(c.stderr, d.quiet)
	d.opt.Progress = func(read, total int64) {
		if total > 0 {
			p.show(float64(read)/float64(total), "reading %s: %d of %d MB", name, read>>20, total>>20)
		} else {
			p.show(0, "reading %s: %d MB", name, read>>20)
		}
	}
	return p
}

// read reads data. For a model it takes the features and the index base from there.
func (d *dataFlags) read(c *call, name string, m *pegasos.Model) (*dataset.Set, time.Duration, error) {
	p := d.options(c, name)
	if m != nil {
		d.opt.Features = m.Cols()
		if m.HashBits != 0 {
			d.opt.HashBits = m.HashBits
		}
		if d.base == "" {
			d.opt.IndexBase = dataset.IndexBase(fmt.Sprint(m.IndexBase))
		}
	}
	start := time.Now()
	set, err := dataset.Read(name, d.opt)
	p.clear()
	if err != nil {
		return nil, 0, err
	}
	if scaler := d.scaler; scaler != nil || m != nil && m.Scaler != nil {
		if scaler == nil {
			scaler = new(dataset.Scaler)
			if err := json.Unmarshal(m.Scaler, scaler); err != nil {
				return nil, 0, fmt.Errorf("the model's scaler: %w", err)
			}
			d.scaler = scaler
		}
		if set, err = scaler.Apply(set); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	d.hashBits = set.HashBits
	return set, time.Since(start), nil
}

// fitScaler scales the set, and what is read later.
func (d *dataFlags) fitScaler(name, kind string, set *dataset.Set) (*dataset.Set, error) {
	scaler, err := dataset.FitScaler(set, dataset.ScaleKind(kind))
	if err == nil {
		set, err = scaler.Apply(set)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.scaler = scaler
	return set, nil
}

// scaled puts how the data were hashed and scaled into a model.
func (d *dataFlags) scaled(m *pegasos.Model) error {
	m.HashBits = d.hashBits
	if d.scaler == nil {
		return nil
	}
	text, err := json.Marshal(d.scaler)
	m.Scaler = text
	return err
}

// readWithModel reads a model and data for it.
func (d *dataFlags) readWithModel(c *call, name, model string) (*dataset.Set, *pegasos.Model, error) {
	m, err := pegasos.ReadFile(model)
	if err != nil {
		return nil, nil, err
	}
	set, _, err := d.read(c, name, m)
	return set, m, err
}

// matrix returns the set's matrix as the trainer sees it.
func matrix(s *dataset.Set) pegasos.Examples {
	if s.Dense != nil {
		return s.Dense
	}
	return s.Sparse
}

// decide returns the model's scores for all rows of the set, whose name is for errors.
func decide(m *pegasos.Model, set *dataset.Set, name string) ([]float64, error) {
	all := m.DecisionAll(matrix(set))
	if err := set.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

// shortName is a file's name without its folder. Of an IDX pair it is that of the images.
func shortName(data string) string {
	if data == "-" {
		return "standard input"
	}
	name, _, _ := strings.Cut(data, ",")
	return path.Base(filepath.ToSlash(name))
}

// warnScale tells of features that should have been scaled. It leaves mapped data alone: a pass over them may take long, and
// inspect is there for it.
func warnScale(c *call, set *dataset.Set) {
	if set.Mapped() {
		return
	}
	for _, warning := range dataset.Warnings(set) {
		fmt.Fprintln(c.stderr, "warning:", warning)
	}
}

// modelName is the model's when none is given: the data's name without its folder and endings, in the working folder.
func modelName(data string) (string, error) {
	if data == "-" {
		return "", usagef("data from standard input have no name: name the model too")
	}
	name := strings.TrimSuffix(shortName(data), ".gz")
	return strings.TrimSuffix(name, path.Ext(name)) + ".model", nil
}

// labels returns for each row the position of its label among those of the model. Labels that the model does not know
// are put behind them, in the order in which they are met. names has all of them as they are printed.
func labels(s *dataset.Set, m *pegasos.Model) (at []int, names []string) {
	place := map[string]int{}
	for i := range m.Classes {
		names = append(names, m.ClassName(i))
		place[m.ClassName(i)] = i
	}
	for _, y := range s.Y {
		name := pegasos.FormatLabel(y)
		if s.Names != nil {
			name = s.Names[int(y)]
		}
		k, known := place[name]
		if !known {
			k = len(names)
			place[name] = k
			names = append(names, name)
		}
		at = append(at, k)
	}
	return at, names
}
