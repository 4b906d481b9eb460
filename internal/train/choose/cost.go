// Package choose has what is chosen by the data where the settings say nothing, and what the ways
// to the end of a run cost.
package choose

import (
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
)

// A Cost is what ways to the end of a run cost, in nanoseconds of a usual machine. It goes by
// counted operations, never by a clock: what is chosen is the same on every machine.
type Cost struct {
	Newton float64 // to a proof of 1 %
	Epoch  float64 // of the dual, or of Pegasos
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
	return c
}
