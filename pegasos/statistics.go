package pegasos

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
)

// ChooseFrom returns cfg with what it leaves open chosen by the statistics, as training on all of
// the rows would, and how the rows are to be scaled. More than two classes are one-vs-rest.
func (cfg Config) ChooseFrom(s *store.Statistics) (Config, *Scaling, error) {
	if err := s.Check(); err != nil {
		return cfg, nil, err
	}
	options.Fill(&cfg.Multiclass, OneVsRest)
	c := &choice{trainer: Trainer{Config: cfg}, x: unread{s: s}, y: nil, classes: s.Classes,
		columns: s.Columns(), share: 0.5, meanOfAll: s.Sizes[scaling.None].MeanSquare}
	if c.columns.Mean == nil {
		c.columns.Mean = []float64{} // there are no rows to find them from
	}
	c.rows = unread{s: s}
	tr := &c.trainer
	if err := tr.Config.Validate(); err != nil {
		return cfg, nil, err
	}
	if len(s.Counts) == 2 {
		least := float64(min(s.Counts[0], s.Counts[1]))
		c.share = least / float64(s.Rows)
	}
	if tr.Scale == "" {
		tr.Scale = c.bestKind()
		_, possible := s.Sizes[string(tr.Scale)]
		if tr.Scale == ScaleNone && !c.fitsFloat32() || !possible {
			tr.Scale = ScaleMaxAbs
		}
	}
	size, possible := s.Sizes[string(tr.Scale)]
	if !possible {
		return cfg, nil, badField("Scale", "have %q, which the statistics of the rows don't allow",
			tr.Scale)
	}
	tr.TargetScale = ScaleNone
	c.countUsed()
	scaled := scalingFrom(s, tr.Scale)
	c.r2, c.nonzero = size.MeanSquare, float64(s.Nonzeros)
	if tr.Scale == ScaleStandard {
		c.nonzero = float64(s.Rows) * c.used
	}
	if scaled != nil {
		scaled.R2 = c.r2
	}
	options.Fill(&tr.Finish, FinishNone) // rounds have methods of their own
	c.settle()
	return tr.Config, scaled, tr.Config.Validate()
}

// scalingFrom returns how the rows are scaled; nil for as they are.
func scalingFrom(s *store.Statistics, kind Scale) *Scaling {
	if kind == ScaleNone {
		return nil
	}
	fitted := s.Columns().Scaler(string(kind))
	c := &Scaling{Kind: kind, Shift: fitted.Shift, Factor: fitted.Factor}
	c.Folded = c.foldable()
	return c
}

// unread are rows of which no more than their form is known.
type unread struct {
	store.Matrix
	s *store.Statistics
}

func (u unread) Rows() int { return u.s.Rows }
func (u unread) Cols() int { return u.s.Cols }

// Size returns what the rows take in memory, in bytes.
func (u unread) Size() int {
	if u.s.Dense {
		return 4 * u.s.Rows * u.s.Cols
	}
	return 8 * int(u.s.Nonzeros)
}

// Dense returns a matrix only to say that the rows are dense.
func (u unread) Dense() *dense.Matrix {
	if u.s.Dense {
		return new(dense.Matrix)
	}
	return nil
}
