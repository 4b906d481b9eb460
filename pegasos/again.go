package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/train/calibrate"
	"github.com/pegasimd/pegasimd/internal/train/choose"
)

// trainAgain returns the model of a second try in place of m, that of the first, if one that is
// trained without a part of the rows is much better on these. chosen are the settings of the first.
func (tr *Trainer) trainAgain(ctx context.Context, chosen Config, m *Model, x Examples,
	y []float32) (*Model, error) {
	next := *tr
	if r := tr.Resume; r != nil {
		next.Config, next.Resume = r.Config, nil
		next.Epochs, next.Steps, next.Tol = 0, 0, 0
	}
	next.Config = fromSettings(choose.Again(next.Config.settings(), chosen.settings()))
	next.Pause, next.Progress = 0, nil
	part := next
	test := Folds(y, tr.Weights, choose.HeldOut, tr.Seed)
	part.Weights = calibrate.Outside(tr.Weights, test, 0)
	part.KeepState, part.KeepProof = false, false
	trial, err := part.trainSecond(ctx, x, y)
	if err != nil || !choose.Fewer(trial.mistakes(x, y, test), m.mistakes(x, y, test)) {
		return m, ctx.Err() // the first one is a model
	}
	second, err := next.trainSecond(ctx, x, y)
	if err != nil {
		return m, ctx.Err()
	}
	return second, nil
}

// trainSecond trains with the settings of the second try.
func (tr *Trainer) trainSecond(ctx context.Context, x Examples, y []float32) (*Model, error) {
	t := &task{Trainer: *tr, until: ctx}
	set, err := t.prepare(x, y)
	if err != nil {
		return nil, err
	}
	if t.scale != nil {
		t.scale.Note = choose.SecondTry
	}
	return t.train(ctx, set)
}

// mistakes counts those on the rows of fold 0.
func (m *Model) mistakes(x Examples, y []float32, fold []int) (n int) {
	for i, v := range m.PredictAll(x) {
		if fold[i] == 0 && v != y[i] {
			n++
		}
	}
	return n
}
