// Package certificate finds lower bounds on the least objective there is, from dual variables: the
// shares of rows in an optimum, or numbers near to them. binary.go and joint.go find the bounds,
// windows.go and margins.go the shares, and packed.go keeps them in a proof.
//
// The errors between the numbers of a certificate and the truth are as follows. Let P be the
// objective of the model as it is written, with exact sums, and P* the least there is. A
// certificate tells P', the objective as it was added up, and a bound D' with
//
//	D' <= P* - |P' - P|
//
// so that D' <= P', and the excess of P over P* is at most P' - D'. Every step of the way to P' and
// D' is bounded as follows. u is 2^-53, the rounding of float64; a sum of n numbers in any order
// errs by at most n u times the sum of their magnitudes.
//
// Sums. Every sum in float64 is over rows, columns or vectors, of products that took a few
// operations each, with weights whose mean was itself such a sum. One number, Sums = (8 rows +
// columns + classes + 64) u, is more than the relative error of any of them, in terms of the sum of
// the magnitudes. Where sums of sums are formed, it is taken once for each.
//
// Scores. A dot product of float32 errs by at most k 2^-24 of the sum of its products' magnitudes,
// and so by k 2^-24 |w| |x_i|, where k is the number of roundings that a product goes through:
// store.Rows.DotError. One of float64 has exact products and errs by Sums |w| |x_i|. The bias,
// the label and the loss's own constants are added in float64. The mean over the rows of the
// scores' squared errors has therefore the root
//
//	z = |w| sqrt(mean(k_i^2 |x_i|^2)) + Sums (|w| R + |b| + the loss's constants)
//
// Losses. The hinge, the log and the epsilon-insensitive loss change by no more than the score, and
// their mean by no more than z. The squared losses c/2 d^2, c being Curvature of its traits, change
// by c/2 e (2d + e) where d does by e: their mean by no more than z (sqrt(2c mean loss) + c/2 z).
// The joint losses change by no more than the largest change of any score and that of the row's own
// class together: 2z, of the longest vector.
//
// P' errs by that and by Sums (P' itself). If that is more than a hundredth of P' - D', or
// without a bound than 1e-4 P', P' is found once more from float64 dot products. With Tol it always
// is, and the runs' end is decided by it, so that it does not depend on how the rows are held.
//
// The bound. Shares are float32 numbers within their range, from any source, and are taken as they
// are. The vector u of binary.go is a sum over the rows: it errs by at most
// Sums mean(|a_i| |x_i|) <= Sums sqrt(mean(a_i^2) R^2), which is added to its length. The mean gain
// of the shares errs by Sums times the mean of the magnitudes; so does that of the entropies, to
// which floats.Log adds 2^-52 of each. A prior's scores are found anew in float64, and err by Sums
// (|w0| |x_i| + |b0|), times the shares. With an unregularised bias the shares' sums over both
// sides must be the same, and so they could be made by moving one of them a little: balance.go
// bounds the cost of that. In joint problems each row's own share is rounded to float32, and so
// known up to 2^-23 of itself.
//
// The gap of several problems is that of the means of their P' and D', and these are sums again.
package certificate
