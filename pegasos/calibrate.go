package pegasos

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
)

func (t *task) train(ctx context.Context, set *store.Set) (*Model, error) {
	inner := *t
	inner.Progress = joinProgress(1+t.Calibrate, t.Progress)
	m, err := inner.trainOnce(ctx, set, true)
	if err != nil || t.Calibrate == 0 {
		return m, err
	}
	if err = inner.calibrate(ctx, m, set); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return m, err
}

// joinProgress returns a callback that reports consecutive runs to f as if they were one run.
func joinProgress(runs int, f func(Progress)) func(Progress) {
	if f == nil || runs == 1 {
		return f
	}
	var done, last Progress
	var total int64 // an upper bound: later runs lack the rows of a fold
	return func(p Progress) {
		if total == 0 {
			total = p.TotalSteps * int64(runs)
		}
		if last.session != nil && p.session != last.session {
			done.Epoch += last.Epoch
			done.Steps += last.Steps
			done.Violations += last.Violations
		}
		last = p
		p.Epoch += done.Epoch
		p.Steps += done.Steps
		p.Violations += done.Violations
		p.TotalSteps = total
		f(p)
	}
}

// Class weights other than 0 do not weight the rows to which sigmoids are fitted: they change the
// objective, not the frequency of a class.
func (t *task) calibrate(ctx context.Context, m *Model, set *store.Set) error {
	folds, labels, inner := t.Calibrate, set.Y, *t
	own := calibrate.OwnWeights(t.Weights, set.Weight)
	fold := Folds(labels, own, folds, t.Seed)
	inner.Calibrate, inner.KeepState, inner.Resume, inner.Pause = 0, false, nil, 0
	inner.classes = m.Classes
	var scores []float64
	var scoredLabels, weights []float32 // of the scored rows
	var scoredRows []int
	z := make([]float64, len(m.Weights))
	for f := range folds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !slices.Contains(fold, f) {
			continue // no rows to score: there are more folds than rows
		}
		inner.Weights = calibrate.Outside(own, fold, f)
		others, err := inner.newSet(set.X, labels)
		var part *Model
		if err == nil {
			part, err = inner.trainOnce(ctx, others, false)
		}
		if err != nil {
			return cmp.Or(ctx.Err(),
				fmt.Errorf("pegasos: calibration, training without fold %d of %d: %w", f+1, folds, err))
		}
		for i, label := range labels {
			if fold[i] != f {
				continue
			}
			scores = append(scores, part.Decision(set.X, i, z)...)
			scoredLabels, scoredRows = append(scoredLabels, label), append(scoredRows, i)
			if own != nil {
				weights = append(weights, own[i])
			}
		}
	}
	err := m.fitSigmoids(scores, scoredLabels, weights)
	if bad, is := err.(*RowError); is {
		bad.Row = scoredRows[bad.Row]
	}
	return err
}

// Folds assigns the rows with the labels y to folds at random, the rows of each label evenly. It
// returns each row's fold, from 0 to folds-1, or -1 for a row of weight 0. Nil weights are ones.
// Equal arguments give equal folds on every machine. Folds panics if folds is below 1, or if
// weights is not nil and differs in length from y.
func Folds(y, weights []float32, folds int, seed uint64) []int {
	return calibrate.Folds(y, weights, folds, seed)
}
