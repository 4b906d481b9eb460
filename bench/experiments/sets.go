package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// An experiment is where results go.
type experiment struct {
	ctx    context.Context
	out    string // folder for figures
	seeds  int
	rounds int
	w      io.Writer
	err    error // the first of writing
}

func (e *experiment) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(e.w, format, args...); err != nil && e.err == nil {
		e.err = err
	}
}

// The two forms that are compared: the paper's Fig. 1, and the library's defaults.
var forms = []struct {
	name string
	cfg  pegasos.Config
}{
	{"defaults", pegasos.Config{}},
	{"paper", pegasos.Paper()},
}

// examples returns the rows of a set.
func examples(s *dataset.Set) pegasos.Examples {
	if s.Dense != nil {
		return s.Dense
	}
	return s.Sparse
}

// A trained is a run and how long it took.
type trained struct {
	model *pegasos.Model
	took  span
	cpu   span // of all threads, 0 where it can't be had
}

// A span is a time in two parts.
type span struct {
	ready time.Duration // until the last step
	after time.Duration // from then on until the model was measured
}

// least returns the smaller parts.
func (s span) least(t span) span { return span{min(s.ready, t.ready), min(s.after, t.after)} }

func (e *experiment) train(s *dataset.Set, cfg pegasos.Config, threads int) (t trained, err error) {
	used, _ := cpuTime()
	start := time.Now()
	tr := pegasos.Trainer{Config: cfg, Threads: threads, Progress: func(pegasos.Progress) {
		now, _ := cpuTime()
		t.took.ready, t.cpu.ready = time.Since(start), now-used
	}}
	t.model, err = tr.Train(e.ctx, examples(s), s.Y)
	now, _ := cpuTime()
	t.took.after, t.cpu.after = time.Since(start)-t.took.ready, now-used-t.cpu.ready
	return t, err
}

// testError returns the percentage of rows that m predicts wrong.
func testError(m *pegasos.Model, s *dataset.Set) float64 {
	wrong := 0
	for i, v := range m.PredictAll(examples(s)) {
		if v != s.Y[i] {
			wrong++
		}
	}
	return 100 * float64(wrong) / float64(s.Rows())
}

func readIMDB(dir string) (train, test *dataset.Set, err error) {
	if train, err = dataset.Read(filepath.Join(dir, "imdb", "imdb.tfidf.train.svm.gz"), dataset.Options{}); err != nil {
		return nil, nil, err
	}
	test, err = dataset.Read(filepath.Join(dir, "imdb", "imdb.tfidf.test.svm.gz"), dataset.Options{Features: train.Cols()})
	return train, test, err
}

func readFashion(dir string) (train, test *dataset.Set, err error) {
	read := func(part string) (*dataset.Set, error) {
		name := filepath.Join(dir, "fashion-mnist", part)
		return dataset.Read(name+"-images-idx3-ubyte.gz,"+name+"-labels-idx1-ubyte.gz", dataset.Options{})
	}
	if train, err = read("train"); err != nil {
		return nil, nil, err
	}
	test, err = read("t10k")
	return train, test, err
}

// only returns the rows with one of the labels.
func only(s *dataset.Set, labels ...float32) *dataset.Set {
	var rows []int
	for i, y := range s.Y {
		if slices.Contains(labels, y) {
			rows = append(rows, i)
		}
	}
	return s.Subset(rows)
}

// against makes the rows with the label +1 and all others -1.
func against(s *dataset.Set, label float32) *dataset.Set {
	two := *s
	two.Y = make([]float32, len(s.Y))
	for i, y := range s.Y {
		two.Y[i] = -1
		if y == label {
			two.Y[i] = 1
		}
	}
	return &two
}

// median returns the middle of the values, the upper one of two, and the quartiles. It sorts them.
func median[T int64 | float64 | time.Duration](values []T) (middle, low, high T) {
	slices.Sort(values)
	n := len(values)
	return values[n/2], values[n/4], values[n-1-n/4]
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
