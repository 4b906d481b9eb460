package kernelsvm

import (
	"cmp"
	"context"

	"github.com/pegasimd/pegasimd/internal/base/misuse"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Train trains a kernel support vector machine on the rows of x with the labels y, one for each
// row. Two labels make one problem, in which the larger label is +1. More labels make one problem
// for each pair of labels, or for each label against all others: see Config.Multiclass.
//
// Train returns a *[pegasos.RowError] for unusable data, a *[pegasos.ConfigError] for a bad
// setting, and a *[pegasos.StepError] for numbers beyond float32. If ctx is done before the run
// ends, Train returns ctx.Err() and the model so far. The model's objective, bound and gap are then
// NaN, and its coefficients are 0 in problems that had not begun.
func Train(ctx context.Context, x pegasos.Examples, y []float32, cfg Config) (*Model, error) {
	return (&Trainer{Config: cfg}).Train(ctx, x, y)
}

// Train trains a model as the function [Train] does, with the settings of tr.
func (tr *Trainer) Train(ctx context.Context, x pegasos.Examples, y []float32) (*Model, error) {
	misuse.Context(ctx)
	r, err := newRun(tr, x, y)
	if err == nil {
		err = r.solve(ctx)
	}
	if err != nil {
		return nil, publicError(err)
	}
	stopped := ctx.Err()
	m, err := r.model(tr.Func, stopped == nil)
	if err != nil || stopped != nil {
		return m, cmp.Or(publicError(err), stopped)
	}
	if tr.Fingerprint {
		m.Data = store.Fingerprint(x, y, r.threads, func() bool { return false })
	}
	return m, nil
}
