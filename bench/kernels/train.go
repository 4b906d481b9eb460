package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A set is a data set to train on.
type set struct {
	name        string
	train, test *dataset.Set
	lambda      float64
	epochs      int
}

// dataSets returns the embedded digits, generated text, and the sets in the folder of real data.
func dataSets(o options) ([]*set, error) {
	train, test := dataset.DigitsSplit()
	sets := []*set{{"digits", train, test, 1e-3, 30},
		{"made-text", madeText(7, 16_000), madeText(8, 4_000), 1e-4, 5}}
	for _, names := range [][]string{{"a9a", "a9a.svm.gz", "a9a.t.svm.gz"},
		{"imdb", "imdb.tfidf.train.svm.gz", "imdb.tfidf.test.svm.gz"}} {
		dir := filepath.Join(o.data, names[0])
		if _, err := os.Stat(dir); o.data == "" || err != nil {
			continue
		}
		train, err := dataset.Read(filepath.Join(dir, names[1]), dataset.Options{})
		if err != nil {
			return nil, err
		}
		test, err := dataset.Read(filepath.Join(dir, names[2]),
			dataset.Options{Features: train.Cols(), Layout: train.Layout()})
		if err != nil {
			return nil, err
		}
		sets = append(sets, &set{names[0], train, test, 1e-4, 5})
	}
	return slices.DeleteFunc(sets, func(s *set) bool {
		return !o.only.MatchString("train-" + s.name)
	}), nil
}

// madeText generates sparse rows of about unit length, labeled by a hidden w, except for one row in
// twenty.
func madeText(seed uint64, rows int) *dataset.Set {
	m := newCSR(seed, rows, 3_000, 75)
	hidden, labels := make([]float32, 3_000), make([]float32, rows)
	fill(hidden, 9)
	for k := range m.val {
		m.val[k] /= 5
	}
	for i := range labels {
		labels[i] = -1
		if (m.Dot(i, hidden) > 0) == (i%20 > 0) {
			labels[i] = 1
		}
	}
	return &dataset.Set{Sparse: m.Matrix, Y: labels}
}

// run trains on a set with one thread.
func (s *set) run(epochs int, progress func(pegasos.Progress)) (*pegasos.Model, error) {
	cfg := pegasos.Config{Lambda: s.lambda, Epochs: epochs}.Plain()
	return (&pegasos.Trainer{Config: cfg, Threads: 1, Progress: progress}).Train(
		context.Background(), s.train.Examples(), s.train.Y)
}

// train times training on a set on every path and checks that all paths give the same model. Then
// it trains once more, three times as long, and measures the quality during the run.
func (m *meter) train(s *set) error {
	defer asm.Use(asm.Active())
	hash, steps := "", 0.0
	var runs []func() (float64, error)
	for _, isa := range asm.Available() {
		runs = append(runs, func() (float64, error) {
			asm.Use(isa)
			start := time.Now()
			model, err := s.run(s.epochs, nil)
			took := time.Since(start)
			if err != nil {
				return 0, err
			}
			if hash == "" {
				hash, steps = model.Hash(), float64(model.Result.Steps)*float64(len(model.Weights))
			}
			if model.Hash() != hash {
				return 0, fmt.Errorf("%v trains another model than %v", isa, asm.Available()[0])
			}
			return took.Seconds() / steps, nil
		})
	}
	race, err := frame.Runs(leastRounds, 0, runs...)
	if err != nil {
		return err
	}
	for i, isa := range asm.Available() {
		for _, v := range race[i] {
			fmt.Fprintf(&m.text, "BenchmarkTrain/op=train-%s/n=%d/isa=%v %.0f %.5g ns/op %.5g steps/s\n",
				s.name, s.train.Rows(), isa, steps, v*1e9, 1/v)
		}
	}
	next := 1
	start, aside := time.Now(), time.Duration(0) // aside is the time of measuring
	_, err = s.run(3*s.epochs, func(p pegasos.Progress) {
		if p.Epoch < next && p.Steps < p.TotalSteps {
			return
		}
		next += max(1, next/4)
		began := time.Now()
		model := p.Model()
		m.curves = append(m.curves, measured.Point{Run: s.name,
			Steps: p.Steps, Objective: model.Result.Objective, Dual: model.Result.DualObjective,
			Seconds:  (began.Sub(start) - aside).Seconds(),
			Accuracy: metrics.Accuracy(s.test.Y, model.PredictAll(s.test.Examples()), nil),
		})
		aside += time.Since(began)
	})
	return err
}
