package floats

import "math"

// ln2High and ln2Low add up to ln 2. ln2High has 40 bits, so that its products with exponents of a
// float64 (11 bits) are exact.
const (
	ln2High = 0x1.62e42fefa2p-1
	ln2Low  = 0x1.9ef35793c7673p-41
	log2E   = 0x1.71547652b82fep+0
)

// Adding and subtracting magic rounds a number below 2^51 in magnitude to an integer.
const magic = 0x1.8p52

const (
	expHigh = 0x1.62e42fefa39efp+9 // the largest x for which e^x doesn't overflow
	// e^x rounds to 0 for x below -745.14
	expLow = -746
)

// The Taylor coefficients of (e^r - 1 - r)/r^2. For |r| <= ln2/2 the terms omitted from e^r are
// below 2^-63.
const (
	expC0  = 1.0 / 2
	expC1  = expC0 / 3
	expC2  = expC1 / 4
	expC3  = expC2 / 5
	expC4  = expC3 / 6
	expC5  = expC4 / 7
	expC6  = expC5 / 8
	expC7  = expC6 / 9
	expC8  = expC7 / 10
	expC9  = expC8 / 11
	expC10 = expC9 / 12
	expC11 = expC10 / 13
	expC12 = expC11 / 14
)

// Exp returns e^x: +Inf on overflow, NaN for NaN, a subnormal number or 0 on underflow.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expHigh:
		return math.Inf(1)
	case x < expLow:
		return 0
	}
	head, tail, k := expParts(x)
	y := head + tail
	bits := math.Float64bits(y)
	if int(bits>>52)+k > 0 {
		return math.Float64frombits(bits + uint64(k)<<52)
	}
	// The result is subnormal: a multiple of 2^-1074, or of 2^(-1074-k) before scaling. This is the
	// unit in the last place of big, so adding big rounds once and counts the units. The count is
	// the result's bits.
	unit := uint64(1023+52-1074-k) << 52 // the bits of big
	big := math.Float64frombits(unit)
	sum := big + head
	sum += ((big - sum) + head) + tail
	return math.Float64frombits(math.Float64bits(sum) - unit)
}

// expParts returns e^x as (head + tail) 2^k, with head in [0.65, 1.35] and tail below 0.07. x must
// be in [expLow, expHigh].
func expParts(x float64) (head, tail float64, k int) {
	kf := (float64(x*log2E) + magic) - magic
	high := x - float64(kf*ln2High) // exact
	low := float64(kf * ln2Low)
	r := high - low
	rLow := (high - r) - low // the rounding error of r
	// e^(r+rLow) = 1 + r + rLow e^r + r^2 q(r), where 1+r can replace e^r.
	head = 1 + r
	tail = ((1 - head) + r) + float64(rLow*head)
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	a := (expC0 + float64(r*expC1)) + float64(r2*(expC2+float64(r*expC3)))
	b := (expC4 + float64(r*expC5)) + float64(r2*(expC6+float64(r*expC7)))
	c := (expC8 + float64(r*expC9)) + float64(r2*(expC10+float64(r*expC11)))
	q := a + float64(r4*(b+float64(r4*(c+float64(r4*expC12)))))
	return head, tail + float64(r2*q), int(kf)
}

// expNegative returns e^-a as high + low, where high is the rounded sum. a must be in [0, cutoff].
func expNegative(a float64) (high, low float64) {
	head, tail, k := expParts(-a)
	high = head + tail
	low = (head - high) + tail
	scale := math.Float64frombits(uint64(1023+k) << 52)
	return float64(high * scale), float64(low * scale)
}
