package main

import "math"

// Elementary functions that the objective needs (spec, "Elementary functions").

const ln2High, ln2Low, magic = 0x1.62e42fefa2p-1, 0x1.9ef35793c7673p-41, 0x1.8p52

var ofExp = [16]float64{1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320,
	1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800, 1. / 87178291200}
var ofLog = [12]float64{2. / 3, 2. / 5, 2. / 7, 2. / 9, 2. / 11, 2. / 13, 2. / 15, 2. / 17, 2. / 19,
	2. / 21}

func poly(c []float64, x float64) (sum float64) {
	x2 := float64(x * x)
	for n := len(c) - 4; n >= 0; n -= 4 {
		four := (c[n] + float64(x*c[n+1])) + float64(x2*(c[n+2]+float64(x*c[n+3])))
		sum = four + float64(float64(x2*x2)*sum)
	}
	return sum
}

// exp returns e^x, for x from -746 to 0, as e + eLow.
func exp(x float64) (e, eLow float64) {
	k := (float64(x*0x1.71547652b82fep+0) + magic) - magic
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	rLow, head := (high-r)-low, 1+r
	tail := ((1 - head) + r) + float64(rLow*head)
	tail += float64(float64(r*r) * poly(ofExp[:], r))
	e = head + tail
	return math.Ldexp(e, int(k)), math.Ldexp((head-e)+tail, int(k))
}

// log returns log(1+f+fLow) + k log(2) as high + low.
func log(f, fLow float64, k int) (high, low float64) {
	d := 2 + f
	dLow := ((2 - d) + f) + fLow
	inverse := 1 / d
	s := float64(f * inverse)
	sHigh := math.Float64frombits(math.Float64bits(s) &^ (1<<27 - 1))
	dHigh := math.Float64frombits(math.Float64bits(d) &^ (1<<27 - 1))
	sRest, dRest := s-sHigh, d-dHigh
	left := f - float64(sHigh*dHigh) - float64(sHigh*dRest) - float64(sRest*dHigh) -
		float64(sRest*dRest)
	sLow := float64(((left + fLow) - float64(s*dLow)) * inverse)
	z, base := float64(s*s), float64(float64(k)*ln2High)
	rest := float64(sLow*(2+float64(2*z))) + float64(float64(k)*ln2Low)
	high = base + float64(2*s)
	low = (base - high) + float64(2*s)
	return high, low + (float64(float64(s*z)*poly(ofLog[:], z)) + rest)
}

func log1pExp(z float64) float64 {
	e, fLow := exp(max(-746, -math.Abs(z)))
	if z < -40 {
		return e
	}
	f, k := e, 0
	if u := 1 + e; e >= 0.41 {
		_, k = math.Frexp(u / math.Sqrt2) // 1 if u is at least the square root of 2, else 0
		f, fLow = math.Ldexp(u, -k)-1, math.Ldexp((e-(u-1))+fLow, -k)
	}
	high, low := log(f, fLow, k)
	z = max(0, z)
	sum := z + high
	from := sum - z
	return sum + (((z - (sum - from)) + (high - from)) + low)
}
