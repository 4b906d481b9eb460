package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/bench/internal/sets"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

type set struct {
	name        string
	lambda      float64
	epochs      int
	train, test *dataset.Set
}

func dataSets(o options) (all []*set, err error) {
	for _, s := range []*set{{name: "digits", lambda: 1e-3, epochs: 30},
		{name: "made-text", lambda: 1e-4, epochs: 5}, {name: "a9a", lambda: 1e-4, epochs: 5},
		{name: "imdb", lambda: 1e-4, epochs: 5}} {
		if !o.only.MatchString("train-" + s.name) {
			continue
		}
		of, err := sets.OpenSplit(s.name)
		if errors.Is(err, sets.ErrAbsent) {
			continue
		}
		if err == nil {
			s.test = of.Test
			s.train, err = of.Train.WithLayout(dataset.LayoutAuto)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (s *set) run(epochs int, progress func(pegasos.Progress)) (*pegasos.Model, error) {
	cfg := pegasos.Config{Lambda: s.lambda, Epochs: epochs}.Plain()
	return (&pegasos.Trainer{Config: cfg, Threads: 1, Progress: progress}).Train(
		context.Background(), s.train.Examples(), s.train.Y)
}

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
				return 0, fmt.Errorf("path %v trains another model than path %v", isa,
					asm.Available()[0])
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
	start, aside := time.Now(), time.Duration(0) // aside is the time of measuring quality
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
