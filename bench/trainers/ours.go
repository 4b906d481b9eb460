package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// same has the peers' objective.
func same(loss string, lambda float64) pegasos.Config {
	return pegasos.Config{Loss: pegasos.Loss(loss), Lambda: lambda, Scale: pegasos.ScaleNone,
		Curves: pegasos.CurvesNone, Bias: pegasos.BiasNone, Multiclass: pegasos.OneVsRest}
}

// ownTrain measures the time until the last call of Progress or, with Tol, the time of the whole
// call.
func ownTrain(ctx context.Context, x dataset.Examples, y []float32, cfg pegasos.Config, threads int,
	limit time.Duration) (*training, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	runtime.GC() // the collector is off during the run
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	t := new(training)
	used, began := cpu.ProcessSeconds(), time.Now()
	stop := func() { t.CPU, t.Wall = cpu.ProcessSeconds()-used, time.Since(began).Seconds() }
	trainer := pegasos.Trainer{Config: cfg, Threads: threads}
	if cfg.Tol == 0 {
		trainer.Progress = func(pegasos.Progress) { stop() }
	}
	m, err := trainer.Train(ctx, x, y)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w of %v", errLimit, limit)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Tol > 0 {
		stop()
	}
	t.objective, t.bound = m.Result.Objective, m.Result.DualObjective
	t.proven = m.Result.Gap <= cfg.Tol
	for _, w := range m.Weights {
		for _, v := range w {
			t.values = append(t.values, float64(v))
		}
	}
	return t, nil
}
