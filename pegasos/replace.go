package pegasos

import (
	"context"

	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// This file sees to it that no run ends with a model whose objective is above that of w = 0 (the
// prior, where there is one) or of the model that it started from. A few steps on rows of very
// unequal lengths can, and so can many where float32 has no room for them. With OffsetNone, whose
// steps are the paper's, the result is the paper's too; with Patience it is the best on other data.

// settle measures m, and replaces what is worse than what the run had when it began.
func (s *session) settle(m *Model) {
	if s.proven != nil {
		m.Result = s.proven.Result
	} else {
		s.measure(m, s.precision())
	}
	if s.stop.valid != nil || s.cfg.Offset == OffsetNone {
		return
	}
	replaced := make([]int, len(s.runs))
	s.parallel(func(i int, r *run) { replaced[i] = r.replace(m) })
	for _, n := range replaced {
		m.Result.Replaced += n
	}
	if m.Result.Replaced > 0 {
		s.measure(m, s.precision())
	}
}

// settleUntil is settle, and finds the data's fingerprint where it is wanted. It ends soon after
// ctx is done: m is not measured then.
func (s *session) settleUntil(ctx context.Context, m *Model) {
	s.data.until = ctx
	defer func() { s.data.until = nil }()
	s.settle(m)
	if s.identify {
		m.Data = s.data.fingerprint(s.threads)
	}
}

// over reports whether what is measured is not wanted any more.
func (d *data) over() bool { return d.until != nil && d.until.Err() != nil }

// replace replaces the vectors of m, which the run has measured, whose objective is above that of
// w = 0 or of the start, by the best of these two and the last iterate. It returns how many
// learners' they were.
func (r *run) replace(m *Model) (replaced int) {
	better := make([]bool, len(r.learners))
	r.parallel(func(k int) {
		if r.data.over() {
			return
		}
		l, now := r.learners[k], r.measured[k].objective
		// Sums that should be the same are so but for their roundings.
		zero := l.objective().AtZero() * (1 + 4*l.common().Sums)
		start, from := r.startOf(k)
		if !(now > zero) && !(start.W != nil && now > from) {
			return
		}
		w, _ := r.vectorsOf(m, k)
		for _, c := range []iterate.Weights{start, r.zeroOf(k), r.lastOf(k)} {
			if c.W == nil {
				continue
			}
			if f := l.objective().At(c.W, c.B); f < now {
				now, better[k] = f, true
				for i := range w {
					copy(w[i], c.W[i])
					if m.Bias != nil {
						m.Bias[r.first+k+i] = c.B[i]
					}
				}
			}
		}
	})
	for _, b := range better {
		if b {
			replaced++
		}
	}
	return replaced
}

// startOf returns where learner k began, and P there.
func (r *run) startOf(k int) (v iterate.Weights, objective float64) {
	v = r.learners[k].common().Began
	if v.W == nil {
		return v, 0
	}
	return v, r.learners[k].objective().At(v.W, v.B)
}

// zeroOf returns the prior's vectors, or zeros.
func (r *run) zeroOf(k int) (v iterate.Weights) {
	s := r.learners[k].common()
	v.W = iterate.Zeros(len(s.Vectors), s.X.Cols())
	s.AddPrior(v.W)
	v.B = s.PriorBias
	return v
}

// lastOf returns the last iterate, where the result is a mean.
func (r *run) lastOf(k int) (v iterate.Weights) {
	s := *r.learners[k].common()
	if s.Average == nil || s.Fixed > 0 { // an ascent has chosen
		return v
	}
	s.Average = nil
	v.W, v.B = iterate.Zeros(len(s.Vectors), s.X.Cols()), make([]float64, len(s.Vectors))
	s.Weights(v.W, v.B)
	s.AddPrior(v.W)
	for i := range v.B {
		v.B[i] += s.PriorBias[i]
	}
	return v
}
