package rounds

import (
	"math"

	objectives "github.com/pegasimd/pegasimd/internal/train/objective"
)

// task is the work of a round for one weight vector: the layout of its sums, and the sums.
type task struct {
	*Problem
	vector    int         // index of the weight vector in State.Problems
	model     modelVector // stored weight vector whose objective a proof computes
	segments  []segment   // layout of the sums; Hessians come after the segments
	blockSums int         // number of leading sums that are computed block by block
	size      int         // number of sums, Hessians included

	sum      []int64
	block    []float64  // leading sums over the current block, before truncation
	ringRows []ringRows // rows of the current block in each ring
}

// segment describes adjacent sums that have the same quantum.
type segment struct {
	quantum
	size   int
	scaled bool // the sums are vectors of Rounds.vars elements, multiplied by Rounds.scale
}

// quantum is a power of 2, called the unit, and its inverse. Sums are integer multiples of the
// unit.
type quantum struct{ inverse, unit float64 }

// quantum returns the quantum for sums over the rows of all shards, if the mean magnitude of the
// addends is at most bound.
func (r *Rounds) quantum(bound float64) quantum {
	_, e := math.Frexp(float64(float64(r.allRows) * bound))
	return quantum{math.Ldexp(1, 61-e), math.Ldexp(1, e-61)}
}

// mean returns a sum over the rows, given as v quanta of q, divided by the number of rows with a
// weight above 0.
func (r *Rounds) mean(v int64, q segment) float64 { return float64(v) * q.unit / r.weightedRows }

// meanVector returns the sum of the vectors terms, divided by the number of rows with a weight
// above 0. The elements of terms are in quanta of q and multiplied by Rounds.scale; both are undone
// in the result.
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

// rowBounds returns upper bounds on the loss of a row, on its dual variable and on the magnitude of
// its dual term. norm is the norm of the weights including the bias variable.
func (r *Rounds) rowBounds(norm float64) (row, dual, dualTerm float64) {
	return r.limits.margin(1 + float64(float64(norm*r.maxLength)*(1+0x1p-20)))
}

// norm returns the Euclidean norm of v.
func norm(v []float64) float64 { return math.Sqrt(objectives.SquareSum(v)) }
