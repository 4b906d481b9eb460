package scale

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Only a scale within these limits is folded: otherwise, folded weights could leave the range of
// float32, or features minus their means could lose many digits.
const (
	maxMeanRatio = 1e3 // of a column's |mean| to its standard deviation
	maxFactor    = 0x1p60
	minFactor    = 0x1p-60
)

// Fit returns the scale of the given kind for rows with the statistics c. Standard requires Mean
// and Variance. The factor is 1 for constant columns with Standard, and for columns of zeros with
// MaxAbs.
func Fit(kind Kind, c *Columns) *Scale {
	s := &Scale{Kind: kind}
	switch kind {
	case Standard:
		for j, mean := range c.Mean {
			s.Shift = append(s.Shift, float32(mean))
			s.Factor = append(s.Factor, floats.Inverse(math.Sqrt(c.Variance[j])))
		}
	case MaxAbs:
		for _, v := range c.MaxAbs {
			s.Factor = append(s.Factor, floats.Inverse(float64(v)))
		}
	}
	s.Folded = s.foldable(c)
	return s
}

func (s *Scale) foldable(c *Columns) bool {
	if s.Kind == Unit {
		return false
	}
	for j, f := range s.Factor {
		if f > maxFactor || f < minFactor {
			return false
		}
		// Constant columns have no deviation to lose.
		if s.Shift != nil && c.Variance[j] > 0 &&
			math.Abs(float64(s.Shift[j]))*float64(f) > maxMeanRatio {
			return false
		}
	}
	return true
}
