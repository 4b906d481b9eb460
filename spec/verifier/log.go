package main

import "math"

// This file has the functions of spec, "Elementary functions".

const ln2High, ln2Low, magic = 0x1.62e42fefa2p-1, 0x1.9ef35793c7673p-41, 0x1.8p52

// poly is c[0] + c[1] x + c[2] x^2 + c[3] x^3 in the order of the specification.
func poly(x, x2 float64, c func(n int) float64, n int) float64 {
	return (c(n) + float64(x*c(n+1))) + float64(x2*(c(n+2)+float64(x*c(n+3))))
}

// exp returns e^x, for x from -746 to 0, as (head + tail) 2^k.
func exp(x float64) (head, tail float64, k int) {
	kf := (float64(x*0x1.71547652b82fep+0) + magic) - magic
	high, low := x-float64(kf*ln2High), float64(kf*ln2Low)
	r := high - low
	rLow := (high - r) - low
	head = 1 + r
	tail = ((1 - head) + r) + float64(rLow*head)
	c := func(n int) float64 { // 1/(n+2)!
		f := 2.0
		for ; n > 0; n-- {
			f *= float64(n + 2)
		}
		return 1 / f
	}
	r2 := float64(r * r)
	r4 := float64(r2 * r2)
	q := poly(r, r2, c, 8) + float64(r4*c(12))
	q = poly(r, r2, c, 0) + float64(r4*(poly(r, r2, c, 4)+float64(r4*q)))
	return head, tail + float64(r2*q), int(kf)
}

// log returns log(1+f+fLow) + k log(2) as high + low.
func log(f, fLow float64, k int) (high, low float64) {
	d := 2 + f
	dLow := ((2 - d) + f) + fLow
	inverse := 1 / d
	s := float64(f * inverse)
	upper := func(x float64) float64 {
		return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
	}
	sHigh, dHigh := upper(s), upper(d)
	sRest, dRest := s-sHigh, d-dHigh
	left := ((f - float64(sHigh*dHigh)) - float64(sHigh*dRest) - float64(sRest*dHigh)) -
		float64(sRest*dRest)
	sLow := float64(((left + fLow) - float64(s*dLow)) * inverse)
	z := float64(s * s)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	c := func(n int) float64 { return 2 / float64(2*n+3) }
	p := poly(z, z2, c, 4) + float64(z4*(c(8)+float64(z*c(9))))
	p = poly(z, z2, c, 0) + float64(z4*p)
	rest := float64(sLow * (2 + float64(2*z)))
	base := float64(float64(k) * ln2High)
	high = base + float64(2*s)
	low = (base - high) + float64(2*s)
	return high, low + (float64(float64(s*z)*p) + (rest + float64(float64(k)*ln2Low)))
}

// log1pExp returns log(1+e^z).
func log1pExp(z float64) float64 {
	if z > 40 {
		return z
	}
	head, tail, k := exp(max(-746, -math.Abs(z)))
	e := math.Ldexp(head+tail, k)
	if z < -40 {
		return e
	}
	eLow, u := math.Ldexp((head-(head+tail))+tail, k), 1+e
	high, low := log(e, eLow, 0)
	if lost := e - (u - 1); e >= 0.41 && math.Float64bits(u) < 0x3ff6a09e667f3bcd {
		high, low = log(u-1, lost+eLow, 0) // u is below the root of 2
	} else if e >= 0.41 {
		high, low = log(u/2-1, float64((lost+eLow)/2), 1)
	}
	if z <= 0 {
		return high + low
	}
	sum := z + high
	from := sum - z
	return sum + (((z - (sum - from)) + (high - from)) + low)
}
