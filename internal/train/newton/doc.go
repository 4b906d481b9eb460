// Package newton implements Newton's method with a line search for one weight vector (for a squared
// hinge loss see Keerthi and DeCoste, JMLR 6, 2005). Method solves a Problem in float64 over rows
// in float32; Iterate takes an iteration of several Methods over the same rows, and Pool holds what
// these share. The package knows no settings, models or other solvers.
//
// With margins m_i = y_i*z_i, rows x_i and row weights c_i of mean 1, a Method minimizes
//
//	lambda/2 |w|^2 + mean of c_i*f(m_i).
//
// f is the loss itself or, for a loss with a kink, a smoothed loss that differs from it in a zone
// of width h around the kink: see loss.Func.DerivativesAt. The numbers a_i = -f'(m_i) are feasible
// dual variables. With wa = mean of c_i*a_i*y_i*x_i/lambda and the conjugate of the loss,
//
//	P(w) - D(a) = S + O,  S = mean of c_i*(loss(m_i) + conjugate(-a_i) + a_i*m_i),
//	                      O = lambda/2 |w - wa|^2,
//
// exactly, so that the gap is known in each iteration. S is the smoothing gap, which exists because
// of the width h; it is 0 if the loss has no kink. O is the optimization gap, which Newton's steps
// reduce. If O is below 3 S, h is reduced such that S should end at half of the gap at which the
// method ends.
//
// The step is p = -H^-1 lambda (w - wa) with H = lambda I + mean of c_i*b_i*x_i*x_i', where b_i is
// the second derivative of f at m_i. w moves along p to about the minimum of the smoothed objective
// (line.go). H, its factor and p are rounded to float32, which is precise enough for them; w, wa
// and the margins are float64. The margins follow the steps, m += s*y*<x, p>, instead of being
// recomputed from a rounded w: errors in p and in <x, p> are then corrected by later iterations and
// do not limit the precision.
//
// These quantities only decide when to stop. The objective and the bound of a model are computed
// from its weights and the a_i by other packages, with bounds on every rounding error. If these do
// not confirm the gap, Retry continues from the weights as written, with exact margins.
//
// A bias without a penalty is an additional variable. The rows of the zone are then centered by
// their mean with the weights c_i*b_i: the Hessian has no terms that mix the bias with other
// variables, and rows far from the origin lose no digits.
package newton
