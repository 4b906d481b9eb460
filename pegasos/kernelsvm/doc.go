// Package kernelsvm trains support vector machines with kernels, for data that want a curved
// boundary, and proves how good they are.
//
//	m, err := kernelsvm.Train(ctx, rows, labels, kernelsvm.Config{Kernel: kernelsvm.RBF})
//	predicted := m.PredictAll(others)
//
// # What is minimised
//
// The method is Pegasos, the primal estimated sub-gradient solver (Fig. 3 of Shalev-Shwartz,
// Singer, Srebro and Cotter, Mathematical Programming 127, 2011). It minimises
//
//	P(w) = lambda/2 |w|^2 + mean over the rows of max(0, 1 - y<w,phi(x)>)
//
// where phi maps a row to features that are never written down: the kernel k(x,z) = <phi(x),phi(z)>
// is all that is needed of it. A model is a sum over some of the rows, the support rows:
//
//	score(x) = sum over the support rows of coefficient*k(row,x)
//
// Options that linear training has too are those of package pegasos, and mean the same.
// [docs/kernelised.md] says how a run goes and what it takes, and [docs/spec.md] what it computes,
// to the bit.
//
// # Length
//
// Training takes some rows*rows kernel values, and a prediction one for each support row. From some
// 100,000 rows on, or where accuracy is as good without a kernel, take package pegasos.
//
// # Certificate
//
// As in package pegasos a [Result] has a bound on the optimum, so that it is known how far from it
// the model can be at most. The default ends within 1 %.
//
// [docs/kernelised.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/kernelised.md
// [docs/spec.md]: https://github.com/pegasimd/pegasimd/blob/main/docs/spec.md
package kernelsvm
