package kernelsvm

import (
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// CrossPredict returns the labels predicted by cross-validation: a model trained on the other folds
// predicts the rows of a fold. [pegasos.Folds] assigns the folds, with Seed.
func (tr *Trainer) CrossPredict(ctx context.Context, x pegasos.Examples, y []float32,
	folds int) ([]float32, error) {
	if err := options.CheckRows(x, tr.MaxMemory); err != nil {
		return nil, publicError(err)
	}
	if err := store.CheckLabels(x, y, 31); err != nil {
		return nil, err
	}
	n := len(y)
	bad := options.Range("folds", folds, 2, n, fmt.Sprintf("2 to the number of rows, %d", n))
	if err := bad.Err(); err != nil {
		return nil, publicError(err)
	}
	fold := pegasos.Folds(y, nil, folds, tr.Seed)
	m, _ := store.MatrixFrom(x, kernel.UpTo(n))
	predicted := make([]float32, n)
	for f := range folds {
		var rows, held []int32
		var labels []float32
		for i := range y {
			if fold[i] == f {
				held = append(held, int32(i))
			} else {
				rows, labels = append(rows, int32(i)), append(labels, y[i])
			}
		}
		inner := *tr
		inner.Progress = nil
		part, err := inner.Train(ctx, store.TakeMatrix(m, rows).Examples(), labels)
		switch bad := err.(type) {
		case *pegasos.RowError:
			bad.Row = int(rows[bad.Row])
		case *pegasos.StepError:
			if bad.Row >= 0 {
				bad.Row = int(rows[bad.Row])
			}
		}
		if err != nil {
			return nil, fmt.Errorf("pegasos: training without fold %d of %d: %w", f+1, folds, err)
		}
		for k, label := range part.PredictAll(store.TakeMatrix(m, held).Examples()) {
			predicted[held[k]] = label
		}
	}
	return predicted, nil
}
