package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/training"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

// A set is a data set to train on.
type set struct {
	name         string
	train, test  *dataset.Set
	epochs       int
	milliseconds float64 // that timing and the curve take, about
}

func (s *set) config() pegasos.Config {
	return pegasos.Config{Lambda: 1e-4, Epochs: s.epochs}.Plain()
}

// dataSets returns the embedded digits, made text and what is in the folder of real data.
func dataSets(o options) ([]*set, error) {
	train, test := dataset.DigitsSplit()
	sets := []*set{{"digits", train, test, 30, 1000}}
	all, err := madeText(20_000, 30_000, 75)
	if err != nil {
		return nil, err
	}
	isTest := func(i int) bool { return i%5 == 4 }
	var parts [2][]int
	for i := range all.Rows() {
		part := 0
		if isTest(i) {
			part = 1
		}
		parts[part] = append(parts[part], i)
	}
	sets = append(sets, &set{"made-text", all.Subset(parts[0]), all.Subset(parts[1]), 5, 2000})
	const images, labels = "-images-idx3-ubyte.gz", "-labels-idx1-ubyte.gz"
	for _, r := range []struct {
		name, train, test string
		epochs            int
		milliseconds      float64
	}{
		{"a9a", "a9a.svm.gz", "a9a.t.svm.gz", 5, 2000},
		{"imdb", "imdb.tfidf.train.svm.gz", "imdb.tfidf.test.svm.gz", 3, 4000},
		{"fashion-mnist", "train" + images + ",train" + labels, "t10k" + images + ",t10k" + labels,
			2, 30000},
	} {
		read := func(names string, like dataset.Options) (*dataset.Set, error) {
			files := strings.Split(names, ",")
			for i, name := range files {
				files[i] = filepath.Join(o.data, r.name, name)
			}
			return dataset.Read(strings.Join(files, ","), like)
		}
		if _, err := os.Stat(filepath.Join(o.data, r.name)); o.data == "" || err != nil {
			continue
		}
		train, err := read(r.train, dataset.Options{})
		if err != nil {
			return nil, err
		}
		test, err := read(r.test, dataset.Options{Features: train.Cols(), Layout: train.Layout()})
		if err != nil {
			return nil, err
		}
		sets = append(sets, &set{r.name, train, test, r.epochs, r.milliseconds})
	}
	return slices.DeleteFunc(sets, func(s *set) bool { return !o.only.MatchString("train-" + s.name) }),
		nil
}

// train times training on the sets, and draws up how each run goes.
func (m *meter) train(sets []*set, bar *progressbar.ProgressBar) (runs []*training.Run, err error) {
	for _, s := range sets {
		bar.Describe("training on " + s.name)
		err := m.timeTraining(s)
		if err != nil {
			return nil, fmt.Errorf("training on %s: %w", s.name, err)
		}
		run, err := curve(s)
		if err != nil {
			return nil, fmt.Errorf("training on %s: %w", s.name, err)
		}
		runs = append(runs, run)
		bar.Add(int(s.milliseconds))
	}
	return runs, nil
}

// timeTraining times one thread on every path, which all have to train the same model.
func (m *meter) timeTraining(s *set) error {
	defer asm.Use(asm.Active())
	hash, steps := "", 0.0
	var runs []func() (float64, error)
	paths := asm.Available()
	for _, isa := range paths {
		runs = append(runs, func() (float64, error) {
			asm.Use(isa)
			start := time.Now()
			model, err := (&pegasos.Trainer{Config: s.config(), Threads: 1}).Train(
				context.Background(), s.train.Examples(), s.train.Y)
			took := time.Since(start)
			if err != nil {
				return 0, err
			}
			if hash == "" {
				hash, steps = model.Hash(), float64(model.Result.Steps)*float64(len(model.Weights))
			}
			if model.Hash() != hash {
				return 0, fmt.Errorf("%v trains another model than %v", isa, paths[0])
			}
			return took.Seconds() / steps, nil
		})
	}
	race, err := frame.Runs(6, 0, runs...)
	if err != nil {
		return err
	}
	for i, isa := range paths {
		for round, v := range race[i] {
			fmt.Fprintf(m.out, "BenchmarkTrain/op=train-%s/n=%d/isa=%v "+
				"%.0f %.5g ns/op %.5g steps/s %.4g x-generic\n",
				s.name, s.train.Rows(), isa, steps, v*1e9, 1/v, race[0][round]/v)
		}
	}
	return nil
}

// curve trains once more, three times as long, and measures on the way.
func curve(s *set) (*training.Run, error) {
	cfg := s.config()
	cfg.Epochs *= 3
	config, err := json.Marshal(cfg)
	if err != nil {
		return nil, err
	}
	run := &training.Run{Name: s.name, Rows: s.train.Rows(), Cols: s.train.Cols(),
		Fill: s.train.Fill(), Config: string(config)}
	next := 1
	start, aside := time.Now(), time.Duration(0) // what measuring takes is not training
	tr := pegasos.Trainer{Config: cfg, Progress: func(p pegasos.Progress) {
		if p.Epoch < next && p.Steps < p.TotalSteps {
			return
		}
		next += max(1, next/4)
		began := time.Now()
		m := p.Model()
		run.Curve = append(run.Curve, training.Point{
			Steps: p.Steps, Objective: m.Result.Objective, Dual: m.Result.DualObjective,
			Seconds:  (began.Sub(start) - aside).Seconds(),
			Accuracy: metrics.Accuracy(s.test.Y, m.PredictAll(s.test.Examples())),
		})
		aside += time.Since(began)
	}}
	model, err := tr.Train(context.Background(), s.train.Examples(), s.train.Y)
	if err != nil {
		return nil, err
	}
	run.Hash = model.Hash()
	for i := range model.Classes {
		run.Classes = append(run.Classes, model.ClassName(i))
		run.Confusion = append(run.Confusion, make([]int, len(model.Classes)))
	}
	for i, predicted := range model.PredictAll(s.test.Examples()) {
		truth, ok := slices.BinarySearch(model.Classes, s.test.Y[i])
		if !ok {
			return nil, fmt.Errorf("row %d of the test has a label that training has not: %v", i,
				s.test.Y[i])
		}
		guess, _ := slices.BinarySearch(model.Classes, predicted)
		run.Confusion[truth][guess]++
	}
	return run, nil
}
