package floats

import "math"

// The coefficients of (2 artanh(s) - 2s)/s^3 in powers of s^2. For |s| <= 0.172 the omitted terms
// of 2 artanh(s) are below 2^-59 times s.
const (
	logC0 = 2.0 / 3
	logC1 = 2.0 / 5
	logC2 = 2.0 / 7
	logC3 = 2.0 / 9
	logC4 = 2.0 / 11
	logC5 = 2.0 / 13
	logC6 = 2.0 / 15
	logC7 = 2.0 / 17
	logC8 = 2.0 / 19
	logC9 = 2.0 / 21
)

const sqrtHalfBits = 0x3fe6a09e667f3bcd

// Log returns the natural logarithm of x: -Inf for 0, NaN for negative x and for NaN.
func Log(x float64) float64 {
	switch {
	case x != x || x == math.Inf(1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	less := 0
	if x < 0x1p-1022 {
		x *= 0x1p54
		less = 54
	}
	m, k := split(x)
	high, low := logParts(m-1, 0, k-less)
	return high + low
}

const small = 0.41

// log1pParts returns log(1+x+xLow) as high + low. x must be in [0, 1], and xLow at most a unit in
// the last place of x.
func log1pParts(x, xLow float64) (high, low float64) {
	if x < small {
		return logParts(x, xLow, 0)
	}
	u := 1 + x
	lost := x - (u - 1) // rounding error of u
	m, k := split(u)
	scale := math.Float64frombits(uint64(1023-k) << 52)
	return logParts(m-1, float64((lost+xLow)*scale), k)
}

// split returns m and k with x = m 2^k and m between sqrt(1/2) and sqrt(2). x must be positive and
// normal.
func split(x float64) (m float64, k int) {
	bits := math.Float64bits(x)
	k = int(int64(bits-sqrtHalfBits) >> 52)
	return math.Float64frombits(bits - uint64(k)<<52), k
}

// logParts returns log(1+f+fLow) + k log(2) as high + low. f must be in [-0.293, 0.415], and fLow
// at most a unit in the last place of 1+f, or of f if k is 0.
func logParts(f, fLow float64, k int) (high, low float64) {
	// log(1+f) = 2 artanh(s) with s = f/(2+f), computed as s + sLow.
	d := 2 + f
	dLow := ((2 - d) + f) + fLow
	inverse := 1 / d
	s := float64(f * inverse)
	sLow := float64(((remainder(f, s, d) + fLow) - float64(s*dLow)) * inverse)
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	a := (logC0 + float64(z*logC1)) + float64(z2*(logC2+float64(z*logC3)))
	b := (logC4 + float64(z*logC5)) + float64(z2*(logC6+float64(z*logC7)))
	c := logC8 + float64(z*logC9)
	p := a + float64(z4*(b+float64(z4*c)))
	// sLow times the derivative of 2 artanh(s), about 2 + 2s^2
	rest := float64(sLow * (2 + float64(2*z)))
	kf := float64(k)
	base := float64(kf * ln2High) // exact, and 0 or larger than 2s in magnitude
	high = base + float64(2*s)
	low = (base - high) + float64(2*s)
	return high, low + (float64(float64(s*z)*p) + (rest + float64(kf*ln2Low)))
}

// remainder returns n - q*d for a q near n/d. The partial products are exact, but for a negligible
// error of the last.
func remainder(n, q, d float64) float64 {
	qHigh, dHigh := upper(q), upper(d)
	qLow, dLow := q-qHigh, d-dHigh
	return ((n - float64(qHigh*dHigh)) - float64(qHigh*dLow) - float64(qLow*dHigh)) -
		float64(qLow*dLow)
}

const upperBits = math.MaxUint64 - (1<<27 - 1)

// upper clears the lower 27 bits of x's significand.
func upper(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) & upperBits)
}
