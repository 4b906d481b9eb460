package certificate

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// Parabola returns the maximum of s*mean - s^2*half over s from 0 to 1, and the s that attains it.
func Parabola(mean, half float64) (value, s float64) {
	switch {
	case mean <= 0:
		return 0, 0
	case mean >= 2*half:
		return mean - half, 1
	}
	return float64(mean*mean) / (4 * half), mean / (2 * half)
}

// DualAt returns s*mean - s^2*half minus a bound on the rounding errors of these operations. For s
// = 0 it returns 0.
func DualAt(s, mean, half float64) float64 {
	if s == 0 {
		return 0 // half may be infinite here, and 0*half NaN
	}
	gain, cost := float64(s*mean), float64(float64(s*s)*half)
	return gain - cost - float64(0x1p-50*(math.Abs(gain)+cost))
}

type curve struct {
	value, slope, curvature float64 // with respect to s
	size                    float64 // at least the sum of the linear terms' magnitudes
}

// maximize returns the largest value that it finds, at least 0, of the function
//
//	f(s) = mean - s^2*half - error
//
// for s in (0, 1]. mean is the mean over the rows of a concave function g of s. sum returns the sum
// of g and of its derivatives over positions [from, to) of the view. slack bounds the relative
// error of the dual variables and of the sums; error bounds the resulting error of mean.
func maximize(v *store.View, half, slack float64, sum func(s float64, from, to int) curve) (
	best float64,
) {
	s, n := 1.0, float64(v.Count())
	for range 3 {
		sums := v.AddUp(func(_ store.Rows, from, to int) [4]float64 {
			at := sum(s, from, to)
			return [4]float64{at.value, at.slope, at.curvature, at.size}
		})
		at := curve{sums[0], sums[1], sums[2], sums[3]}
		slope, curvature := at.slope/n-float64(2*s*half), at.curvature/n-2*half
		// The entropy of b and 1-b changes by less than slack*log(3/slack) if b changes by slack,
		// and log(3/slack) is below 64.
		best = max(best, at.value/n-float64(s*s*half)-float64(slack*(64+at.size/n)))
		if more := -slope * slope / (2 * curvature); !(more > float64(0x1p-26*best)) {
			break
		}
		s = max(s/4, min(s-slope/curvature, 1))
	}
	return best
}
