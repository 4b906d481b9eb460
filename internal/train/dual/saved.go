package dual

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
	"github.com/pegasimd/pegasimd/internal/train/objective"
)

// Save returns what is to be saved of the ascent beside its arrays.
func (d *Ascent) Save() *iterate.Progress {
	return &iterate.Progress{Start: d.From, Pass: d.Pass, B: d.B[0]}
}

// Save is Ascent.Save.
func (j *Joint) Save() *iterate.Progress { return &iterate.Progress{Start: j.From, Pass: j.Pass} }

// Arrays calls f with each long array of the ascent, in a fixed order. f may write to it.
func (d *Ascent) Arrays(f func([]float32)) {
	d.InOrder(d.Alpha, f)
	d.InOrder(d.Resting, f)
	f(d.W[0])
}

// Arrays is Ascent.Arrays.
func (j *Joint) Arrays(f func([]float32)) {
	j.InOrder(j.Alpha, f)
	j.InOrder(j.Resting, f)
}

// fits reports whether the numbers can be those of an ascent of s after the epochs.
func fits(from *iterate.Progress, s *iterate.State, epochs int) bool {
	return from.Start >= 0 && from.Start <= s.T && from.Pass >= 0 && from.Pass <= epochs
}

// Resume returns the ascent that was saved after the epochs of the run. Its arrays are still
// to come; nil if it can't be one of s.
func Resume(s *iterate.State, of *objective.Binary, from *iterate.Progress, epochs int) *Ascent {
	if !fits(from, s, epochs) {
		return nil
	}
	d := New(s, of, make([]float32, s.X.Rows()), from.Start,
		iterate.Zeros(1, len(s.Vectors[0])), []float64{from.B})
	d.Pass = from.Pass
	return d
}

// ResumeJoint is Resume for a vector of each class.
func ResumeJoint(s *iterate.State, of *objective.Joint, m *dense.Matrix, from *iterate.Progress,
	epochs int) *Joint {
	if !fits(from, s, epochs) {
		return nil
	}
	j := NewJoint(s, of, m, make([]float32, s.X.Rows()*len(s.Vectors)), from.Start)
	j.Pass = from.Pass
	return j
}
