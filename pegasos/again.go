package pegasos

import (
	"context"
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/calibrate"
)

// This file has the second try of a run whose settings the data chose, where the first one did
// hardly better than a constant: a signal in small differences of columns that go together needs a
// smaller lambda than others, and Newton's method, which reaches the optimum whatever their scales.

const (
	hardlyBetter  = 0.9  // of a constant's loss: an objective above that is of no use
	smallerLambda = 1e-3 // of that of the first try
	fewerMistakes = 0.7  // of those of the first try, or that is kept
	heldOut       = 4    // a part of so many has the rows on which the mistakes are counted
	rowsToTry     = 100  // the least, for the mistakes to tell something
)

// secondTry says in the model that it is from one.
const secondTry = "a second try, with a thousandth of the lambda: the first did hardly better " +
	"than a constant"

// mayTryAgain reports whether all that a second try changes was left to the data by the trainer.
func (c *choice) mayTryAgain(asked *Trainer) bool {
	if asked.Resume != nil {
		return asked.Resume.State != nil && asked.Resume.State.saved.Again
	}
	return asked.Config.isOpen() && asked.Start == nil && asked.Prior == nil &&
		asked.Costs == nil && c.cols() <= fewColumns && c.columns.Rows >= rowsToTry &&
		c.again(asked).Config.Validate() == nil
}

// isOpen reports whether the data choose what there is to choose for classes, and no rule ends the
// run early.
func (cfg *Config) isOpen() bool {
	chosen := Config{Loss: cfg.Loss, Epsilon: cfg.Epsilon, Order: cfg.Order, Block: cfg.Block,
		Batch: cfg.Batch, Shards: cfg.Shards, Project: cfg.Project, Offset: cfg.Offset,
		Average: cfg.Average, Bias: cfg.Bias, BiasScale: cfg.BiasScale, Seed: cfg.Seed}
	return *cfg == chosen && !cfg.Loss.Regression()
}

// again returns the trainer of the second try.
func (c *choice) again(asked *Trainer) *Trainer {
	next := *asked
	cfg := &next.Config
	if asked.Resume != nil {
		*cfg, next.Resume = asked.Resume.Config, nil
		cfg.Epochs, cfg.Steps, cfg.Tol = 0, 0, 0
	}
	cfg.Scale, cfg.Bias, cfg.BiasScale = c.trainer.Scale, c.trainer.Bias, c.trainer.BiasScale
	cfg.Multiclass = c.trainer.Multiclass
	if cfg.Multiclass.Joint() {
		cfg.Multiclass = OneVsOne
	}
	cfg.Loss = c.trainer.Loss
	cfg.Lambda = float64(smallerLambda * c.trainer.Lambda)
	cfg.Finish = FinishNewton
	next.Pause, next.Progress = 0, nil
	return &next
}

// constantLoss returns the mean loss of the best constant: of pairs of classes, that of the pairs.
func (c *choice) constantLoss() float64 {
	if c.trainer.Multiclass != OneVsOne {
		return constantLoss(c.trainer.Loss, c.shares)
	}
	sum, pairs := 0.0, 0.0
	for b, p := range c.shares {
		for _, q := range c.shares[:b] {
			if p+q > 0 {
				sum += constantLoss(c.trainer.Loss, []float64{p / (p + q), q / (p + q)})
				pairs++
			}
		}
	}
	return sum / pairs
}

// constantLoss returns the loss of the best constant for classes with these shares of the rows.
func constantLoss(loss Loss, shares []float64) float64 {
	most := slices.Max(shares)
	switch loss {
	case Log:
		entropy := 0.0
		for _, p := range shares {
			if p > 0 {
				entropy -= float64(p * floats.Log(p))
			}
		}
		return entropy
	case SquaredHinge:
		return min(1, float64(4*most*(1-most)))
	}
	return min(1, 2*(1-most))
}

// trainAgain returns the model of a second try in place of m if that did hardly better than a
// constant, and a second one, trained without a quarter of the rows, is much better on these.
func (c *choice) trainAgain(ctx context.Context, asked *Trainer, m *Model, x Examples,
	y []float32) (*Model, error) {
	if c.shares == nil {
		if err := c.readLabels(); err != nil {
			return m, nil // can't be: the run has read them
		}
	}
	if !(m.Result.Objective > float64(hardlyBetter*c.constantLoss())) {
		return m, nil
	}
	test := Folds(y, asked.Weights, heldOut, asked.Seed)
	next := c.again(asked)
	next.until = ctx
	c.x, c.rows = nil, nil // their memory is for the next rows
	part := *next
	part.Weights = calibrate.Outside(asked.Weights, test, 0)
	part.KeepState, part.KeepProof = false, false
	trial, err := part.trainSecond(ctx, x, y)
	if err != nil || !fewer(trial, m, test, x, y) {
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
	c, err := tr.choose(x, y)
	if err != nil {
		return nil, err
	}
	if s := c.trainer.scaling; s != nil {
		s.Note = secondTry
	}
	m, err := c.trainer.train(ctx, c.x, c.y)
	if err != nil {
		return nil, err
	}
	return c.trainer.scaling.Fold(m), nil
}

// fewer reports whether second makes so few mistakes on the rows of fold 0 that it is to be taken
// in place of first, although that was trained on them.
func fewer(second, first *Model, fold []int, x Examples, y []float32) bool {
	var mistakes [2]float64
	for k, m := range []*Model{first, second} {
		for i, v := range m.PredictAll(x) {
			if fold[i] == 0 && v != y[i] {
				mistakes[k]++
			}
		}
	}
	return mistakes[1] < float64(fewerMistakes*mistakes[0])
}
