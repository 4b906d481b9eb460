// Package choose picks default settings from the data, such as lambda, the solver and the length of
// a run. It also predicts solvers' costs.
package choose

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// Cost is the predicted cost of the solvers on one problem, in nanoseconds on a typical machine. It
// is not measured: all machines must make the same choices.
type Cost struct {
	Newton float64 // Newton's method up to a relative gap of 1 %
	Epoch  float64
	Pass   float64
}

const (
	minLambdaRows        = 0.3  // least lambda*rows/(mean squared row length), for balanced classes
	minLambdaRowsSquared = 0.03 // minLambdaRows for the squared loss
)

type lossCosts struct {
	iterations float64 // iterations of Newton's method up to a gap of 1 %
	zone       float64 // mean number of Hessians to which a row is added; 0 with kinks: see CostOf
	step       float64 // nanoseconds of a dual step, without its products with the row's values
	passes     float64 // dual passes to a gap of 1 %, per unit of norm (see Passes)
	growth     float64 // factor by which the passes grow each time the gap is divided by 10

	leastLambda float64
	newton      bool // Newton's method may be chosen for few columns
}

var costs = [loss.Kinds]lossCosts{
	loss.Hinge:          {12, 0, 90, 4, 2, minLambdaRows, false},
	loss.Log:            {6, 6, 90, 1.5, 1.3, minLambdaRows, false},
	loss.SquaredHinge:   {6, 3, 50, 8, 1.3, minLambdaRows, false},
	loss.EpsInsensitive: {12, 0, 90, 4, 2, minLambdaRows, false},
	loss.Squared:        {3, 3, 50, 8, 1.3, minLambdaRowsSquared, true},
}

func costsOf(l loss.Kind) *lossCosts {
	of := &costs[l]
	if of.iterations == 0 {
		panic("choose: the table costs has no line for the loss " + l.Name())
	}
	return of
}

// CostOf predicts the cost of a problem with the loss l, with cols nonempty columns and the density
// d, by the formulas of docs/spec.md.
func CostOf(l loss.Kind, rows, cols float64, d store.Density) (c Cost) {
	vars := cols + 1
	pass := rows * min(float64(0.08*cols), d.Nonzeros)
	row := min(float64(0.6*d.Squares), 10+float64(vars*vars)/100)
	of := costsOf(l)
	zone := float64(of.zone * rows)
	if l.Traits().Kinks {
		zone = max(float64(0.15*rows), min(rows, 3*vars)) + float64(0.35*rows)
	}
	solve := float64(vars*vars*vars)/180 + float64(1.5*float64(vars*vars))
	c.Newton = float64(of.iterations*(float64(2.5*pass)+60*rows+solve)) + float64(zone*row)
	c.Epoch = 2*pass + 20*rows
	c.Pass = 2*pass + float64(of.step*rows)
	return c
}

// Passes predicts the number of passes of the dual descent to a relative duality gap of tol. norm
// is R^2/(lambda*rows), where R^2 is the rows' mean squared length.
func Passes(l loss.Kind, norm, tol float64) float64 {
	of := costsOf(l)
	passes := 3 + float64(of.passes*norm)
	for gap := 0.01; gap > max(tol, minGap); gap /= 10 {
		passes *= of.growth
	}
	return passes
}

// Work describes several problems of similar size.
type Work struct {
	Loss            loss.Kind
	Problems        float64 // number of problems or, for a joint problem, of vectors
	Rows, Columns   float64 // rows and nonempty columns of each problem
	R2              float64 // mean squared length of the rows, with the bias feature
	Density         store.Density
	Newton, Descent bool // whether these solvers are allowed
}

// Plan is the solver with the lower predicted cost of reaching a gap.
type Plan struct {
	Newton bool    // otherwise the dual descent
	Passes float64 // of the dual descent, even if Newton's method is chosen
	Cost   float64 // nanoseconds for all problems; +Inf for a dual descent that is not allowed
}

// To returns the plan for a relative duality gap of tol. The solver is Newton's method if it is
// allowed and costs no more than the dual descent; else the dual descent, even if that is not
// allowed.
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

// minGap is the least gap for which Passes predicts. For a smaller tol it returns the passes to
// minGap.
const minGap = 1e-5
