package floats

import "math"

// LogisticTable has the constants of Sigmoid and Log1pExp for assembly, each repeated four times,
// in the order that internal/gen/logistic.go reads.
var LogisticTable = func() (t [4 * 39]float64) {
	for i, c := range [39]float64{
		expLow, log2E, magic, -magic, magic + 1023, magic + 1, ln2High, ln2Low,
		math.Float64frombits(upperBits), -1, 1, 2, cutoff, -cutoff, small,
		math.Float64frombits(sqrtHalfBits + 1<<52),
		expC0, expC1, expC2, expC3, expC4, expC5, expC6, expC7, expC8, expC9, expC10, expC11, expC12,
		logC0, logC1, logC2, logC3, logC4, logC5, logC6, logC7, logC8, logC9,
	} {
		for l := range 4 {
			t[4*i+l] = c
		}
	}
	return t
}()
