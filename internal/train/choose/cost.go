// Package choose picks default settings from the data: the scale, the bias, lambda, the multi-class
// scheme, the solver and the length of a run. It also predicts the cost of each solver, by which
// the engine plans. Settings returns a Choice; the result depends on the data, the given settings
// and the memory limit alone. The package sits between settings and trials, which tries the lambdas
// of a Path.
package choose

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Cost is the predicted cost of the solvers on one problem, in nanoseconds of a usual machine. It
// is computed from counted operations, never measured: the choices are the same on every machine.
type Cost struct {
	Newton float64 // nanoseconds of Newton's method up to a relative gap of 1 %
	Epoch  float64 // nanoseconds of an epoch of Pegasos
	Pass   float64 // nanoseconds of a pass of the dual descent
}

// CostOf returns the cost of one problem with the loss l and the given numbers of rows and nonempty
// columns. docs/spec.md has the formulas.
func CostOf(l loss.Kind, rows, cols float64, d store.Density) (c Cost) {
	vars := cols + 1
	pass := rows * min(float64(0.08*cols), d.Nonzeros)
	row := min(float64(0.6*d.Squares), 10+float64(vars*vars)/100)
	iterations, zone := 12.0, max(float64(0.15*rows), min(rows, 3*vars))+float64(0.35*rows)
	switch {
	case l == loss.SquaredHinge:
		iterations, zone = 6, 3*rows
	case l == loss.Squared:
		iterations, zone = 3, 3*rows
	case !l.Traits().Kinks:
		iterations, zone = 6, 6*rows
	}
	solve := float64(vars*vars*vars)/180 + float64(1.5*float64(vars*vars))
	c.Newton = float64(iterations*(float64(2.5*pass)+60*rows+solve)) + float64(zone*row)
	c.Epoch = 2*pass + 20*rows
	c.Pass = 2*pass + 90*rows
	if l == loss.Squared || l == loss.SquaredHinge { // no exponentials, no mean of iterates
		c.Pass = 2*pass + 50*rows
	}
	return c
}

// Passes predicts the number of passes that the dual descent takes to a relative gap of tol. norm
// is the rows' mean squared length over lambda times the number of rows: a step with one row
// changes the margin of a similar row by about that much.
func Passes(l loss.Kind, norm, tol float64) float64 {
	per, more := 8.0, 1.3 // passes per unit of norm, and their factor for a tenth of the gap
	switch {
	case l == loss.Log:
		per = 1.5
	case l.Traits().Kinks:
		per, more = 4, 2
	}
	passes := 3 + float64(per*norm)
	for gap := 0.01; gap > max(tol, minGap); gap /= 10 {
		passes *= more
	}
	return passes
}

// Work describes a number of similar problems, by which their cost is predicted.
type Work struct {
	Loss            loss.Kind
	Problems        float64       // number of problems, of one weight vector each
	Rows, Columns   float64       // rows and nonempty columns of each problem
	R2              float64       // mean squared length of the rows, with the bias feature
	Density         store.Density // mean number of nonzeros in a row, and of its square
	Newton, Descent bool          // Newton's method and the dual descent are allowed
}

// Plan is the solver that is predicted to reach a gap at the lower cost.
type Plan struct {
	Newton bool    // the solver is Newton's method; otherwise it is the dual descent
	Passes float64 // predicted passes of the dual descent, also if Newton is set
	Cost   float64 // nanoseconds for all problems; +Inf for a descent that is not allowed
}

// To plans for a relative gap of tol: Newton's method, if it is allowed and costs no more than the
// dual descent, otherwise the descent.
func (w *Work) To(tol, lambda float64) (p Plan) {
	c := CostOf(w.Loss, w.Rows, w.Columns, w.Density)
	p.Passes = Passes(w.Loss, w.R2/float64(lambda*w.Rows), tol)
	descent := float64(p.Passes * c.Pass)
	p.Newton = w.Newton && c.Newton <= descent
	switch {
	case p.Newton:
		p.Cost = w.Problems * c.Newton
	case w.Descent:
		p.Cost = w.Problems * descent
	default:
		p.Cost = math.Inf(1)
	}
	return p
}

const minGap = 1e-5 // gap below which float32 roundings, and not passes, limit the progress
