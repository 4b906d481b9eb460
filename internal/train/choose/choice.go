package choose

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// docs/training.md and docs/spec.md describe the rules.
const (
	maxNarrow      = 256     // largest number of columns of narrow data
	minDenseFill   = 0.25    // least share of nonzero values of dense data
	maxColumnRange = 10      // large / small column magnitude above which scales are unequal
	maxMeanLength  = 3       // mean / median squared row length above which rows get length 1
	maxLengthRange = 1.01    // largest / least squared row length up to which lengths are equal
	maxDenseGrowth = 4       // largest dense/sparse ratio of bytes for sparse rows to become dense
	maxEmptyBytes  = 1 << 20 // bytes that zero columns may add when sparse rows become dense
	maxMappedCopy  = 1 << 30 // largest copy, in bytes, of mapped rows for scaling

	lambdaShare = 1e-4 // default lambda / (mean squared row length), before corrections

	minRowsPerClassOVO     = 70  // mean rows per class from which one-vs-one is preferred
	minRowsPerClassOVOWide = 200 // minRowsPerClassOVO for wide sparse data
	plannedVisits          = 1e6 // least nonzeros*passes for small data, up to MaxPasses
	maxUncheckedPasses     = 100 // longer runs may end at a relative duality gap of ProofTol

	// MaxPairWeights is the largest number of weights for which one-vs-one is chosen.
	MaxPairWeights = 4e6
	// MinPasses is the least number of passes for wide sparse data.
	MinPasses = 10
	// MaxPasses is the largest chosen number of passes.
	MaxPasses = 2000
	// ProofTol is the relative duality gap of a proof without a given Tol.
	ProofTol = 0.01
)

// Open describes a training run. Zero settings are unset.
type Open struct {
	settings.Settings

	Known   *scale.Scale // scale of the model that the run builds on, or nil
	Resumed bool
	Start   bool
	Prior   bool // the penalty is the distance from a prior model
	Costs   bool
	// CurveColumns lists columns for curves; nil for all columns of dense rows.
	CurveColumns []int
	Threads      int
	MaxMemory    int64       // bytes that training may use; 0 for the default
	Stopped      func() bool // reports whether the caller gave up: the result is then unusable
	// Need estimates the least number of bytes that a run uses; nil if every run fits in memory.
	Need func(settings.Settings, *store.Set) float64
}

// Choice holds the chosen settings and the scaled rows.
type Choice struct {
	Open
	Rows  *store.Set   // nil for a choice from statistics
	Scale *scale.Scale // not nil

	RawEpsilon float64 // Epsilon in units of the unscaled targets; 0 for classes

	count, width int            // rows, also of weight 0; columns, also empty ones, and curve terms
	notSparse    bool           // the rows are dense, or of a user-defined type
	meanSquare   float64        // of the unscaled rows
	weight       []float64      // 1 for rows with a weight above 0, else 0; nil without weights
	shares       []float64      // see Shares
	columns      *scale.Columns // of the unscaled columns
	filled       int            // columns with a nonzero value; 0 until Cols counts them
	note         string         // why the rows are unscaled, or the known scale's note
	byRule       bool           // method lambda computed lambda
	curvesOpen   bool
	moved        bool // Use changed the default lambda
	userDefined  bool
	nonzero      float64 // nonzero values in the scaled rows, estimated by settle
	unsettled    *Choice // the choice with scaled rows, before settle and expand
}

func newChoice(o Open, set *store.Set) *Choice {
	m, ok := store.MatrixOf(set.X)
	c := &Choice{Open: o, Rows: set, shares: Shares(set), count: set.X.Rows(), width: set.X.Cols(),
		notSparse: !ok || m.Dense() != nil, userDefined: !ok}
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

// Shares returns the share of each class in the rows with a weight above 0; nil for regression.
func Shares(set *store.Set) (shares []float64) {
	total := 0.0
	for _, n := range set.CountClasses() {
		shares = append(shares, float64(n))
		total += float64(n)
	}
	for k := range shares {
		shares[k] /= total
	}
	return shares
}

func (c *Choice) measure() error {
	kind := c.Open.Scale
	for few := c.width <= maxNarrow; ; few = true {
		if few && kind == "" && !c.notSparse { // bestKind computes the moments if needed
			c.columns = scale.MeasureConstants(c.Rows.X, c.weight, c.Threads, c.Stopped)
		} else {
			c.columns = scale.Measure(c.Rows.X, c.weight, few && kind == "" ||
				kind == scale.Standard, c.Threads, c.Stopped)
		}
		if few || c.Cols() > maxNarrow {
			break // narrow only without the empty columns: measure again
		}
	}
	if err := c.Rows.X.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if c.columns.Bad >= 0 {
		return store.BadRow(c.columns.Bad, "a value is NaN or infinite")
	}
	c.meanSquare = c.mean(func(i int) float64 { return c.columns.Squares[i] })
	return nil
}

func (c *Choice) mean(f func(i int) float64) (mean float64) {
	n := 0.0
	for i := range c.count {
		if c.weight == nil || c.weight[i] > 0 {
			mean += f(i)
			n++
		}
	}
	return mean / n
}

// Cols returns the number of columns with a nonzero value, plus the number of curve terms.
func (c *Choice) Cols() int {
	if c.filled == 0 {
		for _, v := range c.columns.MaxAbs {
			if v > 0 {
				c.filled++
			}
		}
	}
	return c.filled + c.Scale.Terms()
}

// used is Cols without known constant columns.
func (c *Choice) used() (n float64) {
	for j, v := range c.columns.MaxAbs {
		if v > 0 && (c.columns.Constant == nil || !c.columns.Constant[j]) {
			n++
		}
	}
	return n + float64(c.Scale.Terms())
}

func (c *Choice) memory() int64 { return cmp.Or(c.MaxMemory, options.DefaultMaxMemory) }

// moments returns the mean and standard deviation of the labels of rows with a weight above 0. It
// replaces a deviation by 1 if that is not finite, or at most 2^-40 times the mean's magnitude.
func (c *Choice) moments() (mean, deviation float64) {
	mean = c.mean(func(i int) float64 { return float64(c.Rows.Y[i]) })
	deviation = math.Sqrt(c.mean(func(i int) float64 {
		d := float64(c.Rows.Y[i]) - mean
		return float64(d * d)
	}))
	if !(deviation > float64(0x1p-40*math.Abs(mean))) || !(deviation <= math.MaxFloat64) {
		deviation = 1
	}
	return mean, deviation
}

// TargetDeviation returns the targets' deviation, computed by moments; 0 for classes.
func (c *Choice) TargetDeviation() float64 {
	if !c.Regression() {
		return 0
	}
	_, deviation := c.moments()
	return deviation
}

func (c *Choice) wide() bool {
	fill := c.nonzero / (float64(c.columns.Rows) * float64(c.Cols()))
	return c.Cols() > maxNarrow && fill < minDenseFill
}

func (c *Choice) fits(s settings.Settings) bool {
	return c.Need == nil || c.Need(s, c.Rows) <= float64(c.memory())
}
