package kernelsvm

import (
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/pegasos"
)

// CrossPredict returns predicted labels from cross-validation: the rows of each label are
// distributed over the folds at random, by Seed, as [pegasos.Folds] does, and the labels of each
// fold are predicted by a model trained on the other folds. Compare the accuracy of the predictions
// to choose Gamma and Lambda.
func (tr *Trainer) CrossPredict(ctx context.Context, x pegasos.Examples, y []float32,
	folds int) ([]float32, error) {
	if err := tr.checkColumns(x); err != nil {
		return nil, err
	}
	n := x.Rows()
	if len(y) != n {
		return nil, fmt.Errorf("pegasos: %d labels for %d rows", len(y), n)
	}
	if folds < 2 || folds > n {
		return nil, badField("folds", "have %d, want 2 to the number of rows, %d", folds, n)
	}
	if n > maxRows {
		return nil, fmt.Errorf("pegasos: %d rows: want fewer than 2^31", n)
	}
	fold := pegasos.Folds(y, nil, folds, tr.Seed)
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	m, _ := store.MatrixFrom(x, all)
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
		if err != nil {
			return nil, fmt.Errorf("pegasos: fold %d of %d: %w", f+1, folds, err)
		}
		for k, label := range part.PredictAll(store.TakeMatrix(m, held).Examples()) {
			predicted[held[k]] = label
		}
	}
	return predicted, nil
}
