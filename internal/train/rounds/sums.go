package rounds

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/train/loss"
	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// A task has the sums that a round adds up for one weight vector.
type task struct {
	*Problem
	vector       int       // the number of the problem
	model   modelVector // of a proof
	segments   []segment    // of the sums
	blockSums int       // the number of sums, the first ones, that are found by blocks of rows
	size    int       // of the sums, of which the triangles come after the parts

	sum   []int64
	block []float64 // of a block, before they are rounded
	ringRows  []ringRows    // of a block, for each ring
}

// A part is a run of sums that are rounded alike.
type segment struct {
	quantum
	size   int
	scaled bool // they are of the variables, again and again, and of scaled ones
}

// A quantum is the unit that sums are rounded to, a power of two, and its inverse.
type quantum struct{ inverse, unit float64 }

// quantum returns the quantum of sums over all rows, whose addends are no larger than bound in the
// mean.
func (r *Rounds) quantum(bound float64) quantum {
	_, e := math.Frexp(float64(float64(r.allRows) * bound))
	return quantum{math.Ldexp(1, 61-e), math.Ldexp(1, e-61)}
}

// mean returns the mean over the rows of a sum of v quanta.
func (r *Rounds) mean(v int64, q segment) float64 { return float64(float64(v)*q.unit) / r.weightedRows }

// vector returns the means over the rows of sums, in one or more terms, in quanta of scaled
// variables.
func (r *Rounds) vector(q segment, terms ...[]int64) []float64 {
	u := make([]float64, r.vars)
	for j := range u {
		var v int64
		for _, term := range terms {
			v += term[j]
		}
		u[j] = r.mean(v, q) / r.scale[j]
	}
	return u
}

// most returns bounds on the loss of a row, on its dual variable and on the gain of that, for
// weights of the given length, with the bias's.
func (r *Rounds) rowBounds(length float64) (row, dual, gain float64) {
	m := 1 + float64(float64(length*r.maxLength)*(1+0x1p-20))
	if r.loss.Kind == loss.SquaredHinge {
		return float64(m * m), 2 * m, 2*m + float64(m*m)
	}
	return m, 1, 1
}

// length returns the length of a vector.
func length(v []float64) float64 { return math.Sqrt(objectives.SquareSum(v)) }
