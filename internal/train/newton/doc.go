// Package newton implements Newton's method with a line search for one weight vector (for a squared
// hinge loss see Keerthi and DeCoste, JMLR 6, 2005). A Method solves a Problem. Iterate runs one
// iteration of several Methods over the same rows.
//
// With rows x_i, scores z_i, margins m_i = y_i*z_i - t_i (the targets t_i are 0 unless the problem
// is a regression or has a prior) and row weights c_i of mean 1, a Method minimizes
//
//	lambda/2 |w|^2 + mean of c_i*f(m_i).
//
// f is the loss or, for a loss with kinks, a smoothed loss that differs only in the zone, within
// h/2 of a kink: see loss.Func.DerivativesAt. The numbers a_i = -f'(m_i) are feasible dual
// variables, but gap in step.go has to scale some of them if the bias has no penalty. With wa =
// mean of c_i*a_i*y_i*x_i/lambda and the conjugate of the loss,
//
//	P(w) - D(a) = S + O,  S = mean of c_i*(loss(m_i) + conjugate(-a_i) + a_i*m_i),
//	                      O = lambda/2 |w - wa|^2,
//
// for feasible a. S is the smoothing gap, 0 if the loss has no kink and no a_i was scaled. O is the
// optimization gap, which Newton's steps reduce. While O is below 3 S and h is above its minimum,
// the Method reduces h.
//
// The step is p = -H^-1 lambda (w - wa) with H = lambda I + mean of c_i*b_i*x_i*x_i', where b_i is
// the second derivative of f at m_i. The line search moves w along p to about the minimum of the
// smoothed objective. The factor of H and p are float32; w, wa and the margins are float64. A step
// of length s updates the margins, m += s*y*<x, p>, so that later iterations correct the errors in
// p and its products.
//
// The rounding errors of P and D are not bounded here. If a proof does not confirm the gap, Retry
// continues from the best weights, rounded to float32, and float64 dot products.
//
// With a bias without a penalty, the rows of the zone are centered by their mean, weighted by
// c_i*b_i: then the Hessian has no terms that mix the bias with other variables.
package newton
