package choose

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/train/loss"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

// Settings scales the rows of set and chooses unset settings. If Choice.Search then returns a
// Search, the caller passes the best lambda to Choice.Use. Finally, Choice.End chooses the other
// settings. If o.Stopped reports true, Settings may return a nil Choice, and its error means
// nothing.
func Settings(o Open, set *store.Set) (*Choice, error) {
	if o.Costs && o.Multiclass == "" {
		o.Multiclass = settings.CrammerSinger
		if rule := (options.Rule{}); errors.As(o.Validate(), &rule) {
			return nil, options.Rule{Field: "Costs", Reason: fmt.Sprintf("they require Multiclass %q; %s",
				o.Multiclass, rule), Mentions: "Multiclass " + rule.Field + " " + rule.Mentions}
		}
	}
	c := newChoice(o, set)
	for _, step := range []func() error{c.measure, c.scale} {
		if err := step(); err != nil || o.Stopped() {
			return nil, err
		}
	}
	before := *c
	c.unsettled = &before
	switch kind := c.Curves; {
	case c.Scale.Expansion != nil: // c.Known has an expansion, which Scale.Apply has applied
		c.width += c.Scale.Terms()
	case kind != "" && kind != curves.None:
		if reason, args := c.noCurves(); reason != "" {
			return nil, options.Bad("Curves", "have %q, but "+reason, append([]any{kind}, args...)...)
		}
		if e := c.Expanded(kind); e != nil {
			return e, nil
		}
		if o.Stopped() {
			return nil, nil
		}
		of, n := "columns", c.width
		if c.CurveColumns != nil { // columns of a table
			of, n = "columns of numbers or dates", len(c.CurveColumns)
		}
		why := fmt.Sprintf("in the %s, too many values are equal", of)
		switch most := scale.MaxCurvedColumns; {
		case n == 0:
			why = "there are no " + of
		case n > most && scale.TooManyVary(c.Rows.X, c.CurveColumns, c.weight, c.Stopped):
			why = fmt.Sprintf("more than %d %s vary", most, of)
		}
		return nil, options.Bad("Curves", "have %q, but no curve can be formed: %s", kind, why)
	}
	c.curvesOpen = c.Curves == ""
	options.Fill(&c.Curves, curves.None)
	c.settle()
	return c, nil
}

// FromStatistics chooses the unset settings from statistics of the rows. An unset Multiclass
// becomes one-vs-rest, and an unset Finish becomes plain steps.
func FromStatistics(o Open, s *scale.Statistics) (*Choice, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	options.Fill(&o.Multiclass, settings.OneVsRest)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	c := &Choice{Open: o, columns: &s.Columns, count: s.Rows, width: s.Cols, notSparse: s.Dense,
		meanSquare: s.Sizes[scale.None].MeanSquare}
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
		var kinds []string
		for kind := range s.Sizes {
			kinds = append(kinds, string(kind))
		}
		slices.Sort(kinds)
		return nil, options.Bad("Scale", "have %q, but the rows were measured only for %s",
			c.Open.Scale, strings.Join(kinds, ", "))
	}
	c.TargetScale = scale.None
	c.Scale = scale.Fit(c.Open.Scale, c.columns)
	c.Scale.R2 = size.MeanSquare
	options.Fill(&c.Finish, settings.FinishNone) // training in rounds has solvers of its own
	c.settle()
	c.End()
	return c, c.Validate()
}

func (c *Choice) settle() {
	c.nonzero = float64(c.columns.Nonzeros)
	if c.Scale.Kind == scale.Standard {
		c.nonzero = float64(c.columns.Rows) * c.used()
	} else {
		c.nonzero += float64(c.columns.Rows * c.Scale.Terms())
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

func (c *Choice) pairsFit() bool {
	k, d := float64(len(c.shares)), float64(c.Cols())
	return k <= settings.MaxPairClasses && k*(k-1)/2*d <= MaxPairWeights
}

// multiclass returns the best possible scheme whose run fits in memory. If none fits, it returns
// the best possible scheme.
func (c *Choice) multiclass() string {
	k, n := float64(len(c.shares)), float64(c.columns.Rows)
	if k <= 2 {
		return settings.OneVsRest
	}
	pairs := c.pairsFit()
	least := float64(minRowsPerClassOVO)
	if c.wide() {
		least = minRowsPerClassOVOWide
	}
	var schemes []string // the best first
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
