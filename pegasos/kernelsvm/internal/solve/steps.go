package solve

import (
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// scale returns lambda*(t+t0).
func (s *solver) scale() float64 { return float64(s.Lambda * (float64(s.Steps) + s.T0)) }

// pegasosSteps takes a Pegasos step for each row in idx, a result of Visits.Next. The steps need
// only the kernel among these rows; all scores are updated at the end.
func (s *solver) pegasosSteps(idx []uint32) error {
	b := &s.block
	b.begin()
	for _, i := range idx {
		row := int(s.Visit[i])
		b.add(s.Problem, row, s.score[row])
	}
	averaging := s.alphaLag != nil && s.Steps >= s.Total/2
	for j, i := range b.rows {
		margin := float64(b.sign[j] * b.score[j])
		// At w = 0 every row is a violation.
		if !(margin >= s.scale()) || s.Steps == 0 && s.T0 == 0 {
			if !floats.IsFinite(margin) {
				return s.notFinite(i)
			}
			s.alpha[i]++
			if s.alphaLag != nil {
				s.alphaLag[i] += s.invScaleSum
			}
			b.updates = append(b.updates, update{j, b.sign[j], float64(b.sign[j] * s.invScaleSum)})
			for k, v := range b.kernelRow(s.Problem, s.cache, j, s.values)[j+1:] {
				b.score[j+1+k] += float64(b.sign[j] * float64(v))
			}
		}
		s.Steps++
		if averaging {
			s.invScaleSum += 1 / s.scale()
			s.samples++
		}
	}
	s.updateScores()
	return nil
}

// With i = -1 notFinite blames the objective.
func (s *solver) notFinite(i int) error {
	why := store.TooLarge
	if s.Rows.Func != nil {
		why = "a kernel value is NaN or infinite" // the sums of finite values are finite
	}
	if i < 0 {
		return &iterate.Error{Step: s.Steps + 1, Row: -1, Reason: "the objective is not finite: " + why}
	}
	return &iterate.Error{Step: s.Steps + 1, Row: int(s.Pos[i]),
		Reason: "the score is not finite: " + why}
}

func (s *solver) last() weights { return weights{s.alpha, s.score, s.scale(), 1} }

// mean returns the last iterate if no iterates were averaged.
func (s *solver) mean() weights {
	if s.samples == 0 {
		return s.last()
	}
	n := len(s.alpha)
	w := weights{make([]float64, n), make([]float64, n), float64(s.samples),
		float64(2 * s.invScaleSum)} // times 2, since score and scoreLag are both rounded
	for i, a := range s.alpha {
		if a != 0 {
			w.alpha[i] = float64(a*s.invScaleSum) - s.alphaLag[i]
		}
		w.score[i] = float64(s.score[i]*s.invScaleSum) - s.scoreLag[i]
	}
	return w
}
