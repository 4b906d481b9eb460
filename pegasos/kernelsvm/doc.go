// Package kernelsvm trains kernel support vector machines, for data whose classes no hyperplane
// separates well. With most settings it bounds how far a model is from the optimum. [Train] returns
// a [Model], which predicts labels and can be written to a file and read again with [Read]:
//
//	m, err := kernelsvm.Train(ctx, rows, labels, kernelsvm.Config{Kernel: kernelsvm.RBF})
//	predicted := m.PredictAll(others)
//
// # Objective
//
// Training runs kernelized Pegasos, the primal estimated sub-gradient solver (Fig. 3 of
// Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127, 2011), by default
// followed by dual coordinate ascent. Both minimize
//
//	P(w) = lambda/2 |w|^2 + mean over the rows of max(0, 1 - y<w,phi(x)>)
//
// where phi maps a row to features and the kernel k(x,z) is <phi(x),phi(z)>. The trainer evaluates
// k, not phi. A model is a sum over some of the training rows, the support vectors, which the API
// calls support rows:
//
//	score(x) = sum over the support rows of coefficient*k(row,x)
//
// [docs/kernelised.md] describes a run and its cost, and [docs/spec.md] specifies kernel values and
// scores.
//
// A [Result] has a lower bound on the optimum. The bound is NaN where none is proven, as with the
// kernel Sigmoid, the order IID, or fewer steps than rows.
//
// # Cost
//
// Training computes on the order of rows*rows kernel values. A prediction computes one kernel value
// for each support row, or none with the kernel Linear. From about 100,000 rows on, or where a
// linear model is as accurate, use package pegasos.
//
// [docs/kernelised.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/kernelised.md
// [docs/spec.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/spec.md
package kernelsvm
