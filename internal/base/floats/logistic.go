package floats

import "math"

// e^-z is negligible beside 1 for z beyond cutoff: e^-40 < 2^-57.
const cutoff = 40

// Sigmoid returns 1/(1+e^-z): 0 and 1 for -Inf and +Inf, NaN for NaN.
func Sigmoid(z float64) float64 {
	a := math.Abs(z)
	switch {
	case z != z:
		return z
	case z > cutoff:
		return 1
	case z < -cutoff:
		return Exp(z)
	}
	e, eLow := expNegative(a)
	n, nLow := 1.0, 0.0
	if z < 0 {
		n, nLow = e, eLow
	}
	d := 1 + e
	dLow := ((1 - d) + e) + eLow
	inverse := 1 / d
	q := float64(n * inverse)
	return q + float64(((remainder(n, q, d)+nLow)-float64(q*dLow))*inverse)
}

// Log1pExp returns log(1+e^z): +Inf and 0 for ±Inf, NaN for NaN.
func Log1pExp(z float64) float64 {
	a := math.Abs(z)
	switch {
	case z != z || z > cutoff:
		return z
	case z < -cutoff:
		return Exp(z)
	}
	high, low := log1pParts(expNegative(a))
	if z <= 0 {
		return high + low
	}
	sum := z + high
	from := sum - z
	lost := (z - (sum - from)) + (high - from)
	return sum + (lost + low)
}
