package floats

import (
	"math"
	"math/big"
	"testing"
)

const prec = 220

func number(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }

func empty() *big.Float { return new(big.Float).SetPrec(prec) }

// wideLn2 is log(2) = 2 artanh(1/3).
var wideLn2 = func() *big.Float {
	sum, power := empty(), number(2)
	power.Quo(power, number(3))
	for n := 1; n < prec; n += 2 {
		sum.Add(sum, empty().Quo(power, number(float64(n))))
		power.Quo(power, number(9))
	}
	return sum
}()

// wideExp returns e^x: the Taylor series at r/2^16, squared sixteen times.
func wideExp(x *big.Float) *big.Float {
	f, _ := x.Float64()
	k := int(math.Floor(f/math.Ln2 + 0.5))
	r := empty().Mul(wideLn2, number(float64(k)))
	r.Sub(x, r)
	if r.Sign() != 0 {
		r.SetMantExp(r, -16)
	}
	// Horner's rule for e^r - 1, so that squaring loses no bits: (1+y)^2 - 1 = y (2+y).
	y := empty()
	for n := 13; n > 0; n-- {
		y.Add(y, number(1))
		y.Mul(y, r)
		y.Quo(y, number(float64(n)))
	}
	two := number(2)
	for range 16 {
		y.Mul(y, empty().Add(y, two))
	}
	y.Add(y, number(1))
	return y.SetMantExp(y, k)
}

func wideLog1p(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return empty()
	}
	if e := x.MantExp(nil); e < -30 {
		sum := empty()
		for n := 6; n > 0; n-- { // x (1 - x (1/2 - x (1/3 - ...)))
			sum.Mul(sum, x)
			sum.Sub(empty().Quo(number(1), number(float64(n))), sum)
		}
		return sum.Mul(sum, x)
	}
	return wideLog(empty().Add(number(1), x))
}

// wideLog improves a start y by Halley's method: y + 2 (x-e^y)/(x+e^y).
func wideLog(x *big.Float) *big.Float {
	near, _ := empty().SetMantExp(x, -x.MantExp(nil)).Float64()
	y := empty().Mul(wideLn2, number(float64(x.MantExp(nil))))
	y.Add(y, number(math.Log(near)))
	for range 2 {
		e := wideExp(y)
		up, down := empty().Sub(x, e), empty().Add(x, e)
		up.Quo(up, down)
		y.Add(y, up.Add(up, up))
	}
	return y
}

func wideSigmoid(z float64) *big.Float {
	e := wideExp(number(-z))
	return e.Quo(number(1), e.Add(e, number(1)))
}

func wideLog1pExp(z float64) *big.Float {
	l := wideLog1p(wideExp(number(-math.Abs(z))))
	if z > 0 {
		l.Add(l, number(z))
	}
	return l
}

func distance(got float64, want *big.Float) float64 {
	if want.Sign() == 0 || math.IsNaN(got) || math.IsInf(got, 0) {
		if want.Sign() == 0 && got == 0 {
			return 0
		}
		return math.Inf(1)
	}
	off := empty().Sub(number(got), want)
	if off.Sign() == 0 {
		return 0
	}
	e := max(want.MantExp(nil)-53, -1074)
	d, _ := off.SetMantExp(off, -e).Float64()
	return math.Abs(d)
}

func TestReference(t *testing.T) {
	for _, c := range []struct {
		name string
		got  *big.Float
		want string
	}{
		{"e^1", wideExp(number(1)),
			"2.71828182845904523536028747135266249775724709369995957496697"},
		{"e^-20", wideExp(number(-20)),
			"2.06115362243855782796594038015582097637580727559910369297224e-9"},
		{"log(2)", wideLn2, "0.693147180559945309417232121458176568075500134360255254120680"},
		{"log(10)", wideLog(number(10)),
			"2.30258509299404568401799145468436420760110148862877297603333"},
		{"log1p(9)", wideLog1p(number(9)),
			"2.30258509299404568401799145468436420760110148862877297603333"},
		{"log1p(2^-31)", wideLog1p(number(0x1p-31)),
			"4.65661287199319040597607621876929613440062430262449144069275e-10"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, prec, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		off := empty().Sub(c.got, want)
		if off.Sign() != 0 && off.MantExp(nil) > want.MantExp(nil)-130 {
			t.Errorf("%s is %v, want %v", c.name, c.got, want)
		}
	}
}
