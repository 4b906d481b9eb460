package sgd

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Joint trains the weight vectors of all classes as one problem: section 5 of the Pegasos paper,
// examples 3 and 4. Let phi(x, r) be a vector with a part for each class: x for class r, and 0 for
// all others. The sub-gradient of the loss of a row x of class y is
//
//	sum over r != y of b_r*(phi(x, r) - phi(x, y)).
//
// For the log loss, b_r is the probability of class r. For the loss of Crammer and Singer, b_r is 1
// for the class with the largest cost(y, r) - z_y + z_r if that is above 0, and 0 otherwise.
type Joint struct {
	iterate.State
	M  *dense.Matrix // rows are the state's vectors
	Of objective.Joint

	dots []float32
	z    []float64 // scores of a batch's rows, one row after the other
	b    []float64 // b_r of a row
}

// NewJoint moves the vectors of s into a matrix. For log and costs see objective.Joint.
func NewJoint(s iterate.State, log bool, costs [][]float64) *Joint {
	k := len(s.Vectors)
	j := &Joint{State: s, Of: objective.Joint{Terms: s.Terms, Vectors: k, Log: log, Costs: costs},
		M: dense.New(k, s.X.Cols()), dots: make([]float32, k), b: make([]float64, k)}
	for r, v := range s.Vectors {
		copy(j.M.Row(r), v) // v is not 0 if the run continues a model
		j.Vectors[r] = j.M.Row(r)
	}
	return j
}

func (j *Joint) Steps(idx []uint32, ends []int) {
	if ends != nil {
		inBatches(&j.State, idx, ends, j.batch)
		return
	}
	// faster than a call through a function variable
	for n := range idx {
		if j.batch(idx[n : n+1]); j.Err != nil {
			return
		}
		j.Sample()
	}
}

func (j *Joint) batch(idx []uint32) {
	k, divisor := len(j.Vectors), j.Divisor()
	j.z = j.z[:0] // all rows of a batch are scored by the same w
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
		weight := float32(j.RowWeight(int(i)))
		var all float64
		for r, b := range j.b {
			if b == 0 || r == y {
				continue
			}
			all += b
			j.move(r, i, float32(float32(-b)*weight), share, len(idx))
			if j.Windows != nil {
				j.Windows.Count[int(i)*k+r] += float32(b)
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

// move adds g/share times row i to vector r, in a step with the given number of rows. Unless
// g/share is finite, it ends the run.
func (j *Joint) move(r int, i uint32, g float32, share float64, rows int) {
	a := float32(float64(g) / share)
	if !floats.IsFinite(a) {
		j.Fail(j.T+1, j.SetRow(i), "a weight is")
		return
	}
	j.AddRow(r, i, a)
	j.Biases[r] += j.BiasUpdate(float64(g)/float64(rows), float64(a))
}
