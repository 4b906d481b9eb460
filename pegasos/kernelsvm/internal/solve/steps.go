package solve

import (
	"context"
	"math"
	"math/bits"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// solver solves a problem. While Pegasos runs, alpha counts a row's violations, and score is
// <w,phi(x)> times the scale lambda*(t+t0). Dual coordinate ascent starts from alpha =
// violations/epochs, which is in [0, 1], and has the scale lambda*rows.
//
// The mean of the last iterates is maintained as follows. Let S be the running sum of 1/scale over
// the iterates to average. A violation contributes to every later iterate: if the sum was S_0 when
// the violation happened and is S at the end, it adds S - S_0 to the sum of the iterates. So the
// mean iterate has alpha (alpha*S - alphaLag)/samples, where alphaLag is the sum of the S_0 of the
// row's violations, and the same holds for its scores.
type solver struct {
	*Problem
	Settings
	*Memory
	Solution
	report func(Solution)

	score, alpha       []float64 // by row
	scoreLag, alphaLag []float64 // by row; nil unless iterates are averaged
	invScaleSum        float64   // S, the sum of 1/scale over the iterates to average
	samples            int64     // number of iterates in invScaleSum
	ascending          bool      // dual coordinate ascent has begun
	alpha64            []float64 // alphas at the last float64 recomputation of scores; nil if none
	recomputedAt       int64     // value of Updates when the scores were last recomputed in float64
	recomputations     int
}

// Solve solves p. It calls report after each epoch of Pegasos and when a pass of dual coordinate
// ascent begins. Once ctx is done it returns the solution so far. The error is an *iterate.Error,
// whose Row is a position in Rows.
func Solve(ctx context.Context, p *Problem, set Settings, m *Memory, report func(Solution)) (
	Solution, error) {
	s := newSolver(p, set, m, report)
	err := s.run(ctx)
	return s.Solution, err
}

// newSolver returns the solver of p at w = 0.
func newSolver(p *Problem, set Settings, m *Memory, report func(Solution)) *solver {
	n := len(p.Pos)
	s := &solver{Problem: p, Settings: set, Memory: m, Solution: p.unsolved(), report: report,
		score: make([]float64, n), alpha: make([]float64, n)}
	all := n == len(p.Rows.At) // then the numbers of the rows are those of another such problem
	if !all || !m.all {
		m.cache.reset(n)
	}
	m.all = all
	if set.Average && !set.Dual {
		s.scoreLag, s.alphaLag = make([]float64, n), make([]float64, n)
	}
	if set.Offset {
		s.T0 = max(0, p.R2) / p.Lambda
	}
	return s
}

func (s *solver) run(ctx context.Context) error {
	for s.Steps < s.Total && ctx.Err() == nil {
		// A block never crosses the middle of the run, where averaging begins.
		limit := s.Total - s.Steps
		if s.Steps < s.Total/2 {
			limit = s.Total/2 - s.Steps
		}
		if err := s.pegasosSteps(s.Visits.Next(int(min(limit, blockRows)))); err != nil {
			return err
		}
		if s.Visits.AtEnd() || s.Steps == s.Total {
			s.Epochs++
			if s.Measured {
				w := s.last()
				s.measure(w, s.updatedErrors(w, s.Rows.Error), s.Epochs)
			}
			s.report(s.Solution)
		}
	}
	if s.Dual && s.Steps == s.Total {
		return s.ascend(ctx)
	}
	w := s.mean()
	coef := s.coefficients(w)
	for i := range coef {
		coef[i] += 0 // -0 becomes 0
	}
	if s.Measured && ctx.Err() == nil {
		s.measure(w, s.updatedErrors(w, s.Rows.Error.WithRoundedWeights()), 0)
		s.measureModel(coef)
	}
	s.Coef = toFloat32(coef)
	return nil
}

// scale returns lambda*(t+t0). Divided by it, the scores and alphas of Pegasos are scores and
// coefficients of w, up to sign.
func (s *solver) scale() float64 { return float64(s.Lambda * (float64(s.Steps) + s.T0)) }

// pegasosSteps takes the Pegasos steps for the rows that idx numbers as Visits does.
//
// Deciding which rows of a block are updated requires only the kernel among the rows of the block,
// provided that all scores were up to date when the block began. The kernel values of the updated
// rows with all other rows are computed at the end of the block, for many rows at a time and in all
// goroutines.
func (s *solver) pegasosSteps(idx []uint32) error {
	b := &s.block
	b.begin()
	for _, i := range idx {
		b.add(s, int(s.Visit[i]))
	}
	averaging := s.alphaLag != nil && s.Steps >= s.Total/2
	for j, i := range b.rows {
		margin := float64(b.sign[j] * b.score[j])
		if !(margin >= s.scale()) || s.Steps == 0 && s.T0 == 0 { // at w = 0 every row is a violation
			if !floats.IsFinite(margin) {
				return s.notFinite(i)
			}
			s.alpha[i]++
			if s.alphaLag != nil {
				s.alphaLag[i] += s.invScaleSum
			}
			b.updates = append(b.updates, update{j, b.sign[j], float64(b.sign[j] * s.invScaleSum)})
			for k, v := range b.kernelRow(s, j)[j+1:] {
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

// notFinite returns the error that the score of row i is not finite, or that their sum is not if i
// is -1.
func (s *solver) notFinite(i int) error {
	err := &iterate.Error{Step: s.Steps + 1, Row: -1,
		Reason: "the score is not finite: " + store.TooLarge}
	if i >= 0 {
		err.Row = int(s.Pos[i])
	}
	return err
}

// last returns the last iterate of Pegasos.
func (s *solver) last() weights { return weights{s.alpha, s.score, s.scale(), 1} }

// mean returns the mean of the iterates that were averaged, or the last iterate if none were.
func (s *solver) mean() weights {
	if s.samples == 0 {
		return s.last()
	}
	n := len(s.alpha)
	w := weights{make([]float64, n), make([]float64, n), float64(s.samples), s.invScaleSum}
	for i, a := range s.alpha {
		if a != 0 {
			w.alpha[i] = float64(a*s.invScaleSum) - s.alphaLag[i]
		}
		w.score[i] = float64(s.score[i]*s.invScaleSum) - s.scoreLag[i]
	}
	return w
}

// alphaPerViolation returns the dual variable that one violation counts for after the given number
// of epochs: 1/epochs, rounded down to few enough bits that the coefficients of all possible
// violation counts are exact in float32.
func (p *Problem) alphaPerViolation(epochs int) float64 {
	scale := p.dualScale()
	c := math.Float32bits(float32(1 / (float64(epochs) * scale)))
	c &^= 1<<bits.Len(uint(epochs)) - 1
	if float64(math.Float32frombits(c))*float64(epochs)*scale > 1 {
		c -= 1 << bits.Len(uint(epochs))
	}
	return float64(math.Float32frombits(c)) * scale
}

// roundAlpha returns an alpha near a, at most 1, whose coefficient alpha/scale is a float32 number,
// so that the model that is written is the one that was measured.
func roundAlpha(a, scale float64) float64 {
	c := float32(a / scale)
	if float64(c)*scale > 1 {
		c = math.Nextafter32(c, 0)
	}
	return float64(c) * scale
}
