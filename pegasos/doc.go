// Package pegasos trains linear models and computes a proof of how close a model is to the optimum:
// support vector machines, logistic regression, ridge regression and support vector regression.
//
//	x, err := dense.FromSlice(n, columns, values)        // n rows, row by row; or dataset.Read
//	m, err := pegasos.Train(ctx, x, y, pegasos.Config{}) // y []float32: a label for each row
//	label := m.PredictDense(row)                         // or PredictSparse, Score
//	gap := m.Result.Gap                                  // objective <= (1+gap) * optimum
//	err = m.WriteFile("text.model")
//
// Rows are a [dense.Matrix], a [sparse.Matrix], or a user-defined type that implements [Examples].
// Package dataset reads matrices from files. With a zero [Config], Train chooses the settings from
// the data:
// https://github.com/pegasimd/pegasimd/blob/main/docs/training.md lists the choices and says when
// to set a field. Rows of a user-defined type are not scaled by default.
//
// # Objective
//
// The basic solver is Pegasos, the primal estimated sub-gradient solver of Shalev-Shwartz, Singer,
// Srebro and Cotter (Mathematical Programming 127, 2011). It minimizes
//
//	P(w) = lambda/2 |w|^2 + mean over the rows of max(0, 1 - y<w,x>)
//
// for labels y of -1 and +1. For more than two labels see [Multiclass], for losses other than the
// hinge see [Loss].
//
// [Paper] returns the paper's choices, from which the defaults of [Order], [Offset] and [Average]
// differ. [Finish] selects other solvers.
//
// # Certificate
//
// In every order but [IID] Pegasos's steps visit each row once an epoch. Without an unpenalized
// bias, the share of a row's visits that violated the margin is then a feasible dual variable; for
// losses other than the hinge it is the mean of minus the loss's derivative by the score. The dual
// objective D of these variables is a lower bound on the minimum of P. [Result] holds P, D and the
// relative duality gap (P-D)/D.
//
// # Reproducibility
//
// The same rows, labels and [Config] give the same model, to the bit, on every machine and with any
// number of threads. A dense and a sparse matrix with the same rows may give different models.
//
// # Other trainers
//
// [Partial] trains on rows that arrive in chunks. Package kernelsvm trains with kernels in place of
// the dot product. Package table trains on tables with words, texts, dates and gaps.
package pegasos
