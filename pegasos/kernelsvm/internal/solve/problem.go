// Package solve trains the binary problems of kernel machines: Solve takes Pegasos steps and may
// run dual coordinate ascent. Remeasure serves verification.
package solve

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/order"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm/internal/kernel"
)

// Problem is to find the weight vector w, a sum of coefficient*phi(x) over the rows x, that
// minimizes lambda/2 |w|^2 + mean of max(0, 1 - sign*<w,phi(x)>).
type Problem struct {
	Rows   *kernel.Rows // the problem's rows and perhaps others; Measure has been called
	Lambda float64
	N      int       // including rows that a run of few steps never visits
	Pos    []int32   // position in Rows of each row that may be visited
	Sign   []float64 // by row in Pos: 1 or -1
	Tiles  []Tile    // tiles of Rows that consist of rows in Pos
	R2     float64   // mean of k(x,x) over the rows in Pos
}

// Tile is tile Index of Problem.Rows, which contains rows Start to End-1 of the problem.
type Tile struct{ Index, Start, End int }

// NewProblem returns a problem of n rows. sign returns the label of a group's rows, 1 or -1, or 0
// for groups outside the problem.
func NewProblem(rows *kernel.Rows, n int, lambda float64, sign func(group int) float64) *Problem {
	p := &Problem{Rows: rows, Lambda: lambda, N: n}
	for t, tile := range rows.Tiles {
		label := sign(tile.Group)
		if label == 0 {
			continue
		}
		start := len(p.Pos)
		p.Tiles = append(p.Tiles, Tile{t, start, start + tile.Len()})
		for pos := tile.Start; pos < tile.End; pos++ {
			p.Pos, p.Sign = append(p.Pos, int32(pos)), append(p.Sign, label)
			p.R2 += float64(rows.Diagonal[pos])
		}
	}
	p.R2 /= float64(max(1, len(p.Pos)))
	return p
}

// dualScale returns lambda*N. Dual variables divided by lambda*N are the coefficients of w, up to
// sign.
func (p *Problem) dualScale() float64 { return float64(p.Lambda * float64(p.N)) }

type Settings struct {
	Visits *order.Visits // order in which Pegasos visits the N rows
	Visit  []int32       // row of the problem for each row of Visits; -1 if never visited
	Total  int64         // Pegasos steps
	Offset bool          // the step offset is R2/Lambda, at least 0, instead of 0
	// the model is the mean of the iterates of the last half of the steps; no effect with Dual
	Average bool

	Dual      bool
	MaxPasses int
	Tol       float64 // relative duality gap

	// Bounded asks for a lower bound. The kernel must be an inner product, and Pegasos must visit
	// no row twice in an epoch.
	Bounded  bool
	Measured bool
	Problems int
}

type Solution struct {
	Coef    []float32 // by row of the problem
	Steps   int64
	Epochs  int     // including an incomplete last one
	Passes  int     // begun passes
	Updates int64   // violations, plus alphas changed by each round of the ascent
	R2, T0  float64 // T0 is the step offset

	// Objective of the model, and the reported lower bound on the optimum; NaN if unknown.
	Objective, Bound float64

	objectiveError float64
	gap            float64 // upper bound on P - D of the model's alphas; +Inf if unknown
	lower          float64
}

func (p *Problem) unsolved() Solution {
	return Solution{R2: p.R2, Objective: math.NaN(), Bound: math.NaN(), gap: math.Inf(1)}
}
