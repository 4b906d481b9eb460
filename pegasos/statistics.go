package pegasos

import (
	"fmt"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/store"
)

// Statistics are what has to be known of all rows of a problem where no process has all of them:
// they choose what a Config leaves open, and bound the sums of [Rounds].
type Statistics struct {
	Rows, Cols int
	Nonzeros   int64
	Dense      bool      // the rows are held as dense ones
	Classes    []float32 // the labels, ascending
	Counts     []int64   // the rows of each class

	// Of each column: the largest magnitude, the mean and the variance, and whether all rows have
	// the same value in it. Without the moments, which are nil then, nothing can be standardised.
	MaxAbs         []float32
	Mean, Variance []float64
	Constant       []bool

	// Lengths are the least, the median and the largest squared length of a row that is above 0.
	Lengths [3]float64
	// Sizes has those of the rows as each kind of scaling that is possible makes them, ScaleNone
	// among them.
	Sizes map[Scale]RowSizes
}

// RowSizes are the mean and the largest of the rows' squared lengths.
type RowSizes struct{ MeanSquare, MaxSquare float64 }

// check returns an error unless the numbers can be those of rows.
func (s *Statistics) check() error {
	counted := int64(0)
	for _, n := range s.Counts {
		counted += max(n, 0)
	}
	switch {
	case s.Rows < 1 || s.Cols < 1:
		return fmt.Errorf("pegasos: statistics of %d rows and %d columns", s.Rows, s.Cols)
	case len(s.Classes) < 2:
		return fmt.Errorf("pegasos: the rows have %d classes: want two or more", len(s.Classes))
	case len(s.Counts) != len(s.Classes) || counted != int64(s.Rows):
		return fmt.Errorf("pegasos: statistics: the classes have %d rows of %d", counted, s.Rows)
	case len(s.MaxAbs) != s.Cols || len(s.Variance) != len(s.Mean) ||
		len(s.Constant) != len(s.Mean) || s.Mean != nil && len(s.Mean) != s.Cols:
		return fmt.Errorf("pegasos: statistics: want those of %d columns", s.Cols)
	}
	if _, ok := s.Sizes[ScaleNone]; !ok {
		return fmt.Errorf("pegasos: statistics: the rows' lengths are not there")
	}
	return nil
}

// columns returns them in the trainer's own form.
func (s *Statistics) columns() *store.Columns {
	return &store.Columns{
		Rows: s.Rows, Nonzeros: int(s.Nonzeros), MaxAbs: s.MaxAbs, Mean: s.Mean,
		Variance: s.Variance, Constant: s.Constant, Bad: -1,
		Squares: s.Lengths[:],
	}
}

// Choose returns cfg with what it leaves open chosen by the statistics, as training on all of the
// rows would, and how the rows are to be scaled. More than two classes are one-vs-rest.
func (s *Statistics) Choose(cfg Config) (Config, *Scaling, error) {
	if err := s.check(); err != nil {
		return cfg, nil, err
	}
	options.Fill(&cfg.Multiclass, OneVsRest)
	c := &choice{trainer: Trainer{Config: cfg}, x: unread{s: s}, y: nil, classes: s.Classes,
		columns: s.columns(), share: 0.5, meanOfAll: s.Sizes[ScaleNone].MeanSquare}
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
		_, possible := s.Sizes[tr.Scale]
		if tr.Scale == ScaleNone && !c.fitsFloat32() || !possible {
			tr.Scale = ScaleMaxAbs
		}
	}
	size, possible := s.Sizes[tr.Scale]
	if !possible {
		return cfg, nil, badField("Scale", "have %q, which the statistics of the rows don't allow",
			tr.Scale)
	}
	tr.TargetScale = ScaleNone
	c.countUsed()
	scaling := s.scaling(tr.Scale)
	c.r2, c.nonzero = size.MeanSquare, float64(s.Nonzeros)
	if tr.Scale == ScaleStandard {
		c.nonzero = float64(s.Rows) * c.used
	}
	if scaling != nil {
		scaling.R2 = c.r2
	}
	options.Fill(&tr.Finish, FinishNone) // rounds have methods of their own
	c.settle()
	return tr.Config, scaling, tr.Config.Validate()
}

// scaling returns how the rows are scaled; nil for as they are.
func (s *Statistics) scaling(kind Scale) *Scaling {
	if kind == ScaleNone {
		return nil
	}
	fitted := s.columns().Scaler(string(kind))
	c := &Scaling{Kind: kind, Shift: fitted.Shift, Factor: fitted.Factor}
	c.Folded = c.foldable()
	return c
}

// unread are rows of which no more than their form is known.
type unread struct {
	store.Matrix
	s *Statistics
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
