package dual

import (
	"slices"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// A Joint is the dual part of a run of Crammer-Singer (Keerthi et al., KDD 2008). With a_ir
// at least 0 for each row i and each class r but its own, y, whose sum over r is at most 1,
//
//	w_r = v_r/(lambda*n), v_r = sum of c_i*(the sum of the a_i if r is y, else -a_ir)*x_i,
//
// and what rises is the mean of the sums of c_i*a_ir*cost(y, r), less lambda/2 |w|^2. A step makes
// the best of all a_i of a row. Let a_iy be what their sum lacks to 1, and q = c_i |x_i|^2/(lambda
// n): then the a_i that are best are the nearest to (cost(y, r) + z_r)/q + a_ir among those that
// are at least 0 with the sum 1.
type Joint struct {
	*iterate.State
	Of *objective.Joint
	m  *dense.Matrix // of the vectors

	From  int64     // the step after which it began
	Alpha []float32 // of each row, for each class; 0 for its own

	rests // of rows whose last step changed nothing

	dots         []float32 // buffers for a row
	z, b, sorted []float64

	chosen   bool  // whether the result after step chosenAt is the last iterate
	chosenAt int64 // 0 before there was a choice
}

// BeginJoint is Begin for a vector of each class, which are the rows of m.
func BeginJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, r2, within float64) *Joint {
	share, factor, bound := s.Recent.Best(of, s.Done(), r2)
	if within > 0 {
		w, b := s.Room()
		s.Weights(w, b)
		if f := of.At(w, b); !(f-bound <= float64(within*f)) {
			return nil
		}
	}
	for i, a := range share {
		share[i] = float32(factor * float64(a))
	}
	j := NewJoint(s, of, m, share, s.T)
	j.SumUp()
	return j
}

// NewJoint is New.
func NewJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, alpha []float32,
	t int64) *Joint {
	s.BeginAscent(t)
	k := len(s.Vectors)
	return &Joint{State: s, Of: of, m: m, From: t, Alpha: alpha,
		rests: rests{Resting: make([]float32, s.X.Rows())}, dots: make([]float32, k),
		b: make([]float64, k), z: make([]float64, k), sorted: make([]float64, k)}
}

// EndEpoch is called after each pass over the rows. At the end of the run it chooses the result.
func (j *Joint) EndEpoch() {
	j.endPass()
	if j.T == j.Total && j.Err == nil {
		j.Result(j.Room()) // now, so that the choice is a part of training
	}
}

// Shares returns the shares of the rows.
func (j *Joint) Shares() []float32 {
	share := slices.Clone(j.Alpha)
	for i, a := range share {
		share[i] = max(0, a) // a state may say anything
	}
	return share
}

// SumUp makes the vectors those of the a_i.
func (j *Joint) SumUp() {
	j.empty()
	k := len(j.Vectors)
	for _, i := range j.All() {
		row := j.Alpha[i*k:][:k]
		for r, a := range row {
			j.shift(r, i, -float64(a))
		}
		j.shift(int(j.Class[i]), i, certificate.Total(row))
	}
}

// empty makes the vectors zeros.
func (j *Joint) empty() {
	for _, v := range j.Vectors {
		clear(v)
	}
	clear(j.Biases)
}

// shift adds row i times its weight and change to vector r.
func (j *Joint) shift(r, i int, change float64) {
	a := float32(change * j.Share(i))
	if a == 0 {
		return
	}
	j.X.Axpy(i, a, j.Vectors[r])
	j.Biases[r] += float64(float64(a) * j.BiasScale)
}

// Ascend takes a step with each of the rows idx: with those that rest, one that changes nothing.
func (j *Joint) Ascend(idx []uint32) {
	end := j.T + int64(len(idx))
	inverse := 1 / j.Fixed
	z, k := j.z, len(j.z)
	for _, i := range j.notResting(idx) {
		j.X.DotVectors(j.dots, int(i), j.m, 0)
		y, row := int(j.Class[i]), j.Alpha[int(i)*k:][:k]
		square := float64(j.Norms[i]) + float64(j.BiasScale*j.BiasScale)
		q := float64(float64(j.Share(int(i))*square) * inverse)
		own := certificate.Total(row)
		for r, dot := range j.dots {
			v := float64((float64(dot) + float64(j.BiasScale*j.Biases[r])) * inverse)
			if !floats.IsFinite(v) {
				j.T += int64(slices.Index(idx, i))
				j.NotFinite(i)
				return
			}
			share := float64(row[r])
			if r == y {
				share = 1 - own
			}
			z[r] = j.Of.Full(v, r, i) + j.Of.Cost(y, r) + float64(q*share)
		}
		certificate.Nearest(z, q, j.b, j.sorted)
		changed, sum := false, 0.0
		for r, v := range j.b {
			to := float32(v)
			if r == y {
				continue
			}
			sum += float64(to)
			if to != row[r] {
				j.shift(r, int(i), float64(row[r])-float64(to))
				row[r], changed = to, true
			}
		}
		if j.Resting[i] = 1; changed {
			j.Resting[i] = 0
			j.shift(y, int(i), sum-own)
			j.Violations++
		}
	}
	j.T = end
}

// Result writes the better by P of the average and the last iterate.
func (j *Joint) Result(w [][]float32, b []float64) {
	j.Weights(w, b)
	if j.Average == nil {
		return
	}
	if j.chosenAt != j.T {
		j.chosenAt = j.T
		last, bias := j.Room()
		j.Last(last, bias)
		j.chosen = j.Of.At(last, bias) < j.Of.At(w, b)
	}
	if j.chosen {
		j.Last(w, b)
	}
}
