// Package choose has what is chosen by the data where the settings say nothing, and what the ways
// to the end of a run cost.
package choose

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// A Cost is what ways to the end of a run cost, in nanoseconds of a usual machine. It goes by
// counted operations, never by a clock: what is chosen is the same on every machine.
type Cost struct {
	Newton float64 // to a proof of 1 %
	Epoch  float64 // of Pegasos
	Pass   float64 // of the dual descent
}

// CostOf counts the operations on the rows of one problem, which have the given columns.
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
	if l == loss.Squared || l == loss.SquaredHinge { // no exponentials, no mean
		c.Pass = 2*pass + 50*rows
	}
	return c
}

// Passes predicts how many the descent takes to a proof of tol. They grow with the rows' mean
// squared norm, divided by lambda and the number of rows: by that much a step with one row changes
// the margin of a row like it.
func Passes(l loss.Kind, norm, tol float64) float64 {
	per, more := 8.0, 1.3 // and times as many for a tenth of the gap
	switch {
	case l == loss.Log:
		per = 1.5
	case l.Traits().Kinks:
		per, more = 4, 2
	}
	passes := 3 + float64(per*norm)
	for gap := 0.01; gap > max(tol, float32s); gap /= 10 {
		passes *= more
	}
	return passes
}

// A Work is what training goes by: problems that are alike.
type Work struct {
	Loss            loss.Kind
	Problems        float64 // of one weight vector each
	Rows, Columns   float64 // of a problem
	R2              float64 // mean squared length of the rows, with the bias
	Density         store.Density
	Newton, Descent bool // whether these solvers may take them
}

// A Plan is the cheaper way to a proof.
type Plan struct {
	Newton bool    // it is Newton's method, else the descent
	Passes float64 // of the descent
	Cost   float64 // of all problems; +Inf where there is no way
}

// To plans the way to a proof of tol.
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

const float32s = 1e-5 // a gap below which the roundings of float32 mostly decide
