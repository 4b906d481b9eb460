// Package newton implements Newton's method with a line search for one weight vector (for a squared
// hinge loss see Keerthi and DeCoste, JMLR 6, 2005). Iterate runs one iteration of several Methods,
// one per Problem, over the same rows. A Pool holds the rows and the buffers that these Methods
// share.
//
// With rows x_i, scores z_i, margins m_i = y_i*z_i - t_i (the targets t_i are 0 unless the problem
// is a regression or has a prior) and row weights c_i of mean 1, a Method minimizes
//
//	lambda/2 |w|^2 + mean of c_i*f(m_i).
//
// f is the loss itself or, for a loss with kinks, a smoothed loss that differs from it only in the
// zone, within h/2 of a kink: see loss.Func.DerivativesAt. The numbers a_i = -f'(m_i) are feasible
// dual variables if the bias has a penalty or there is none. Otherwise gap in step.go makes them
// feasible by scaling some of them. With wa = mean of c_i*a_i*y_i*x_i/lambda and the conjugate of
// the loss,
//
//	P(w) - D(a) = S + O,  S = mean of c_i*(loss(m_i) + conjugate(-a_i) + a_i*m_i),
//	                      O = lambda/2 |w - wa|^2,
//
// exactly, for feasible a. S is the smoothing gap, which is 0 if the loss has no kink and no a_i
// was scaled. O is the optimization gap, which Newton's steps reduce. While O is below 3 S and h is
// above its minimum, the Method reduces h.
//
// The step is p = -H^-1 lambda (w - wa) with H = lambda I + mean of c_i*b_i*x_i*x_i', where b_i is
// the second derivative of f at m_i. The line search moves w along p to about the minimum of the
// smoothed objective. The factor of H and the weights' direction p are float32; w, wa and the
// margins are float64. A step of length s updates the margins, m += s*y*<x, p>, instead of
// recomputing them from a rounded w, so that later iterations correct the errors in p and its
// products.
//
// P and D as computed here prove nothing, because their rounding errors are not bounded. If a proof
// does not confirm the gap, Retry continues from the best weights, rounded to float32, and float64
// dot products.
//
// A bias without a penalty is an additional variable. The rows of the zone are then centered by
// their mean, weighted by c_i*b_i, because the Hessian of the centered rows has no terms that mix
// the bias with other variables.
package newton
