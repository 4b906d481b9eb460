package pegasos

import (
	"cmp"

	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/newton"
)

// This file is how FinishAuto chooses between Newton's method, the dual and neither, and when a run
// that says nothing of its finish has one. It goes by counted operations, never by a clock: the
// choice is the same on every machine.

const (
	// soonEpochs is how many epochs of the dual Newton's method may cost to begin at once,
	// poorEpochs the same where the bound says that the dual will be slow, and aloneEpochs where
	// there is no dual, so that steps alone would have to find the proof.
	soonEpochs  = 40
	poorEpochs  = 150
	aloneEpochs = 400
	// newtonBegins is how often a problem may begin with Newton's method.
	newtonBegins = 2
	// tolEpochs is how long a run may be that Config.Tol is to end, where nothing else is said.
	tolEpochs = 2000
)

// counted returns the rows of a weight above 0, nil for all.
func counted(weight []float64) (rows []uint32) {
	if weight == nil {
		return nil
	}
	for i, w := range weight {
		if w > 0 {
			rows = append(rows, uint32(i))
		}
	}
	return rows
}

// A prediction is what ways to the end of a run cost, in nanoseconds of a usual machine.
type prediction struct {
	newton float64 // to a proof of 1 %
	epoch  float64 // of the dual, or of Pegasos
}

// predict counts the operations on rows of so many columns, of one problem.
func (cfg Config) predict(rows, cols float64, d store.Density) (c prediction) {
	vars := cols + 1
	pass := rows * min(float64(0.08*cols), d.Nonzeros)
	row := min(float64(0.6*d.Squares), 10+float64(vars*vars)/100)
	iterations, zone := 12.0, max(float64(0.15*rows), min(rows, 3*vars))+float64(0.35*rows)
	switch {
	case cfg.Loss == SquaredHinge:
		iterations, zone = 6, 3*rows
	case cfg.Loss == Squared:
		iterations, zone = 3, 3*rows
	case !cfg.cost().Kind.Traits().Kinks:
		iterations, zone = 6, 6*rows
	}
	solve := float64(vars*vars*vars)/180 + float64(1.5*float64(vars*vars))
	c.newton = float64(iterations*(float64(2.5*pass)+60*rows+solve)) + float64(zone*row)
	c.epoch = 2*pass + 20*rows
	return c
}

// canNewton reports whether a run with the settings can have Newton's method as its finish.
func (cfg Config) canNewton() bool {
	return cfg.canFinish() && !cfg.Multiclass.Joint() && cfg.Change == 0 && cfg.Patience == 0
}

// newtonPays reports whether it is time for Newton's method to take over a problem of a run with
// FinishAuto: at once where it is cheap, or after half of what it costs.
func (r *run) newtonPays(p *problem) bool {
	if !r.data.auto.newton || p.newtons >= newtonBegins {
		return false
	}
	if p.newtons == 0 && p.ascent == nil && r.newtonSoon() {
		return true
	}
	c := r.predicted()
	spent := float64(r.epoch)
	if p.ascent != nil {
		spent = float64(p.ascent.Pass)
	}
	return float64(spent*c.epoch) >= c.newton/2
}

// newtonSoon reports whether Newton's method is so cheap that FinishAuto begins with it.
func (r *run) newtonSoon() bool {
	if r.cfg.Finish != FinishAuto || !r.data.auto.newton {
		return false
	}
	soon := float64(soonEpochs)
	if !r.cfg.canAscend() || r.data.prior != nil {
		soon = aloneEpochs
	}
	c := r.predicted()
	return c.newton <= float64(soon*c.epoch)
}

// predicted is predict for the run's rows.
func (r *run) predicted() prediction {
	return r.cfg.predict(float64(r.Count()), float64(r.data.auto.columns), r.data.auto.density)
}

// An autoFinish is what FinishAuto goes by.
type autoFinish struct {
	density store.Density
	columns int  // that are not empty
	newton  bool // Newton's method may be taken: there are few columns, and memory for it
}

// setAuto finds what FinishAuto goes by.
func (s *session) setAuto(tr *Trainer) {
	cfg := s.cfg
	if cfg.Finish != FinishAuto {
		return
	}
	if s.data.X.Cols() > newton.MostColumns || !cfg.canNewton() {
		return
	}
	s.data.auto = autoFinish{store.DensityOf(s.data.X, counted(s.data.Weight)),
		cmp.Or(tr.columns, s.data.X.Cols()), true}
	s.data.auto.newton = s.checkMemory(tr) == nil
}

// finish chooses how the run ends where nothing is said of it: with FinishAuto if it is to go on up
// to a proof; with Newton's method if that costs no more than the given passes, which it then takes
// the place of.
func (c *choice) finish(passes int) {
	tr := &c.trainer
	if tr.Finish == "" && tr.Resume == nil && tr.Shards <= 1 {
		cfg := tr.Config
		switch {
		case tr.Tol > 0:
			if cfg.Finish = FinishAuto; cfg.Validate() == nil {
				tr.Finish = FinishAuto
			}
		case tr.Loss == EpsInsensitive: // the constant is moved anyway: see centre
		case cfg.Epochs == 0 && cfg.Steps == 0 && tr.Prior == nil:
			if cfg.Finish = FinishNewton; cfg.Validate() == nil && c.newtonPays(passes) {
				tr.Finish = FinishNewton
				if tr.Loss != Squared {
					tr.Tol = enoughProof
				}
			}
		}
	}
	switch {
	case tr.Epochs != 0 || tr.Steps != 0 || tr.Finish == FinishNewton:
	case tr.Tol > 0:
		tr.Epochs = tolEpochs
	default:
		tr.Epochs = passes
		if tr.Epochs > manyPasses && tr.Config.mayProve() {
			tr.Tol = enoughProof
		}
	}
}

// newtonPays reports whether Newton's method costs no more than so many passes, and has memory.
func (c *choice) newtonPays(passes int) bool {
	n, cols := float64(c.columns.Rows), float64(c.cols())
	width := float64(c.x.Cols()) // the matrix has room for empty columns too
	if width > newton.MostColumns || 12*(width+33)*(width+33)+64*n > float64(c.memory())/2 {
		return false
	}
	if c.trainer.Loss == Squared && cols <= fewColumns {
		return true // columns that go together take very many passes
	}
	if k := float64(len(c.classes)); c.trainer.Multiclass == OneVsOne && k > 2 {
		n *= 2 / k
	}
	p := c.trainer.Config.predict(n, cols, store.DensityOf(c.rows, counted(c.weight)))
	return p.newton <= float64(float64(passes)*p.epoch)
}
