// Package pegasos trains linear models and proves how good they are: support vector machines,
// logistic regression, ridge and support vector regression.
//
//	rows, err := dense.FromSlice(n, columns, values) // values row by row; or dataset.Read(file, ...)
//	m, err := pegasos.Train(ctx, rows, labels, pegasos.Config{}) // labels: a []float32; no settings
//	label := m.PredictDense(row)                                    // or PredictSparse, Score
//	share := m.Result.Gap                     // it is at most this share above the optimum
//	err = m.WriteFile("text.model")
//
// Rows are a [dense.Matrix] (dense.FromSlice copies values into one), a [sparse.Matrix], or any
// type of yours that is [Examples], which is trained on as it is, without scaling; package dataset
// reads them from files. https://github.com/pegasimd/pegasimd/blob/main/docs/training.md tells what
// a zero [Config] chooses, and what to choose when.
//
// # What is minimised
//
// The method is Pegasos, the primal estimated sub-gradient solver of Shalev-Shwartz, Singer, Srebro
// and Cotter (Mathematical Programming 127, 2011). It minimises
//
//	P(w) = lambda/2 |w|^2 + mean over the rows of max(0, 1 - y<w,x>)
//
// for labels y of -1 and +1; for more than two labels see [Multiclass], for other losses than the
// hinge see [Loss].
//
// # State
//
// The trainer keeps v, the sum of y*x over the steps whose row violated its margin. Before step t,
// counted from 1,
//
//	w = v / (lambda*(t-1+t0))
//
// (Eq. 13 of the paper, which has t0 = 0), so that the test y<w,x> < 1 is y<v,x> < lambda*(t-1+t0)
// and the update is v += y*x, without a shrink or a division. Other losses add g*x, where -g is the
// loss's derivative with respect to the score. A batch of k rows adds 1/k of each.
//
// The defaults of [Order], [Offset] and [Average] need a fraction of the steps of the paper's own
// choices, which [Paper] gives to the letter. Dual coordinate descent and Newton's method come far
// closer to the optimum, in less time where a proof is wanted: see [Finish].
//
// # Certificate
//
// In every order but [IID] a row is visited once an epoch, so that the share of its visits that
// violated its margin, or the mean of its g, is a feasible point of the dual problem, whose value D
// is a lower bound on the least P there is. The [Result] has P, D and the duality gap.
//
// # One answer
//
// The same rows, labels and [Config] give the same model to the bit on every machine and with any
// number of threads. A dense and a sparse matrix of the same rows agree within rounding.
//
// [Partial] trains on rows that come in chunks, package kernelsvm with kernels in place of the dot
// product, for data that need a curved boundary.
package pegasos
