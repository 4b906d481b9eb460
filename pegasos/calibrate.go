package pegasos

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/train/calibrate"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// train trains, and calibrates if that is asked for.
func (t *task) train(ctx context.Context, set *rows.Set) (*Model, error) {
	inner := *t
	inner.Progress = inTurn(1+t.Calibrate, t.Progress)
	m, err := inner.trainOnce(ctx, set, true)
	if err != nil || t.Calibrate == 0 {
		return m, err
	}
	if err = inner.calibrate(ctx, m, set); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return m, err
}

// inTurn returns a callback that makes equal runs in a row look like one; nil for nil.
func inTurn(runs int, f func(Progress)) func(Progress) {
	if f == nil || runs == 1 {
		return f
	}
	var done, last Progress
	return func(p Progress) {
		if p.Steps <= last.Steps { // the next run
			done.Epoch += last.Epoch
			done.Steps += last.Steps
			done.Violations += last.Violations
		}
		last = p
		p.Epoch += done.Epoch
		p.Steps += done.Steps
		p.Violations += done.Violations
		p.TotalSteps *= int64(runs)
		f(p)
	}
}

// calibrate fits sigmoids to the scores of each fold by a model of the same settings that is
// trained on the others. Rows count by Trainer.Weights in both, by Config.ClassWeight in training
// alone, as in scikit-learn's CalibratedClassifierCV: class weights change what a model aims at,
// not how often there is a class.
func (t *task) calibrate(ctx context.Context, m *Model, set *rows.Set) error {
	folds, labels, inner := t.Calibrate, set.Y, *t
	own := t.ownWeights(set)
	fold := Folds(labels, own, folds, t.Seed)
	inner.Calibrate, inner.KeepState, inner.Resume, inner.Pause = 0, false, nil, 0
	inner.classes = m.Classes
	var scores []float64
	var held, weights []float32 // the labels and weights of the scored rows
	z := make([]float64, len(m.Weights))
	for f := range folds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		inner.Weights = calibrate.Outside(own, fold, f)
		others, err := inner.newSet(set.X, labels)
		var part *Model
		if err == nil {
			part, err = inner.trainOnce(ctx, others, false)
		}
		if err != nil {
			return cmp.Or(ctx.Err(),
				fmt.Errorf("pegasos: calibration, fold %d of %d: %w", f+1, folds, err))
		}
		for i, label := range labels {
			if fold[i] != f {
				continue
			}
			scores, held = append(scores, part.Decision(set.X, i, z)...), append(held, label)
			if own != nil {
				weights = append(weights, own[i])
			}
		}
	}
	return m.Calibrate(scores, held, weights)
}

// ownWeights returns Trainer.Weights, with 0 for the rows of classes whose weight is 0; nil if all
// are 1.
func (t *task) ownWeights(set *rows.Set) []float32 {
	if set.Weight == nil {
		return nil
	}
	own := make([]float32, len(set.Weight))
	for i, w := range set.Weight {
		switch {
		case w == 0:
		case t.Weights == nil:
			own[i] = 1
		default:
			own[i] = t.Weights[i]
		}
	}
	return own
}

// Folds deals the rows of each label of y out to the given number of folds, in random order, as for
// stratified cross-validation, and returns the number of each row's fold: -1 for rows whose weight
// is 0; weights may be nil. Folds have equal numbers of rows, whatever these weigh. The same labels
// and seed give the same folds on every machine.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	return calibrate.Folds(y, weights, folds, seed)
}
