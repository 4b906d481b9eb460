package pegasos

import (
	"context"
	"errors"
	"slices"
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
	t, set, err := tr.taskOf(ctx, m, x, y, func(*task) {})
	if err != nil {
		return err
	}
	again := *m
	if err := t.calibrate(ctx, &again, set); err != nil {
		return err
	}
	if v.Sigmoids = slices.Equal(again.Calibration, m.Calibration); !v.Sigmoids {
		v.Contradict("the sigmoids are not those of the %d folds, trained anew", m.Config.Calibrate)
	}
	return nil
}
