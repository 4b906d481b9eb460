package pegasos

import (
	"slices"

	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/train/certificate"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// A jointAscent is the dual part of a run of Crammer-Singer (Keerthi et al., KDD 2008). With a_ir
// at least 0 for each row i and each class r but its own, y, whose sum over r is at most 1,
//
//	w_r = v_r/(lambda*n), v_r = sum of c_i*(the sum of the a_i if r is y, else -a_ir)*x_i,
//
// and what rises is the mean of the sums of c_i*a_ir*cost(y, r), less lambda/2 |w|^2. A step makes
// the best of all a_i of a row. Let a_iy be what their sum lacks to 1, and q = c_i |x_i|^2/(lambda
// n): then the a_i that are best are the nearest to (cost(y, r) + z_r)/q + a_ir among those that
// are at least 0 with the sum 1.
type jointAscent struct {
	start int64     // the step after which it began
	alpha []float32 // of each row, for each class; 0 for its own

	rests // of rows whose last step changed nothing

	dots         []float32 // buffers for a row
	z, b, sorted []float64

	chosen   bool  // whether the result after step chosenAt is the last iterate
	chosenAt int64 // 0 before there was a choice
}

// startAscent starts the ascent, if it is time for that.
func (j *joint) startAscent(cfg Config, epochs int, r2 float64) {
	if j.ascent != nil || !finishDue(&j.State, cfg, epochs) {
		return
	}
	share, s, bound := j.Recent.Best(&j.Of, j.Done(), r2)
	if cfg.Finish == FinishAuto {
		w, b := iterate.Zeros(len(j.Vectors), len(j.Vectors[0])), make([]float64, len(j.Vectors))
		j.Weights(w, b)
		if f := j.Of.At(w, b); !(f-bound <= float64(autoGap*f)) {
			return
		}
	}
	for i, a := range share {
		share[i] = float32(s * float64(a))
	}
	j.setAscent(&jointAscent{alpha: share}, j.T)
	j.sumUp()
}

// setAscent sets up the ascent, which begins after step t, and its average.
func (j *joint) setAscent(a *jointAscent, t int64) {
	j.ascent, a.start = a, t
	a.resting = make([]float32, j.X.Rows())
	a.dots, a.b = make([]float32, len(j.Vectors)), make([]float64, len(j.Vectors))
	a.z, a.sorted = make([]float64, len(j.Vectors)), make([]float64, len(j.Vectors))
	j.BeginAscent(t)
}

// sumUp makes the vectors those of the a_i.
func (j *joint) sumUp() {
	k := len(j.Vectors)
	for r, v := range j.Vectors {
		clear(v)
		j.Biases[r] = 0
	}
	for n := range j.Count() {
		i := j.Row(n)
		row := j.ascent.alpha[i*k:][:k]
		var own float64
		for r, a := range row {
			j.shift(r, i, -float64(a))
			own += float64(a)
		}
		j.shift(int(j.Class[i]), i, own)
	}
}

// shift adds row i times its weight and change to vector r.
func (j *joint) shift(r, i int, change float64) {
	a := float32(change * j.Share(i))
	if a == 0 {
		return
	}
	j.X.Axpy(i, a, j.Vectors[r])
	j.Biases[r] += float64(float64(a) * j.BiasScale)
}

// ascend takes a step with each of the rows idx. For those that rest it is one that changes
// nothing.
func (j *joint) ascend(idx []uint32) {
	a, end := j.ascent, j.T+int64(len(idx))
	inverse := 1 / j.Fixed
	z, k := a.z, len(a.z)
	for _, i := range a.notResting(idx) {
		j.X.DotVectors(a.dots, int(i), j.M, 0)
		y, row := int(j.Class[i]), a.alpha[int(i)*k:][:k]
		square := float64(j.Norms[i]) + float64(j.BiasScale*j.BiasScale)
		q := float64(float64(j.Share(int(i))*square) * inverse)
		own := 0.0
		for _, v := range row {
			own += float64(v)
		}
		for r, dot := range a.dots {
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
		certificate.Nearest(z, q, a.b, a.sorted)
		changed, sum := false, 0.0
		for r, v := range a.b {
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
		if a.resting[i] = 1; changed {
			a.resting[i] = 0
			j.shift(y, int(i), sum-own)
			j.Violations++
		}
	}
	j.T = end
}

// shares is what learner asks for.
func (j *joint) shares() []float32 {
	if j.ascent == nil {
		return nil
	}
	share := slices.Clone(j.ascent.alpha)
	for i, a := range share {
		share[i] = max(0, a) // a state may say anything
	}
	return share
}

func (j *joint) endEpoch(epochs int) {
	j.State.EndEpoch(epochs)
	if j.ascent == nil {
		return
	}
	j.ascent.pass++
	if j.T == j.Total && j.Err == nil {
		w, b := j.room()
		j.result(w, b) // now, so that the choice is a part of training
	}
}

// room returns vectors and biases to write to.
func (j *joint) room() (w [][]float32, b []float64) {
	return iterate.Zeros(len(j.Vectors), len(j.Vectors[0])), make([]float64, len(j.Vectors))
}

// result is what learner asks for. After an ascent it is the better by P of the average and the
// last iterate.
func (j *joint) result(w [][]float32, b []float64) {
	j.Weights(w, b)
	a := j.ascent
	if a == nil || j.Average == nil {
		return
	}
	average := j.Average
	if a.chosenAt != j.T {
		a.chosenAt = j.T
		last, bias := j.room()
		j.Average = nil
		j.Weights(last, bias)
		a.chosen = j.Of.At(last, bias) < j.Of.At(w, b)
	}
	if a.chosen {
		j.Average = nil
		j.Weights(w, b)
	}
	j.Average = average
}
