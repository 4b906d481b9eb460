// Package newton trains one weight vector by Newton's method. With the margins m_i = y_i*z_i, rows
// x_i and weights c_i of mean 1, it minimises
//
//	lambda/2 |w|^2 + mean of c_i*f(m_i),
//
// where f is the loss, or where that has a kink a loss without one, that differs from it in a zone
// of width h around the kink: see loss.Func.Bent. With a_i = -f'(m_i), which are dual variables
// within their bounds, and wa = mean of c_i*a_i*y_i*x_i/lambda,
//
//	P(w) - D(a) = S + O,  S = mean of c_i*(loss(m_i) - least(a_i) + a_i*m_i),
//	                      O = lambda/2 |w - wa|^2,
//
// exactly: the gap is known at each step, and says what to do. O is what Newton's steps make small,
// S what h is the reason of. Where O is below 3 S the zone is made narrower, such that S should end
// at half of what is wanted.
//
// The step is p = -H^-1 lambda (w - wa) with H = lambda I + mean of c_i*f”(m_i)*x_i*x_i', and w
// moves along p as far as the least of the smoothed objective, or nearly (line.go). H, its
// factor and p are float32 and need not be better. w, wa and the margins are float64. The margins
// are not those of the rounded w but follow its steps, m += s*y*<x, p>, so that what is rounded off
// p and <x, p> is no reason to stop short of the optimum: Newton's method is its own refinement.
//
// All this decides when to stop, and no more: what is told of the model is found anew from its
// weights and the a_i, with every rounding accounted for. If that does not confirm what the
// method believes, it goes on from the weights as they are written, with their exact margins.
//
// A bias without a penalty is a variable more. The rows of the zone are centred then, by their mean
// with the weights c_i*f”(m_i): so the bias and the other variables don't meet in H, and rows far
// from the origin cost no digits.
package newton
