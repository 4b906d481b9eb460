package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Train trains a model on the rows of x with the labels y, one for each row. With two distinct
// labels the larger one is +1; for more labels, and for a joint Multiclass, see [Multiclass]. For
// the losses Squared and EpsInsensitive y holds regression targets.
//
// The error is a *[RowError] for a row that can't be used, a *[ConfigError] for a setting that
// can't be used, and a *[StepError] if numbers leave the range of float32. If ctx is done before
// the run is over, Train returns ctx.Err() and the model so far. This model may be nil, and its
// objective and bound may be NaN. With any other error but [ErrPaused] the model is nil.
func Train(ctx context.Context, x Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// Train is like the function [Train], with the settings and inputs of tr.
func (tr *Trainer) Train(ctx context.Context, x Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	if tr.Holdout != 0 {
		return tr.trainHoldout(ctx, x, y)
	}
	t := &task{Trainer: *tr}
	if ctx.Err() == nil {
		t.prepareCtx = ctx
	}
	set, err := t.prepare(x, y)
	if err != nil {
		return nil, err
	}
	m, err := t.train(ctx, set)
	if m != nil {
		if bad := m.checkFinite(); bad != nil {
			return nil, &StepError{m.Result.Steps, -1, bad.Error() + ": " + store.TooLarge}
		}
	}
	return m, err
}

// Choose returns cfg, the Config that Train without Holdout would use, and r2, the mean squared
// norm of the scaled rows without an appended feature. Epsilon is in the units of the scaled
// targets. If the rows have to be scaled, Choose scales a copy, which counts toward MaxMemory.
func (tr *Trainer) Choose(ctx context.Context, x Examples, y []float32) (cfg Config, r2 float64,
	err error) {
	misuse.Context(ctx)
	t := &task{Trainer: *tr, prepareCtx: ctx}
	set, err := t.prepare(x, y)
	if err != nil {
		return cfg, 0, err
	}
	if t.scale != nil {
		return t.Config.Plain(), t.scale.R2, nil
	}
	if err := set.Measure(); err != nil {
		return cfg, 0, publicError(err)
	}
	r2, _ = set.MeanNorm()
	return t.Config.Plain(), r2, nil
}

// Measure returns the Result of the model so far. Call Measure only during the callback.
func (p Progress) Measure() Result { return Result(p.session.Point().Result) }

// Model returns the model so far, with a Result, and with a State if Trainer.KeepState is set. Call
// Model only during the callback.
func (p Progress) Model() *Model { return p.task.model(p.session, p.session.Point(), true) }
