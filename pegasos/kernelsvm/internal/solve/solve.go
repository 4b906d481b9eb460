package solve

import "context"

// Solve calls report after each epoch of Pegasos, when passes of dual coordinate ascent begin and
// when the ascent ends. Once ctx is done it returns the solution so far. The error is an
// *iterate.Error, whose Row is a position in Rows, or -1.
func Solve(ctx context.Context, p *Problem, set Settings, m *Memory, report func(Solution)) (
	Solution, error) {
	s := newSolver(p, set, m, report)
	err := s.run(ctx)
	return s.Solution, err
}

func (s *solver) run(ctx context.Context) error {
	for s.Steps < s.Total && ctx.Err() == nil {
		// Averaging begins at the middle of the run, which must be the start of a block.
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
