package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Joint problem has a weight vector for each class, which are trained as one: section 5 of the
// paper, examples 3 and 4. With phi(x, r) being x in the place of class r and zeros elsewhere, its
// sub-gradient for a row x of class y is
//
//	sum over r of b_r*phi(x, r), less phi(x, y) times the sum of the b_r
//
// over the other classes r: of the hinge b is 1 for the class of the largest cost(y, r) - z_y +
// z_r, if that is above 0, and 0 for all others; of the log loss b_r is the probability of r.
type Joint struct {
	iterate.State
	M  *dense.Matrix // of the vectors
	Of objective.Joint

	dots []float32 // of a row and the vectors
	z    []float64 // the scores of a batch, one row after the other
	b    []float64 // the coefficients of a row
}

// NewJoint returns the training of the vectors of s.
func NewJoint(s iterate.State, log bool, costs [][]float64) *Joint {
	k := len(s.Vectors)
	j := &Joint{State: s, Of: objective.Joint{Terms: s.Terms, Vectors: k, Log: log, Costs: costs},
		M: dense.New(k, s.X.Cols()), dots: make([]float32, k), b: make([]float64, k)}
	for r, v := range s.Vectors {
		copy(j.M.Row(r), v) // not zeros after SetStart
		j.Vectors[r] = j.M.Row(r)
	}
	return j
}

// Steps takes a step with each of the rows idx and samples w in between, up to an error.
func (j *Joint) Steps(idx []uint32) {
	for n := range idx {
		if j.batch(idx[n : n+1]); j.Err != nil {
			return
		}
		j.Sample()
	}
}

// Batches takes a step with each of the batches of the rows idx, of which ends has the ends.
func (j *Joint) Batches(idx []uint32, ends []int) {
	inBatches(&j.State, idx, ends, j.batch)
}

// batch takes a step with the mean over the rows idx, and projects w onto the ball if there is one.
func (j *Joint) batch(idx []uint32) {
	k, divisor := len(j.Vectors), j.Divisor()
	j.z = j.z[:0] // all first: the rows of a batch do not influence each other
	for _, i := range idx {
		j.X.DotVectors(j.dots, int(i), j.M, 0)
		for r, dot := range j.dots {
			j.z = append(j.z, j.Score(r, dot, divisor))
		}
	}
	share, moved := float64(j.Factor*float64(len(idx))), false
	for n, i := range idx {
		z := j.z[n*k:][:k]
		if floats.FirstNotFinite(z) >= 0 {
			j.NotFinite(i)
			return
		}
		y := int(j.Class[i])
		if !j.Of.Coefficients(z, j.b, i) {
			continue
		}
		moved = true
		weight := float32(j.Share(int(i)))
		var all float64
		for r, b := range j.b {
			if b == 0 || r == y {
				continue
			}
			all += b
			j.move(r, i, float32(float32(-b)*weight), share, len(idx))
			if j.Recent != nil {
				j.Recent.Count[int(i)*k+r] += float32(b)
			}
		}
		j.move(y, i, float32(float32(all)*weight), share, len(idx))
		if j.Err != nil {
			return
		}
	}
	if moved {
		j.Violations++
	}
	j.T++
	j.Project()
}

// move adds row i to vector r with the coefficient g, divided by share.
func (j *Joint) move(r int, i uint32, g float32, share float64, of int) {
	a := float32(float64(g) / share)
	if !floats.IsFinite(a) {
		j.Fail(j.T+1, j.Name(i), "a weight is")
		return
	}
	j.AddRow(r, i, a)
	j.Biases[r] += j.BiasUpdate(float64(g)/float64(of), float64(a))
}
