package choose

import (
	"cmp"
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/rows"
)

// Shares returns the share of each class in the rows with a weight above 0; nil for regression.
func Shares(set *rows.Set) (shares []float64) {
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

// measure computes the statistics of the columns and rows that the choices need. It returns an
// error if the rows can't be read or a value is not finite.
func (c *Choice) measure() error {
	kind := c.Open.Scale
	for few := c.width <= maxNarrow; ; few = true {
		if few && kind == "" && !c.notSparse { // bestKind computes the moments if it needs them
			c.columns = scale.MeasureConstants(c.Rows.X, c.weight, c.Threads, c.Stopped)
		} else {
			c.columns = scale.Measure(c.Rows.X, c.weight, few && kind == "" ||
				kind == scale.Standard, c.Threads, c.Stopped)
		}
		if few || c.Cols() > maxNarrow {
			break // otherwise the data are narrow without their empty columns: measure again
		}
	}
	if err := c.Rows.X.Err(); err != nil {
		return fmt.Errorf("pegasos: %w", err)
	}
	if c.columns.Bad >= 0 {
		return rows.Bad(c.columns.Bad, "a value is NaN or infinite")
	}
	c.meanSquare = c.mean(func(i int) float64 { return c.columns.Squares[i] })
	return nil
}

// mean returns the mean of f over the rows with a weight above 0.
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

// Cols returns the number of columns with a nonzero value: empty columns influence no choice.
func (c *Choice) Cols() (n int) {
	for _, v := range c.columns.MaxAbs {
		if v > 0 {
			n++
		}
	}
	return n
}

// used returns the number of columns with a nonzero value, without the constant columns if these
// are known.
func (c *Choice) used() (n float64) {
	for j, v := range c.columns.MaxAbs {
		if v > 0 && (c.columns.Constant == nil || !c.columns.Constant[j]) {
			n++
		}
	}
	return n
}

// memory returns the number of bytes that training may use.
func (c *Choice) memory() int64 { return cmp.Or(c.MaxMemory, options.DefaultMaxMemory) }

// moments returns the mean and the standard deviation of the regression targets. In place of a
// deviation that is at most 2^-40 times the mean's magnitude, or not finite, it returns 1.
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
