package pegasos

import (
	"github.com/pegasimd/pegasimd/internal/train/dual"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// A Finish says how a run goes on after its first epoch.
type Finish string

const (
	// FinishNone goes on as it began.
	FinishNone Finish = "none"
	// FinishDual goes on with dual coordinate ascent (Hsieh et al., ICML 2008; Shalev-Shwartz and
	// Zhang, JMLR 14, 2013) from the dual variables that Pegasos leaves: the rows' shares of
	// violations. A step makes the best of one row's. The result is the best by P of the average
	// over the last half of that, of its last iterate, and of Pegasos's own, estimated from the
	// rows that matter most.
	FinishDual Finish = "dual"
	// FinishAuto goes by the number of operations that Newton's method and the dual would take,
	// problem by problem. With up to 2,000 columns Newton's method takes over at once where it
	// costs no more than soonEpochs epochs of the dual, else when epochs have cost half as much as it would.
	// The dual begins once P - D is below 70 % of P: where rows are long, and lambda times their
	// number small, such as on raw pixels, that may be never, and the dual would be slow; Newton's
	// method then takes over if it costs no more than poorEpochs epochs (auto.go has these numbers).
	// Where neither is the choice, Pegasos goes on. The run ends when Newton's method is done with all problems, as with
	// FinishNewton.
	FinishAuto Finish = "auto"
	// FinishNewton goes on with Newton's method, for all losses of one score. It is the finish for
	// dense rows of up to some thousand columns, whatever their scale, for small lambdas and for a
	// bias without a penalty; an iteration takes a pass and work with the square of the columns for
	// many of the rows. The run ends when the method finds the gap to be at most Tol, or 0.1 %.
	FinishNewton Finish = "newton"
)

// autoGap is the share of P that P - D has to be below before FinishAuto begins the dual; see
// docs/benchmarks.md. What else FinishAuto goes by is in auto.go.
const autoGap = 0.7

// finishDue reports whether it is time to ask whether the ascent should begin.
func finishDue(s *iterate.State, cfg Config, epochs int) bool {
	if !cfg.finishes() || s.T >= s.Total || s.Err != nil {
		return false
	}
	// FinishAuto asks after 1, 2, 4, 8 epochs and so on: the answer takes about as long as an epoch.
	return cfg.Finish != FinishAuto || epochs&(epochs-1) == 0
}

// startAscent starts the ascent, if it is time for that: after an epoch of the run, of which so
// many are done. It reports whether the bound says that the ascent would be slow.
func (p *problem) startAscent(cfg Config, epochs int, r2 float64) (poor bool) {
	if p.ascent != nil || !finishDue(&p.State, cfg, epochs) {
		return false
	}
	p.ascent = dual.Begin(&p.State, &p.Of, r2, cfg.gapToAscend())
	return p.ascent == nil
}

// gapToAscend returns the share of P that P - D has to be below before the dual begins; 0 for none.
func (cfg Config) gapToAscend() float64 {
	if cfg.Finish == FinishAuto {
		return autoGap
	}
	return 0
}

// result is what learner asks for.
func (p *problem) result(w [][]float32, b []float64) {
	switch {
	case p.newton != nil:
		b[0] = p.newton.Result(w[0])
	case p.ascent != nil:
		p.ascent.Result(w, b)
	default:
		p.State.Weights(w, b)
	}
}

// shares is what learner asks for.
func (p *problem) shares() []float32 {
	switch {
	case p.newton != nil:
		return p.newtonShares()
	case p.ascent != nil:
		return p.ascent.Shares()
	}
	return nil
}

// climb is what learner asks for.
func (p *problem) climb(a []float32, passes int, r2 float64) float64 {
	return dual.Improve(&p.State, &p.Of, a, passes, r2)
}
