package choose

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/options"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/scale"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// The rules and their numbers come from a trial on 78 problems: docs/training.md has what they are,
// and why.
const (
	fewColumns  = 256 // up to these, columns are standardised
	denseFill   = 0.25
	scalesApart = 10      // of columns: the largest of the many to the smallest of them
	longApart   = 3       // of rows: the mean squared length to the median
	lengthsVary = 1.01    // of rows: the largest squared length to the least
	mostGrowth  = 4       // of sparse rows that become dense, in bytes
	mostEmpty   = 1 << 20 // bytes of empty columns in dense rows

	mostMapped = 1 << 30 // bytes of a copy of mapped rows

	shareOfR2   = 1e-4 // lambda
	leastOfRows = 0.3  // lambda times the rows, as a share of R^2
	ofSquared   = 0.03 // likewise for the squared loss

	rowsOfPairs  = 70   // for each class, for one-vs-one
	rowsOfWide   = 200  // likewise, of few values of many columns
	mostOfPairs  = 4e6  // weights of all pairs
	fewPasses    = 10   // over many sparse columns
	mostPasses   = 2000 // also of a run that Tol is to end
	enoughVisits = 1e6  // of nonzeros, in all passes
	manyPasses   = 100  // above these, some of them look whether the model is good enough
	enoughProof  = 0.01 // what it is then proven to be, at most, above the optimum
)

// An Open is what there is to choose for.
type Open struct {
	settings.Settings // those that are zero are open

	Known     *scale.Scale // of the model that the run builds on; nil for none
	Resumed   bool         // the run goes on from a checkpoint
	Start     bool         // there is a model to go on from
	Prior     bool         // there is one
	Costs     bool         // of mistakes
	Threads   int
	MaxMemory int64       // 0 for the default
	Stopped   func() bool // once it is true, what is chosen is of no use
	// Need estimates the bytes that a run with the settings takes at least: see engine.Need. Nil
	// where no run is chosen.
	Need func(settings.Settings, *rows.Set) float64
}

// A Choice is settings in full, and the rows and numbers that they are for.
type Choice struct {
	Open
	Rows  *rows.Set    // scaled; nil if there are statistics in place of rows
	Scale *scale.Scale // of the rows; never nil

	count, width int       // of the rows, and of their columns
	held         bool      // the rows are dense already, or of a type of the caller's
	size         int       // of the rows, in bytes
	meanSquare   float64   // squared length of the rows as they are
	weight       []float64 // 1 for each row that counts, else 0; nil for ones
	shares       []float64 // of the classes
	columns      *store.Columns
	note         string
	byRule       bool    // lambda is
	moved        bool    // it is another one of a path
	foreign      bool    // the rows are of a type of the caller's
	nonzero      float64 // values of the scaled rows
}

// Settings chooses what is open for rows, and scales them, up to the Path and the End, which are
// the caller's to take; nothing once it is stopped.
func Settings(o Open, set *rows.Set) (*Choice, error) {
	c := newChoice(o, set)
	for _, step := range []func() error{c.measure, c.scale} {
		if err := step(); err != nil || o.Stopped() {
			return nil, err
		}
	}
	c.settle()
	return c, nil
}

// newChoice returns the choice for rows, of which nothing is known yet.
func newChoice(o Open, set *rows.Set) *Choice {
	m, ok := store.MatrixOf(set.X)
	c := &Choice{Open: o, Rows: set, shares: Shares(set), count: set.X.Rows(), width: set.X.Cols(),
		held: !ok || m.Dense() != nil, foreign: !ok, size: set.X.Size()}
	if set.Weight != nil { // the scale goes by the rows that there are, whatever they weigh
		c.weight = make([]float64, len(set.Weight))
		for i, w := range set.Weight {
			if w > 0 {
				c.weight[i] = 1
			}
		}
	}
	return c
}

// FromStatistics chooses what is open by the statistics of rows, as Settings would by the rows. More
// than two classes are one-vs-rest.
func FromStatistics(o Open, s *store.Statistics) (*Choice, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	options.Fill(&o.Multiclass, settings.OneVsRest)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Choice{Open: o, columns: s.Columns(), count: s.Rows, width: s.Cols, held: s.Dense,
		size: 8 * int(s.Nonzeros), meanSquare: s.Sizes[scaling.None].MeanSquare}
	for _, n := range s.Counts {
		c.shares = append(c.shares, float64(n)/float64(s.Rows))
	}
	if c.Open.Scale == "" {
		c.Open.Scale = c.bestKind()
		if _, possible := s.Sizes[c.Open.Scale]; !possible {
			c.Open.Scale = scaling.MaxAbs
		}
	}
	size, possible := s.Sizes[c.Open.Scale]
	if !possible {
		return nil, options.Bad("Scale", "have %q, which the statistics of the rows don't allow",
			c.Open.Scale)
	}
	c.TargetScale = scaling.None
	c.Scale = c.fitted()
	c.Scale.R2 = size.MeanSquare
	options.Fill(&c.Finish, settings.FinishNone) // rounds have methods of their own
	c.settle()
	c.End()
	return c, c.Validate()
}

// settle fills in what goes by the scaled rows.
func (c *Choice) settle() {
	c.nonzero = float64(c.columns.Nonzeros)
	if c.Scale.Kind == scaling.Standard {
		c.nonzero = float64(c.columns.Rows) * c.used()
	}
	if c.Multiclass == "" {
		c.Multiclass = c.multiclass()
	}
	if c.Multiclass == settings.Multinomial {
		options.Fill(&c.Loss, loss.Log.Name())
	}
	options.Fill(&c.Bias, settings.BiasAugmented)
	if c.Bias == settings.BiasAugmented && c.BiasScale == 0 {
		c.BiasScale = 1
		if c.nonzero > 0 && c.Scale.R2 > 0 {
			c.BiasScale = math.Sqrt(float64(c.columns.Rows) * c.Scale.R2 / c.nonzero)
		}
	}
	if c.Lambda == 0 && c.C == 0 {
		c.Lambda, c.byRule = c.lambda(), true
	}
}

// lambda returns the penalty.
func (c *Choice) lambda() float64 {
	n := float64(c.columns.Rows)
	least := leastOfRows
	if c.Kind() == loss.Squared {
		least = ofSquared
	}
	a := max(float64(shareOfR2*min(max(10*c.used()/n, 0.1), 1)), least/n)
	if len(c.shares) == 2 {
		a = float64(a * math.Sqrt(2*min(c.shares[0], c.shares[1])))
	}
	if c.Scale.R2 > 0 {
		a = float64(a * c.Scale.R2)
	}
	return a
}

// wide reports whether the rows are few values of many columns, as those of text are.
func (c *Choice) wide() bool {
	fill := c.nonzero / (float64(c.columns.Rows) * float64(c.Cols()))
	return c.Cols() > fewColumns && fill < denseFill
}

// multiclass returns what problems the classes make.
func (c *Choice) multiclass() string {
	k, n, d := float64(len(c.shares)), float64(c.columns.Rows), float64(c.Cols())
	if c.Costs {
		return settings.CrammerSinger
	}
	if k <= 2 {
		return settings.OneVsRest
	}
	pairs := k <= settings.MaxPairClasses && k*(k-1)/2*d <= mostOfPairs
	least := float64(rowsOfPairs)
	if c.wide() {
		least = rowsOfWide
	}
	var ways []string // the best first
	if pairs && n >= least*k {
		ways = append(ways, settings.OneVsOne)
	}
	for _, joint := range []string{settings.CrammerSinger, settings.Multinomial} {
		s := c.Settings
		s.Multiclass = joint
		if !(s.Loss == "" && joint == settings.Multinomial) && s.Validate() == nil {
			ways = append(ways, joint)
		}
	}
	if pairs {
		ways = append(ways, settings.OneVsOne)
	}
	ways = append(ways, settings.OneVsRest)
	for _, way := range ways {
		s := c.Settings
		s.Multiclass = way
		if c.fits(s) {
			return way
		}
	}
	return ways[0]
}

// fits reports whether a run with the settings needs at most MaxMemory, or 4 GiB if that is 0.
func (c *Choice) fits(s settings.Settings) bool {
	return c.Need == nil || c.Need(s, c.Rows) <= float64(c.memory())
}

// passes returns how many there are at most where no proof is asked for.
func (c *Choice) passes() int {
	least := float64(settings.DefaultEpochs)
	if c.wide() {
		least = fewPasses
	}
	return int(max(least, min(mostPasses, enoughVisits/max(c.nonzero, 1))))
}

// finish chooses how the run ends where nothing is said of it: with FinishAuto if it is to go on up
// to a proof, which is also there where that is cheap; with Newton's method for the squared loss.
func (c *Choice) finish(passes int) {
	if c.Finish == "" && !c.Resumed && c.Shards <= 1 {
		s := c.Settings
		switch {
		case c.Tol > 0:
			if s.Finish = settings.FinishAuto; s.Validate() == nil {
				c.Finish = settings.FinishAuto
			}
		case c.Kind() == loss.EpsInsensitive && !c.moved:
			// The constant is moved anyway: see Session.centre.
		case s.Epochs == 0 && s.Steps == 0 && !c.Prior:
			if c.Kind() == loss.Squared && c.Cols() <= fewColumns && c.roomForNewton() {
				s.Finish = settings.FinishNewton // columns that go together take very many passes
				if s.Validate() == nil {
					c.Finish = settings.FinishNewton
					return
				}
			}
			c.prove(passes)
		}
	}
	switch {
	case c.Epochs != 0 || c.Steps != 0 || c.Finish == settings.FinishNewton:
	case c.Tol > 0:
		c.Epochs = mostPasses
	default:
		c.Epochs = passes
		if c.Epochs > manyPasses && c.MayProve() {
			c.Tol = enoughProof
		}
	}
}
