package pegasos

import (
	"context"
	"errors"
	"slices"

	"github.com/pegasimd/pegasimd/internal/parallel"
)

// checkSigmoids trains the folds of the model's calibration anew, with the settings that the model
// has, and compares the sigmoids with its own.
func (tr *Trainer) checkSigmoids(ctx context.Context, v *Verification, m *Model, x Examples,
	y []float32) error {
	switch {
	case m.Config.Calibrate == 0 || m.Calibration == nil:
		return errors.New("pegasos: the model has no sigmoids of folds that could be trained anew")
	case m.Config.Patience != 0:
		return errors.New("pegasos: the folds went by data to validate with, which are not at hand")
	case v.Data != m.Data:
		return errors.New("pegasos: the sigmoids can be found anew only of rows that are held as " +
			"they were in training, dense or sparse")
	}
	inner := &Trainer{Config: m.Config, Threads: tr.Threads, Weights: tr.Weights, Costs: tr.Costs,
		Start: tr.Start, Prior: tr.Prior, MaxMemory: tr.MaxMemory, classes: m.Classes, until: ctx}
	if s := m.Scaling; s != nil {
		x, y = s.apply(x, y, parallel.Threads(tr.Threads), inner.stopped)
		inner.scaling = s
		for _, from := range []**Model{&inner.Start, &inner.Prior} {
			if *from != nil {
				*from = s.Unfold((*from).WithCols(m.Cols()))
			}
		}
	}
	again := *m
	if err := inner.calibrate(ctx, &again, x, y); err != nil {
		return err
	}
	if v.Sigmoids = slices.Equal(again.Calibration, m.Calibration); !v.Sigmoids {
		v.Contradict("the sigmoids are not those of the %d folds, trained anew", m.Config.Calibrate)
	}
	return nil
}
