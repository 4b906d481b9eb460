package rounds

import (
	"math"

	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// task is the work of a round for one weight vector: the layout of its sums, and the sums.
type task struct {
	*Problem
	vector    int         // index of the weight vector in State.Problems
	model     modelVector // weight vector whose objective a proof computes
	segments  []segment   // layout of the sums; Hessians come after the segments
	blockSums int         // number of leading sums that are computed block by block
	size      int         // number of sums, Hessians included

	sum      []int64
	block    []float64  // leading sums over the current block, before truncation
	ringRows []ringRows // rows of the current block in each ring
}

// segment is a run of sums with the same quantum.
type segment struct {
	quantum
	size   int
	scaled bool // sums are vectors of Rounds.vars elements, and are multiplied by Rounds.scale
}

// quantum is the unit of which sums are integer multiples, a power of 2, and its inverse.
type quantum struct{ inverse, unit float64 }

// quantum returns the quantum of sums over all rows whose addends have a mean magnitude of at most
// bound.
func (r *Rounds) quantum(bound float64) quantum {
	_, e := math.Frexp(float64(float64(r.allRows) * bound))
	return quantum{math.Ldexp(1, 61-e), math.Ldexp(1, e-61)}
}

// mean returns v quanta of q, a sum over the rows, divided by the number of rows with a weight
// above 0.
func (r *Rounds) mean(v int64, q segment) float64 { return float64(v) * q.unit / r.weightedRows }

// meanVector adds the given vectors, which are in quanta of q and in variables scaled by
// Rounds.scale, and divides the sum by the number of rows with a weight above 0. The result is in
// unscaled variables.
func (r *Rounds) meanVector(q segment, terms ...[]int64) []float64 {
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

// rowBounds returns upper bounds on a row's loss, its dual variable and the magnitude of its dual
// term, for a weight vector of the given norm, bias included.
func (r *Rounds) rowBounds(norm float64) (row, dual, dualTerm float64) {
	return r.limits.margin(1 + float64(float64(norm*r.maxLength)*(1+0x1p-20)))
}

// norm returns the Euclidean norm of v.
func norm(v []float64) float64 { return math.Sqrt(objectives.SquareSum(v)) }
