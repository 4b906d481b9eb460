// Package certificate computes lower bounds on the optimum of a training problem from dual
// variables, one for each row, or for each row and class of a joint problem. Any feasible dual
// variables give a bound, the dual objective. The package also computes dual variables, and reads
// and writes proof files.
//
// The bound includes every rounding error, as follows. Let P be the exact objective of the written
// model, and P* the optimum. A certificate is P', the computed objective, and a bound D' with
//
//	D' <= P* - |P' - P|
//
// so that D' <= P', and P exceeds P* by at most P' - D'. Below, e0 is 2^-53, the relative rounding
// error of float64. A sum of n numbers in any order has an error of at most n e0 times the sum of
// their magnitudes.
//
// Sums. Every float64 sum runs over rows, columns or vectors, and each addend is the result of a
// few operations. The mean by which the rows' weights were divided is such a sum, too. One number,
// SumError = (8 rows + columns + classes + 64) e0, exceeds the error of each sum, relative to the
// sum of the magnitudes of the addends. For a sum of sums, both errors are added.
//
// Scores. A float32 dot product of row i has an error of at most d_i, store.Rows.DotError, times
// the sum of its products' magnitudes, and so of at most d_i |w| |x_i|. A float64 dot product has
// an error of at most SumError |w| |x_i|. The bias, the label and the loss's constants are added in
// float64. The root mean square error of the scores is therefore at most z, where R^2 is the mean
// of |x_i|^2:
//
//	z = |w| sqrt(mean(d_i^2 |x_i|^2)) + SumError (|w| R + |b| + the loss's constants)
//
// Losses. A loss whose derivative is at most s in magnitude (1 for the hinge, the log and the
// epsilon-insensitive loss) changes by at most s times the change of the score, and its mean by s
// z. A loss with a second derivative of at most c, Traits.Curvature, changes by at most c/2 e (2d +
// e) if its derivative is c d and the score changes by e; its mean changes by at most z (sqrt(2c
// mean loss) + c/2 z). A joint loss changes by at most the largest change of any score plus the
// change of the own class's score, and its mean by at most 2z, where z is computed for the longest
// vector.
//
// The error of P' is at most the error of the mean loss plus SumError P'. If a scaling is folded
// into the weights, the rounding of the folded weights and biases is added: see objective.Measure.
//
// The bound. Dual variables are float32 numbers in their range, and count as exact. The vector u of
// binary.go is a sum over the rows. Its error is at most SumError mean(|a_i| |x_i|) <= SumError
// sqrt(mean(a_i^2) R^2), which is added to its length. The mean of the linear terms has an error of
// at most SumError times the mean of their magnitudes. For the error of the mean entropy see
// maximize, for an unpenalized bias balance.go. A prior's scores are computed again in float64,
// with an error of SumError (|w0| |x_i| + |b0|), times the dual variables. In joint problems each
// row's own dual variable is rounded to float32, with a relative error up to 2^-23.
//
// The gap of several problems is the gap of the means of P' and D', which are such sums, too.
package certificate
