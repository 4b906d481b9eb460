package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/sys/machine"
	"github.com/pegasimd/pegasimd/internal/train/options"
)

func (c *Choice) scale() error {
	if c.Known != nil && c.Known.Kind == c.Open.Scale {
		known := *c.Known
		c.Scale = known.WithCols(c.width)
		if c.Resumed { // another run may have another lambda and another length
			c.note = known.Note
		}
	} else {
		if c.Open.Scale == "" {
			c.Open.Scale = c.kind()
		}
		c.Scale = scale.Fit(c.Open.Scale, c.columns)
	}
	if c.Scale.Kind != scale.None {
		if err := c.checkCopy(c.Scale.Kind == scale.Standard); err != nil {
			return err
		}
	}
	c.chooseTargetScale()
	examples, y := c.Scale.Apply(c.Rows.X, c.Rows.Y, c.termRoom(), c.Threads, c.Stopped)
	scaled, x := *c.Rows, store.Of(examples)
	scaled.X, scaled.Y = x, y
	c.Rows = &scaled
	if i := floats.FirstNotFinite(y); i >= 0 {
		return store.BadRow(i, "the scaled label exceeds the range of float32")
	}
	c.Scale.Note, c.Scale.R2 = c.note, c.meanSquare
	if c.Scale.Kind != scale.None || c.Scale.Expansion != nil {
		c.Scale.R2 = c.mean(func(i int) float64 { return float64(x.SumSquares(i)) })
	}
	return nil
}

// Fits reports whether training on the rows of set, with s's kinds of scaling and of expansion,
// would give s. The expansion is over the given columns; nil means all. Once stopped reports true,
// the result is unusable.
func Fits(s *scale.Scale, set *store.Set, columns []int, threads int, stopped func() bool) (
	bool, error) {
	c := newChoice(Open{Threads: threads, Stopped: stopped}, set)
	if c.Open.Scale = s.Kind; s.Kind != scale.None {
		if err := c.measure(); err != nil {
			return false, err
		}
	}
	f := scale.Fit(s.Kind, c.columns)
	if s.Spread != 0 {
		f.Centre, f.Spread = c.moments()
	}
	folded := f.Folded
	if e := s.Expansion; e != nil {
		x := set.X
		if f.Kind != scale.None {
			x = f.Rows(x, c.Threads, stopped)
		}
		terms := scale.Terms(e.Kind, x, columns, c.weight, stopped)
		if terms == nil || stopped() {
			return false, nil
		}
		f.Expansion = scale.FitTerms(terms, x, c.weight, c.Threads, stopped)
		folded = false
	}
	return s.Same(f) && s.Folded == folded && s.Centre == f.Centre && s.Spread == f.Spread, nil
}

// Columns returns the Choice.Cols of the training that fitted s to the rows of set.
func Columns(s *scale.Scale, set *store.Set, threads int, stopped func() bool) int {
	c := newChoice(Open{Threads: threads, Stopped: stopped}, set)
	c.columns, c.Scale = scale.Measure(set.X, c.weight, false, threads, stopped), s
	return c.Cols()
}

// If the rows can't be copied, kind returns scale.None and sets c.note to the reason.
func (c *Choice) kind() scale.Kind {
	k := c.bestKind()
	if k == scale.None {
		return k
	}
	need := c.copyBytes(k == scale.Standard)
	m, ok := store.MatrixOf(c.Rows.X)
	switch {
	case !ok:
		c.note = "rows of a user-defined type, which are not copied"
	case m.WillNeed() != nil && need > maxMappedCopy:
		c.note = "mapped rows, too many to be copied"
	case need > float64(c.memory())/2: // training needs the other half
		c.note = fmt.Sprintf("a copy of the rows would take more than %.6g MB, half of the memory "+
			"limit", float64(c.memory())/2e6)
	default:
		return k
	}
	c.note += fmt.Sprintf(": scaling (%s) was left out", k)
	return scale.None
}

func (c *Choice) bestKind() scale.Kind {
	all, cols := c.columns, c.Cols()
	if all.Nonzeros == 0 {
		return scale.None
	}
	none := scale.None
	if s := c.meanSquare; s != 0 && // float32 can't hold the squared lengths of unscaled rows
		!(s >= store.MinR2 && slices.Max(all.Squares) <= math.MaxFloat32) {
		none = scale.MaxAbs
	}
	q := scale.Quantiles(all.MaxAbs, 0, 0.1, 0.9, 1)
	unequal := q[2] > float64(maxColumnRange*q[1])
	fill := float64(all.Nonzeros) / (float64(all.Rows) * float64(cols))
	// A nonzero takes 8 bytes. Rows.Size can't be used: it is 0 for mapped sparse rows.
	emptyBytes := 4 * float64(c.count) * float64(c.width-cols)
	fits := c.notSparse || fill*8*maxDenseGrowth >= 4 && emptyBytes <= maxEmptyBytes
	switch {
	case fill >= minDenseFill && cols > maxNarrow && !unequal:
		return none
	case fill >= minDenseFill || cols <= maxNarrow && q[3] > float64(maxColumnRange*q[0]):
		if !fits {
			return scale.MaxAbs
		}
		if all.Mean == nil && c.Rows != nil {
			c.columns = scale.Measure(c.Rows.X, c.weight, true, c.Threads, c.Stopped)
		}
		return scale.Standard
	}
	lengths := scale.Quantiles(all.Squares, 0, 0.5, 1)
	if c.meanSquare > float64(maxMeanLength*lengths[1]) {
		return scale.Unit
	}
	if unequal && lengths[2] > float64(maxLengthRange*lengths[0]) {
		return scale.MaxAbs
	}
	return none
}

func (c *Choice) copyBytes(toDense bool) float64 {
	if toDense || c.notSparse {
		return 4 * float64(c.count) * float64(c.width)
	}
	return 8 * (float64(c.columns.Nonzeros) + float64(c.count))
}

// checkCopy returns an error if a scaled copy of the rows would take all the allowed memory:
// MaxMemory or, if 0, the lesser of options.Allowed and the machine's free memory. It subtracts the
// copy's size from a MaxMemory above 0.
func (c *Choice) checkCopy(toDense bool) error {
	need, most, have := c.copyBytes(toDense), float64(cmp.Or(c.MaxMemory, options.Allowed)),
		"have %.6g MB"
	if free := machine.Free(); c.MaxMemory == 0 && free < most {
		most, have = free, "the machine or control group has %.6g MB beside what this program uses"
	}
	if need >= most {
		have += ", but a scaled copy of the rows would take %.6g MB"
		args := []any{most / 1e6, need / 1e6}
		if c.Known == nil && (c.Curves == "" || c.Curves == curves.None) { // else Scale can't be none
			have += ": %s %q makes no copy"
			args = append(args, options.Name("Scale"), scale.None)
		}
		return options.Bad("MaxMemory", have, args...)
	}
	if c.MaxMemory > 0 {
		c.MaxMemory -= int64(need)
	}
	return nil
}

func (c *Choice) chooseTargetScale() {
	if !c.Regression() {
		c.TargetScale = scale.None
		return
	}
	s := c.Scale
	options.Fill(&c.TargetScale, scale.Standard)
	if c.TargetScale == scale.None {
		s.Centre, s.Spread = 0, 0
	} else if s.Spread == 0 { // if not 0, the scale is known
		s.Centre, s.Spread = c.moments()
	}
	if c.Epsilon == 0 && c.TargetScale == scale.Standard && c.Kind().Traits().Epsilon {
		c.Epsilon = float64(0.1 * s.Spread)
	}
	c.RawEpsilon = c.Epsilon
	c.Epsilon /= s.TargetUnit()
}
