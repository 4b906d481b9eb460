package dual

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Save returns what is to be saved of the descent beside its array.
func (d *Descent) Save() *iterate.Progress {
	to := d.Progress
	to.Uneven = d.uneven
	return &to
}

// Save is Descent.Save.
func (j *Joint) Save() *iterate.Progress {
	to := j.Progress
	return &to
}

// Arrays calls f with each long array of the descent, in a fixed order. f may write to it.
func (d *Descent) Arrays(f func([]float32)) {
	d.InOrder(d.Alpha, f)
	d.InOrder(d.due, f)
	d.InOrder(d.calm, f)
}

// Arrays is Descent.Arrays.
func (j *Joint) Arrays(f func([]float32)) {
	j.InOrder(j.Alpha, f)
	j.InOrder(j.due, f)
	j.InOrder(j.calm, f)
}

// Resume returns the descent that was saved after the epochs of the run. Its arrays are still to come;
// nil if it can't be one of s.
func Resume(s *iterate.State, of *objective.Binary, from *iterate.Progress, epochs int,
	r2 float64, mean bool) *Descent {
	d := New(s, of, make([]float32, s.X.Rows()), r2, mean)
	d.uneven = from.Uneven
	if !d.restore(from, s, epochs) {
		return nil
	}
	return d
}

// ResumeJoint is Resume for a vector of each class.
func ResumeJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, from *iterate.Progress,
	epochs int, mean bool) *Joint {
	j := NewJoint(s, of, m, make([]float32, s.X.Rows()*len(s.Vectors)), mean)
	if !j.restore(from, s, epochs) {
		return nil
	}
	return j
}
