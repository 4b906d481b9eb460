package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// Elementary functions that the verifier does not need.

func wideExp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 0x1.62e42fefa39efp+9:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	k := (float64(x*0x1.71547652b82fep+0) + magic) - magic
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	rLow, head := (high-r)-low, 1+r
	tail := ((1 - head) + r) + float64(rLow*head)
	tail += float64(float64(r*r) * poly(ofExp[:], r))
	e := head + tail
	if _, exponent := math.Frexp(e); exponent+int(k) >= -1021 {
		return math.Ldexp(e, int(k))
	}
	// The sum is rounded once, to a multiple of 2^(-1074-k).
	big := math.Ldexp(1, 52-1074-int(k))
	sum := big + head
	sum += ((big - sum) + head) + tail
	return math.Ldexp(sum-big, int(k))
}

func wideLog(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > math.MaxFloat64:
		return x
	}
	m, k := split(x)
	high, low := log(m-1, 0, k)
	return high + low
}

// m is from the square root of 1/2, rounded, to the square root of 2.
func split(x float64) (m float64, k int) {
	if m, k = math.Frexp(x); m < math.Float64frombits(0x3fe6a09e667f3bcd) {
		m, k = 2*m, k-1
	}
	return m, k
}

func sigmoid(z float64) float64 {
	switch {
	case z != z:
		return z
	case z > 40:
		return 1
	case z < -40:
		return wideExp(z)
	}
	e, eLow := exp(-math.Abs(z))
	n, nLow := 1.0, 0.0
	if z < 0 {
		n, nLow = e, eLow
	}
	d := 1 + e
	dLow := ((1 - d) + e) + eLow
	inverse := 1 / d
	q := float64(n * inverse)
	half := func(v float64) (high, low float64) {
		high = math.Float64frombits(math.Float64bits(v) &^ (1<<27 - 1))
		return high, v - high
	}
	qHigh, qRest := half(q)
	dHigh, dRest := half(d)
	left := n - float64(qHigh*dHigh) - float64(qHigh*dRest) - float64(qRest*dHigh) -
		float64(qRest*dRest)
	return q + float64(((left+nLow)-float64(q*dLow))*inverse)
}

func TestGoldenFunctions(t *testing.T) {
	for name, f := range map[string]func(float64) float64{"exp": wideExp, "log": wideLog,
		"sigmoid": sigmoid, "log1pexp": log1pExp} {
		text, err := os.ReadFile(folder + "function-" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(string(text)) {
			var x, want uint64
			if n, _ := fmt.Sscanf(line, "%x %x", &x, &want); n != 2 {
				continue
			}
			lines++
			have := f(math.Float64frombits(x))
			if math.Float64bits(have) != want && have == have {
				t.Errorf("%s(%v): %016x, want %016x", name, math.Float64frombits(x),
					math.Float64bits(have), want)
			}
		}
		if lines < 100 {
			t.Errorf("%s: %d lines, want at least 100", name, lines)
		}
	}
}
