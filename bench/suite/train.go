package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/training"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/sparse"
)

// A set is a data set to train on.
type set struct {
	name        string
	train, test *dataset.Set
	cfg         pegasos.Config
	weight      int // about milliseconds, for the progress bar
}

// dataSets returns those that everyone has, and those that are in the folder.
func dataSets(folder string) ([]*set, error) {
	train, test := dataset.DigitsSplit()
	sets := []*set{{"digits", train, test, pegasos.Config{Lambda: 1e-3, Epochs: 30}.Plain(), 1000}}
	text, err := syntheticText(20_000, 30_000, 75)
	if err != nil {
		return nil, err
	}
	five := pegasos.Config{Lambda: 1e-4, Epochs: 5}.Plain()
	sets = append(sets, split("synthetic-text", text, five, 2000))
	numbers, err := syntheticDense(20_000, 256)
	if err != nil {
		return nil, err
	}
	sets = append(sets, split("synthetic-dense", numbers, five, 2000))
	if folder == "" {
		return sets, nil
	}
	for _, r := range []struct {
		name, train, test string
		cfg               pegasos.Config
		weight            int
	}{
		{"a9a", "a9a/a9a.svm.gz", "a9a/a9a.t.svm.gz", five, 2000},
		{"imdb", "imdb/imdb.tfidf.train.svm.gz", "imdb/imdb.tfidf.test.svm.gz",
			pegasos.Config{Lambda: 1e-4, Epochs: 3}.Plain(), 4000},
		{"fashion-mnist",
			"fashion-mnist/train-images-idx3-ubyte.gz,fashion-mnist/train-labels-idx1-ubyte.gz",
			"fashion-mnist/t10k-images-idx3-ubyte.gz,fashion-mnist/t10k-labels-idx1-ubyte.gz",
			pegasos.Config{Lambda: 1e-4, Epochs: 2}.Plain(), 30000},
	} {
		paths := func(names string) string {
			var all []string
			for name := range strings.SplitSeq(names, ",") {
				all = append(all, filepath.Join(folder, filepath.FromSlash(name)))
			}
			return strings.Join(all, ",")
		}
		train, err := dataset.Read(paths(r.train), dataset.Options{})
		if os.IsNotExist(err) {
			fmt.Fprintf(os.Stderr, "suite: no %s in %s\n", r.name, folder)
			continue
		}
		if err != nil {
			return nil, err
		}
		test, err := dataset.Read(paths(r.test),
			dataset.Options{Features: train.Cols(), Layout: train.Layout()})
		if err != nil {
			return nil, err
		}
		sets = append(sets, &set{r.name, train, test, r.cfg, r.weight})
	}
	return sets, nil
}

// split keeps every fifth row for the test.
func split(name string, all *dataset.Set, cfg pegasos.Config, weight int) *set {
	var train, test []int
	for i := range all.Rows() {
		if i%5 == 4 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	return &set{name, all.Subset(train), all.Subset(test), cfg, weight}
}

// syntheticText makes rows of unit length with about so many nonzeros each, which fall on common
// features more often than on rare ones, as words do, and which a hidden w tells apart, one row of
// twenty excepted.
func syntheticText(rows, cols, nnz int) (*dataset.Set, error) {
	r := rand.New(rand.NewPCG(1, 2))
	hidden := make([]float32, cols)
	for j := range hidden {
		hidden[j] = 2*r.Float32() - 1
	}
	start := []int64{0}
	var idx []int32
	var val, y []float32
	taken := make([]int, cols)
	for i := range rows {
		from := len(idx)
		for range nnz/2 + r.IntN(nnz) {
			u := r.Float64() * r.Float64() * r.Float64()
			if j := int(float64(cols) * u); taken[j] != i+1 {
				taken[j] = i + 1
				idx = append(idx, int32(j))
			}
		}
		slices.Sort(idx[from:])
		var squares, score float32
		for range idx[from:] {
			v := r.Float32() + 0.1
			val = append(val, v)
			squares += float32(v * v)
		}
		for k, v := range val[from:] {
			score += float32(v * hidden[idx[from+k]])
		}
		scale := 1 / sqrt(squares)
		for k := range val[from:] {
			val[from+k] *= scale
		}
		start = append(start, int64(len(idx)))
		y = append(y, label(score, r))
	}
	m, err := sparse.NewShared(cols, start, idx, val)
	return &dataset.Set{Sparse: m, Y: y}, err
}

// syntheticDense makes rows of uniform numbers of about unit length, which a hidden w tells apart
// likewise.
func syntheticDense(rows, cols int) (*dataset.Set, error) {
	r := rand.New(rand.NewPCG(3, 4))
	m := dense.New(rows, cols)
	hidden := make([]float32, cols)
	for j := range hidden {
		hidden[j] = 2*r.Float32() - 1
	}
	var y []float32
	scale := sqrt(3 / float32(cols))
	for i := range rows {
		row := m.Row(i)
		for j := range row {
			row[j] = float32((2*r.Float32() - 1) * scale)
		}
		y = append(y, label(m.Dot(i, hidden), r))
	}
	return &dataset.Set{Dense: m, Y: y}, nil
}

// sqrt is rounded once, from a float64, and the same everywhere.
func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }

func label(score float32, r *rand.Rand) float32 {
	if (score > 0) != (r.IntN(20) == 0) {
		return 1
	}
	return -1
}

// train checks that every path trains the same model, times them by turns, and then looks at how a
// run goes.
func (m *meter) train(s *set) error {
	defer asm.Use(asm.Active())
	fit := func() (*pegasos.Model, time.Duration, error) {
		runtime.GC()
		start := time.Now()
		model, err := (&pegasos.Trainer{Config: s.cfg, Threads: 1}).Train(context.Background(),
			s.train.Examples(), s.train.Y)
		return model, time.Since(start), err
	}
	paths := asm.Available()
	hash := ""
	for _, isa := range paths {
		asm.Use(isa)
		model, _, err := fit()
		if err != nil {
			return err
		}
		if hash == "" {
			hash = model.Hash()
		}
		if model.Hash() != hash {
			return fmt.Errorf("%v trains another model than %v", isa, paths[0])
		}
	}
	ns := make([][]float64, len(paths))
	steps := 0.0
	for round := range max(6, m.rounds/2) {
		for turn := range paths {
			i := (turn + round) % len(paths)
			asm.Use(paths[i])
			model, took, err := fit()
			if err != nil {
				return err
			}
			steps = float64(model.Result.Steps) * float64(len(model.Weights))
			ns[i] = append(ns[i], float64(took.Nanoseconds())/steps)
		}
	}
	for i, isa := range paths {
		for round, v := range ns[i] {
			fmt.Fprintf(m.out, "BenchmarkTrain/op=train-%s/n=%d/isa=%v "+
				"%.0f %.5g ns/op %.5g steps/s %.4g x-generic\n",
				s.name, s.train.Rows(), isa, steps, v, 1e9/v, ns[0][round]/v)
		}
	}
	asm.Use(paths[len(paths)-1])
	run, err := curve(s)
	m.runs = append(m.runs, run)
	return err
}

// curve trains once more, three times as long, and measures on the way.
func curve(s *set) (*training.Run, error) {
	cfg := s.cfg
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
			return nil, fmt.Errorf("row %d of the test has the label %v, which training has not", i,
				s.test.Y[i])
		}
		guess, _ := slices.BinarySearch(model.Classes, predicted)
		run.Confusion[truth][guess]++
	}
	return run, nil
}
