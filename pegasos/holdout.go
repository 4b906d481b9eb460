package pegasos

import (
	"cmp"
	"context"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

func (tr *Trainer) trainHoldout(ctx context.Context, x Examples, y []float32) (*Model, error) {
	cfg := tr.Config
	if err := cmp.Or(cfg.Validate(), tr.validateHoldout()); err != nil {
		return nil, err
	}
	held, rest, err := tr.split(ctx, x, y, tr.Loss.Regression(), tr.Seed)
	if err != nil {
		return nil, err
	}
	inner := *tr
	inner.Holdout, inner.Weights = 0, rest.Weights
	m, err := inner.Train(ctx, rest.X, rest.Y)
	if err != nil {
		return m, rest.renumber(err)
	}
	if m.Result.HeldOut, err = m.Estimate(&held.Labelled); err != nil {
		return nil, configErrorf("Holdout", "the rows held out (%d): %v", len(held.Y),
			held.renumber(err))
	}
	m.Result.HeldOut.Share = tr.Holdout
	return m, nil
}

func (tr *Trainer) verifyHoldout(ctx context.Context, m *Model, x Examples, y []float32,
	o VerifyOptions) (*Verification, error) {
	if err := cmp.Or(m.Validate(), tr.validateHoldout()); err != nil {
		return nil, err
	}
	_, rest, err := tr.split(ctx, x, y, m.Classes == nil, m.Config.Seed)
	if err != nil {
		return nil, err
	}
	inner := *tr
	inner.Holdout, inner.Weights = 0, rest.Weights
	v, err := inner.Verify(ctx, m, rest.X, rest.Y, o)
	return v, rest.renumber(err)
}

func (tr *Trainer) validateHoldout() error {
	if !proof.GoodShare(tr.Holdout) {
		return configErrorf("Holdout", "have %v, want a share of the rows, more than 0 and less "+
			"than 1", tr.Holdout)
	}
	for name, given := range map[string]bool{"Start": tr.Start != nil, "Prior": tr.Prior != nil,
		"Resume": tr.Resume != nil, "KeepState": tr.KeepState, "Pause": tr.Pause != 0} {
		if given {
			return configErrorf("Holdout", "it can't be combined with %s", options.Name(name))
		}
	}
	return nil
}

type part struct {
	Labelled
	rows []int // index of each row among all rows
}

// renumber replaces the row index in err, an index in p, by an index among all rows.
func (p *part) renumber(err error) error {
	switch err := err.(type) {
	case *RowError:
		err.Row = p.rows[err.Row]
	case *StepError:
		if err.Row >= 0 {
			err.Row = p.rows[err.Row]
		}
	}
	return err
}

func (tr *Trainer) split(ctx context.Context, x Examples, y []float32, regression bool,
	seed uint64) (held, rest *part, err error) {
	if err := store.CheckExamples(x); err != nil {
		return nil, nil, err
	}
	set, err := store.NewSet(x, y, store.SetOptions{Regression: regression, Weights: tr.Weights})
	if err != nil {
		return nil, nil, publicError(err)
	}
	stopped := func() bool { return ctx.Err() != nil }
	hashes := store.Hashes(set.X, parallel.Threads(tr.Threads), stopped)
	if stopped() {
		return nil, nil, ctx.Err()
	}
	out, in := store.HoldOut(set.Labeled(hashes), seed, tr.Holdout)
	if len(out) == 0 {
		return nil, nil, configErrorf("Holdout", "have %v, which holds out none of %s: want a "+
			"larger share or more distinct rows", tr.Holdout, plural.Count(x.Rows(), "row"))
	}
	take := func(rows []int) *part {
		d := &part{rows: rows}
		at := make([]uint32, len(rows))
		for k, i := range rows {
			at[k] = uint32(i)
			d.Y = append(d.Y, y[i])
			if tr.Weights != nil {
				d.Weights = append(d.Weights, tr.Weights[i])
			}
		}
		d.X = set.X.Take(at).(store.Matrix).Examples()
		return d
	}
	return take(out), take(in), nil
}

// Estimate returns the accuracy of m on the rows d, or R^2 for regression, with the standard error.
// d should hold no training rows. Equal rows count as one observation in the standard error. A
// label that is not one of the model's classes counts as a mistake. Estimate returns an error if no
// row has a weight above 0, if a score or target of such a row is too large or not finite, or if
// all targets are equal.
func (m *Model) Estimate(d *Labelled) (*Estimate, error) {
	hashes := store.Hashes(d.X, 1, func() bool { return false })
	groups := map[uint64]int32{}
	for i, h := range hashes {
		if _, ok := groups[h]; !ok {
			groups[h] = int32(i)
		}
	}
	var errs proof.Errors
	scores := m.DecisionAll(d.X)
	outputs := len(scores) / max(1, len(d.Y))
	for i, y := range d.Y {
		of, weight := scores[i*outputs:][:outputs], float64(floats.At(d.Weights, i, 1))
		if m.Classes == nil {
			errs.Number(groups[hashes[i]], float64(y), of[0], weight)
			continue
		}
		class := m.Class(of)
		if class < 0 && weight > 0 {
			return nil, newRowError(i, "a score is not finite")
		}
		errs.Class(groups[hashes[i]], class >= 0 && m.Classes[class] == y, weight)
	}
	return errs.Estimate()
}
