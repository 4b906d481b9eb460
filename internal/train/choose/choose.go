package choose

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/rows"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// The rules by which this package chooses settings, and the numbers in the rules, come from a trial
// on 78 problems: docs/training.md explains them, and docs/spec.md lists them.
const (
	maxNarrow      = 256     // data with at most this many columns count as narrow
	minDenseFill   = 0.25    // share of nonzero values from which data count as dense
	maxColumnRange = 10      // large / small column magnitude above which scales count as unequal
	maxMeanLength  = 3       // mean / median squared row length above which rows get length 1
	maxLengthRange = 1.01    // largest / least squared row length up to which these count as equal
	maxDenseGrowth = 4       // ratio of dense to sparse bytes up to which sparse rows may become dense
	maxEmptyBytes  = 1 << 20 // bytes that all-zero columns may add when sparse rows become dense
	maxMappedCopy  = 1 << 30 // largest copy, in bytes, of memory-mapped rows for scaling

	lambdaShare          = 1e-4 // default lambda / (mean squared row length), before corrections
	minLambdaRows        = 0.3  // least lambda*rows / (mean squared row length), before corrections
	minLambdaRowsSquared = 0.03 // minLambdaRows for the squared loss

	minRowsPerClassOVO     = 70  // mean rows per class from which one-vs-one is preferred
	minRowsPerClassOVOWide = 200 // minRowsPerClassOVO for wide sparse data
	plannedVisits          = 1e6 // small data get more passes, until nonzeros*passes is this number
	maxUncheckedPasses     = 100 // longer runs may end early, at a relative duality gap of ProofTol

	// MaxPairWeights is the largest number of weights, over all pairs of classes, for which
	// one-vs-one is chosen.
	MaxPairWeights = 4e6
	// MinPasses is the least number of passes that is chosen for wide sparse data. For other data
	// the least number is settings.DefaultEpochs.
	MinPasses = 10
	// MaxPasses is the largest number of passes that is chosen, also for a run with a given Tol.
	MaxPasses = 2000
	// ProofTol is the relative duality gap that a run proves if it ends with a proof although no
	// Tol is given.
	ProofTol = 0.01
)

// Open describes a training run. Its settings that are zero are unset, and this package chooses
// them.
type Open struct {
	settings.Settings // the given settings; zero fields are unset

	Known     *scale.Scale // scale of the model that the run builds on; nil if there is none
	Resumed   bool         // the run continues from a checkpoint
	Start     bool         // the run starts from a model
	Prior     bool         // the penalty is the distance from a prior model
	Costs     bool         // the run has a matrix of misclassification costs
	Threads   int          // goroutines that measure and scale the rows
	MaxMemory int64        // bytes that training may use; 0 for the default
	Stopped   func() bool  // reports whether the caller has given up: the result is then unusable
	// Need estimates the least number of bytes that a run with the settings uses: see engine.Need.
	// If it is nil, every run fits in memory.
	Need func(settings.Settings, *rows.Set) float64
}

// Choice holds the chosen settings and the scaled rows that they are for.
type Choice struct {
	Open
	Rows  *rows.Set    // scaled rows; nil if the choice was made from statistics
	Scale *scale.Scale // scale of the rows and targets; not nil

	RawEpsilon float64 // setting Epsilon, in units of the unscaled targets; 0 for classes

	count, width int            // rows and columns, including rows of weight 0 and empty columns
	notSparse    bool           // the rows are dense, or of a user-defined type
	size         int            // bytes of the rows; 8 per nonzero if only statistics are known
	meanSquare   float64        // mean squared length of the unscaled rows
	weight       []float64      // 1 for rows with a weight above 0, 0 for others; nil without weights
	shares       []float64      // share of each class in the rows of weight > 0; nil for regression
	columns      *scale.Columns // statistics of the unscaled columns
	note         string         // why the rows were left unscaled, or the note of the known scale
	byRule       bool           // lambda was unset, and method lambda computed a default
	moved        bool           // UseLambda replaced the default lambda by another lambda
	userDefined  bool           // the rows are of a user-defined type
	nonzero      float64        // number of nonzero values in the scaled rows
}

// Settings chooses the unset settings for the rows of set and scales the rows. The caller then
// tries the lambdas of Choice.Path, passes the best one to Choice.UseLambda, and calls Choice.End.
// Once o.Stopped reports true, Settings returns a nil Choice, and its error means nothing.
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

// newChoice returns a Choice for the rows of set, before anything is measured or chosen.
func newChoice(o Open, set *rows.Set) *Choice {
	m, ok := store.MatrixOf(set.X)
	c := &Choice{Open: o, Rows: set, shares: Shares(set), count: set.X.Rows(), width: set.X.Cols(),
		notSparse: !ok || m.Dense() != nil, userDefined: !ok, size: set.X.Size()}
	if set.Weight != nil { // the scale depends only on which weights are above 0
		c.weight = make([]float64, len(set.Weight))
		for i, w := range set.Weight {
			if w > 0 {
				c.weight[i] = 1
			}
		}
	}
	return c
}

// FromStatistics chooses the unset settings as Settings does, but from statistics of the rows. An
// unset Multiclass becomes one-vs-rest, and an unset Finish becomes plain steps.
func FromStatistics(o Open, s *scale.Statistics) (*Choice, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	options.Fill(&o.Multiclass, settings.OneVsRest)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Choice{Open: o, columns: s.Columns(), count: s.Rows, width: s.Cols, notSparse: s.Dense,
		size: 8 * int(s.Nonzeros), meanSquare: s.Sizes[scale.None].MeanSquare}
	for _, n := range s.Counts {
		c.shares = append(c.shares, float64(n)/float64(s.Rows))
	}
	if c.Open.Scale == "" {
		c.Open.Scale = c.bestKind()
		if _, possible := s.Sizes[c.Open.Scale]; !possible {
			c.Open.Scale = scale.MaxAbs
		}
	}
	size, possible := s.Sizes[c.Open.Scale]
	if !possible {
		return nil, options.Bad("Scale", "have %q, which the statistics of the rows don't allow",
			c.Open.Scale)
	}
	c.TargetScale = scale.None
	c.Scale = scale.Fit(c.Open.Scale, c.columns)
	c.Scale.R2 = size.MeanSquare
	options.Fill(&c.Finish, settings.FinishNone) // training in rounds has solvers of its own
	c.settle()
	c.End()
	return c, c.Validate()
}

// settle chooses the unset settings that depend on the scaled rows: the multi-class scheme, the
// loss of a multinomial problem, the bias and lambda.
func (c *Choice) settle() {
	c.nonzero = float64(c.columns.Nonzeros)
	if c.Scale.Kind == scale.Standard {
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

// lambda returns the default lambda: a share of R^2, the mean squared length of the scaled rows, or
// of 1 if R^2 is 0.
func (c *Choice) lambda() float64 {
	n := float64(c.columns.Rows)
	least := costsOf(c.Kind()).leastLambda
	a := max(float64(lambdaShare*min(max(10*c.used()/n, 0.1), 1)), least/n)
	if len(c.shares) == 2 {
		a = float64(a * math.Sqrt(2*min(c.shares[0], c.shares[1])))
	}
	if c.Scale.R2 > 0 {
		a = float64(a * c.Scale.R2)
	}
	return a
}

// wide reports whether the scaled rows have many columns and few nonzero values, as text does.
func (c *Choice) wide() bool {
	fill := c.nonzero / (float64(c.columns.Rows) * float64(c.Cols()))
	return c.Cols() > maxNarrow && fill < minDenseFill
}

// multiclass returns a multi-class scheme. For a matrix of misclassification costs it is Crammer
// and Singer's, and for at most two classes one-vs-rest. Otherwise it is the best scheme whose run
// fits in memory, or the best of all schemes if none fits.
func (c *Choice) multiclass() string {
	k, n, d := float64(len(c.shares)), float64(c.columns.Rows), float64(c.Cols())
	if c.Costs {
		return settings.CrammerSinger
	}
	if k <= 2 {
		return settings.OneVsRest
	}
	pairs := k <= settings.MaxPairClasses && k*(k-1)/2*d <= MaxPairWeights
	least := float64(minRowsPerClassOVO)
	if c.wide() {
		least = minRowsPerClassOVOWide
	}
	var schemes []string // candidates, the best first
	if pairs && n >= least*k {
		schemes = append(schemes, settings.OneVsOne)
	}
	for _, joint := range []string{settings.CrammerSinger, settings.Multinomial} {
		s := c.Settings
		s.Multiclass = joint
		if !(s.Loss == "" && joint == settings.Multinomial) && s.Validate() == nil {
			schemes = append(schemes, joint)
		}
	}
	if pairs {
		schemes = append(schemes, settings.OneVsOne)
	}
	schemes = append(schemes, settings.OneVsRest)
	for _, scheme := range schemes {
		s := c.Settings
		s.Multiclass = scheme
		if c.fits(s) {
			return scheme
		}
	}
	return schemes[0]
}

// fits reports whether a run with the settings needs at most MaxMemory bytes, or the default limit
// if MaxMemory is 0.
func (c *Choice) fits(s settings.Settings) bool {
	return c.Need == nil || c.Need(s, c.Rows) <= float64(c.memory())
}

// passes returns the number of passes over the rows for a run that does not end with a proof. Small
// data get more passes.
func (c *Choice) passes() int {
	least := float64(settings.DefaultEpochs)
	if c.wide() {
		least = MinPasses
	}
	return int(max(least, min(MaxPasses, plannedVisits/max(c.nonzero, 1))))
}

// finish chooses the solver, the tolerance and the epochs where they are unset. The argument is the
// number of passes over the rows for a run that does not end with a proof. The solver becomes
//   - FinishAuto if Tol is given;
//   - Newton's method for the squared loss on narrow data, if it fits in memory, and Tol, Epochs,
//     Steps and a prior are not given;
//   - FinishAuto if a proof is predicted to be cheap, and Tol, Epochs, Steps and a prior are not
//     given.
//
// It stays unset otherwise, and always for resumed runs, for settings that the solver does not
// allow and, without Tol, for a loss without Traits.MeanResidual on regression targets, unless
// UseLambda has replaced the rule's lambda.
func (c *Choice) finish(passes int) {
	if c.Finish == "" && !c.Resumed {
		s := c.Settings
		switch {
		case c.Tol > 0:
			if s.Finish = settings.FinishAuto; s.Validate() == nil {
				c.Finish = settings.FinishAuto
			}
		case c.Regression() && !c.Kind().Traits().MeanResidual && !c.moved:
			// The engine shifts the bias to a mean residual of 0, away from the optimum.
		case s.Epochs == 0 && s.Steps == 0 && !c.Prior:
			if costsOf(c.Kind()).newton && c.Cols() <= maxNarrow && c.newtonFits() {
				s.Finish = settings.FinishNewton // the dual descent is slow on correlated columns
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
		c.Epochs = MaxPasses
	default:
		c.Epochs = passes
		if c.Epochs > maxUncheckedPasses && c.MayProve() {
			c.Tol = ProofTol
		}
	}
}
