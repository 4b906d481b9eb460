package asm

import "math"

// expLn2High has 15 significant bits, so its products with integers up to 512 are exact. The
// polynomial interpolates (e^r - 1 - r)/r^2 at the Chebyshev nodes of [-0.347, 0.347].
const (
	expHigh    = 89   // least integer whose exponential overflows float32
	expLow     = -104 // e^-104 is less than half the least positive float32
	expLog2E   = 0x1.715476p+0
	expMagic   = 0x1.8p23
	expLn2High = 0x1.62e4p-1
	expLn2Low  = 0x1.7f7d1cp-20
	expC6      = 0x1.6d119ap-10
	expC5      = 0x1.120c00p-7
	expC4      = 0x1.555518p-5
	expC3      = 0x1.5554dcp-3
	expC2      = 0x1p-1
)

// For a small integer k, the bits of expMagic + k, minus expBias, are k + 2*127.
const expBias = 0x4b400000 - 2*127

var expTable = func() (t [13 * 8]float32) {
	for i, c := range [13]float32{
		expHigh, expLow, expLog2E, expMagic, math.Float32frombits(expBias), expLn2High, expLn2Low,
		expC6, expC5, expC4, expC3, expC2, 1,
	} {
		for l := range 8 {
			t[8*i+l] = c
		}
	}
	return t
}()

func expGeneric(dst, x []float32, _ *float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		if v > expHigh {
			v = expHigh
		}
		if v < expLow {
			v = expLow
		}
		// v = k ln 2 + r; k is the integer nearest to v / ln 2.
		shifted := float32(v*expLog2E) + expMagic
		k := shifted - expMagic
		r := v - float32(k*expLn2High)
		r -= float32(k * expLn2Low)
		// e^r = 1 + (r + r^2 p(r))
		p := float32(r*expC6) + expC5
		p = float32(p*r) + expC4
		p = float32(p*r) + expC3
		p = float32(p*r) + expC2
		e := float32(p*float32(r*r)) + r
		e += 1
		// 2^k in two factors, so that neither overflows and a subnormal result is rounded once.
		n := math.Float32bits(shifted) - expBias
		half := n >> 1
		dst[i] = float32(e*math.Float32frombits(half<<23)) * math.Float32frombits((n-half)<<23)
	}
}

// Exp sets dst[i] to e^x[i], within 1.1 units in the last place. Overflow gives +Inf, underflow a
// rounded subnormal or 0, and NaN gives NaN. dst and x may be the same slice.
func Exp(dst, x []float32) {
	if race {
		raceReads(x)
		raceWrites(dst)
	}
	expActive(dst, x, &expTable[0])
}
