package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
)

var (
	nan      = float32(math.NaN())
	infinity = float32(math.Inf(1))
	minus0   = float32(math.Copysign(0, -1))
)

func equal(t *testing.T, what string, got, want float32) {
	t.Helper()
	if math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// scaled returns x times 2^exponent, which must be exact.
func scaled(x []float32, exponent int) []float32 {
	v := slices.Clone(x)
	for i := range v {
		v[i] = float32(math.Ldexp(float64(v[i]), exponent))
	}
	return v
}

func wide(x, y []float32) (xy, xx, yy, squares float64) {
	for i := range x {
		v, w := float64(x[i]), float64(y[i])
		xy, xx, yy, squares = xy+v*w, xx+v*v, yy+w*w, squares+(v-w)*(v-w)
	}
	return xy, xx, yy, squares
}

func TestEveryScale(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{1, 3, 64, 100, 784, 1500} {
			small := func(v []float32) []float32 { // 12 bits: exact if subnormal
				for i := range v {
					v[i] = float32(math.Round(float64(v[i]) * 2048))
				}
				return v
			}
			x, y := small(numbers(n)), small(numbers(n + 1)[1:])
			for _, exponent := range []int{-149, -120, -100, -74, -60, -40, 0, 40, 52, 60, 80, 105,
				116} {
				what := fmt.Sprintf("%d elements times 2^%d", n, exponent)
				a, b := scaled(x, exponent), scaled(y, exponent)
				xy, xx, yy, squares := wide(a, b)
				near := func(name string, got float32, want float64) {
					t.Helper()
					if want > math.MaxFloat32 {
						want = math.Inf(1)
					}
					bound := 0x1p-20*math.Abs(want) + 0x1p-149
					if name == "Cosine" {
						bound = 0x1p-20 // terms of the dot product may cancel
					}
					if math.IsInf(want, 0) && float64(got) == want {
						return
					}
					if off := math.Abs(float64(got) - want); !(off <= bound) {
						t.Errorf("%s of %s: got %v, want %v", name, what, got, want)
					}
				}
				near("Norm", dense.Norm(a), math.Sqrt(xx))
				near("Distance", dense.Distance(a, b), math.Sqrt(squares))
				near("Cosine", dense.Cosine(a, b), xy/math.Sqrt(xx)/math.Sqrt(yy))
				near("Cosine", dense.Cosine(x, b), xy/math.Sqrt(xx)/math.Sqrt(yy))
				equal(t, "Cosine with itself of "+what, dense.Cosine(a, a), 1)

				unit := make([]float32, n)
				near("Normalize", dense.Normalize(unit, a), math.Sqrt(xx))
				for i := range unit {
					want := float64(a[i]) / math.Sqrt(xx)
					if math.Abs(float64(unit[i])-want) > 0x1p-20*math.Abs(want)+0x1p-149 {
						t.Fatalf("Normalize of %s: element %d is %v, want %v", what, i, unit[i],
							want)
					}
				}
				length := dense.Normalize(a, a)
				if !slices.Equal(a, unit) {
					t.Errorf("Normalize in place, of %s, differs", what)
				}
				near("Normalize in place", length, math.Sqrt(xx))
			}
		}
	})
}

func TestCosineIsBetween(t *testing.T) {
	for n := 1; n < 300; n++ {
		x := numbers(n)
		y := scaled(x, 3)
		for i := range y {
			y[i] *= 1.1
		}
		for _, sign := range []float32{1, -1} {
			dense.Scale(sign, y)
			c := dense.Cosine(x, y)
			if c < -1 || c > 1 || abs(c) < 0.999999 {
				t.Errorf("n = %d: cosine %v, want a magnitude from 0.999999 to 1", n, c)
			}
		}
	}
	big := []float32{math.MaxFloat32, -math.MaxFloat32}
	equal(t, "huge", dense.Cosine(big, big), 1)
	equal(t, "length beyond float32", dense.Norm(big), infinity)
	equal(t, "distance beyond float32", dense.Distance(big, []float32{0, math.MaxFloat32}),
		infinity)
	unit := make([]float32, 2)
	equal(t, "length beyond float32", dense.Normalize(unit, big), infinity)
	if abs(unit[0]-math.Sqrt2/2) > 1e-7 || unit[1] != -unit[0] {
		t.Errorf("Normalize of %v gives %v, want the roots of 1/2 with these signs", big, unit)
	}
}

// Lengths are multiples of eight, because the missing products of an incomplete group are +0.
func TestSignOfZero(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for n := 8; n <= 256; n += 8 {
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i], y[i] = float32(i%2), float32(math.Copysign(float64(1-i%2), -1))
			}
			xy, _, _ := dense.DotNorms(x, y)
			rows := []float32{0}
			asm.CosineRows(rows, y, n, x)
			for what, got := range map[string]float32{"Dot": dense.Dot(x, y), "DotNorms": xy,
				"Cosine": dense.Cosine(x, y), "CosineRows": rows[0]} {
				equal(t, fmt.Sprintf("%s of %d", what, n), got, 0)
			}
		}
	})
}

// The formula is that of docs/spec.md.
func TestCosineOfItsSums(t *testing.T) {
	within := func(s float64) bool { return s >= 0x1p-90 && s <= math.MaxFloat32 }
	eachISA(t, func(t *testing.T) {
		for n := 1; n < 200; n++ {
			for _, exponent := range []int{-64, -46, -45, 0, 60, 63} {
				x, y := scaled(numbers(n), exponent), scaled(numbers(n + 3)[3:], exponent)
				minus := scaled(x, 0)
				dense.Scale(-1, minus)
				for _, v := range [][]float32{y, x, minus} {
					xy, xx, yy := float64(dense.Dot(x, v)), float64(dense.SumSquares(x)),
						float64(dense.SumSquares(v))
					if !within(xx) || !within(yy) || math.IsInf(xy, 0) || xy != xy {
						xy, xx, yy = dense.Dot64(x, v), dense.Dot64(x, x), dense.Dot64(v, v)
					}
					want := 0.
					if xy != 0 || xx != 0 && yy != 0 {
						want = max(-1, min(xy/math.Sqrt(xx*yy), 1))
					}
					if got := dense.Cosine(x, v); got != float32(want) {
						t.Fatalf("n = %d, 2^%d: %v, want %v", n, exponent, got, float32(want))
					}
				}
			}
		}
	})
}

func TestRules(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 7, 8, 16, 33, 64, 100, 300, 66_000} {
			x, zeros, holed, endless := numbers(n), make([]float32, n), numbers(n), numbers(n)
			for i := range zeros {
				if i%3 == 1 {
					zeros[i] = minus0
				}
			}
			what := fmt.Sprintf(" of %d", n)
			equal(t, "Cosine with zeros"+what, dense.Cosine(x, zeros), 0)
			equal(t, "Cosine of zeros"+what, dense.Cosine(zeros, zeros), 0)
			equal(t, "Norm of zeros"+what, dense.Norm(zeros), 0)
			equal(t, "Distance of equals"+what, dense.Distance(x, x), 0)
			got := slices.Repeat([]float32{5}, n)
			equal(t, "Normalize zeros"+what, dense.Normalize(got, zeros), 0)
			for i := range got {
				equal(t, "Normalize zeros"+what, got[i], zeros[i])
			}
			if n == 0 {
				equal(t, "Min of nothing", dense.Min(x), infinity)
				equal(t, "Max of nothing", dense.Max(x), -infinity)
				for name, s := range sums {
					equal(t, name+" of nothing", s.of(x, x), 0)
				}
				for _, sum := range []float32{float32(dense.Dot64(x, x)), dense.Norm(x),
					dense.Distance(x, x)} {
					equal(t, "sum of nothing", sum, 0)
				}
				if dense.ArgMin(x) != -1 || dense.ArgMax(x) != -1 {
					t.Error("ArgMin or ArgMax of an empty vector is not -1")
				}
				continue
			}
			for _, at := range []int{0, n / 2, n - 1} {
				copy(holed, x)
				copy(endless, x)
				holed[at], endless[at] = nan, infinity
				for name, s := range sums {
					equal(t, fmt.Sprintf("%s with NaN at %d%s", name, at, what), s.of(holed, x), nan)
					if readsBoth(s.term) {
						equal(t, fmt.Sprintf("%s with NaN in y at %d%s", name, at, what), s.of(x, holed), nan)
					}
				}
				for _, v := range []float32{float32(dense.Dot64(x, holed)), dense.Norm(holed),
					dense.Distance(x, holed), dense.Cosine(x, holed), dense.Cosine(holed, zeros),
					dense.Normalize(got, holed), got[0], got[n-1], dense.Cosine(x, endless),
					dense.Cosine(endless, endless), dense.Cosine(zeros, endless)} {
					equal(t, fmt.Sprintf("NaN or infinity at %d%s", at, what), v, nan)
				}
				equal(t, "Norm with infinity"+what, dense.Norm(endless), infinity)
				equal(t, "Distance with infinity"+what, dense.Distance(endless, x), infinity)
				equal(t, "Normalize with infinity"+what, dense.Normalize(got, endless), infinity)
				for i := range got {
					if i == at {
						equal(t, "Normalize: infinity"+what, got[i], nan)
					} else if got[i] != 0 {
						t.Errorf("Normalize beside infinity%s: %v", what, got[i])
					}
				}
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 8, 15, 16, 17, 31, 64, 65, 100, 257, 65_536, 65_537,
			200_001} {
			x := make([]float32, n)
			check := func(what string, least, greatest float32, first, last int) {
				t.Helper()
				what = fmt.Sprintf("%s, n = %d", what, n)
				equal(t, what+": Min", dense.Min(x), least)
				equal(t, what+": Max", dense.Max(x), greatest)
				if got := dense.ArgMin(x); got != first {
					t.Errorf("%s: ArgMin is %d, want %d", what, got, first)
				}
				if got := dense.ArgMax(x); got != last {
					t.Errorf("%s: ArgMax is %d, want %d", what, got, last)
				}
			}
			for i := range x {
				x[i] = minus0
			}
			check("-0", 0, 0, 0, 0)
			x[n-1] = 0
			check("a zero of either sign", 0, 0, 0, 0)
			for i := range x {
				x[i] = nan
			}
			check("NaN", infinity, -infinity, -1, -1)
			for _, at := range []int{0, n / 3, n / 2, n - 1} {
				x[at] = infinity
				check("+Inf among NaN", infinity, infinity, at, at)
				x[at] = -infinity
				check("-Inf among NaN", -infinity, -infinity, at, at)
				x[at], x[n-1] = -3, -3
				check("two equals among NaN", -3, -3, at, at)
				x[at], x[n-1] = nan, nan
			}
			for i := range x {
				x[i] = 1
			}
			check("equals", 1, 1, 0, 0)
			if n < 3 {
				continue
			}
			x[n-1], x[n-2], x[n/2] = -2, 3, nan
			least, greatest := n-1, n-2
			check("at the end", -2, 3, least, greatest)
			x[0] = infinity
			check("+Inf", -2, infinity, least, 0)
		}
	})
}

func TestDot64Accuracy(t *testing.T) {
	for _, n := range []int{1, 64, 1000, 65_536, 300_000} {
		x, y := numbers(n), numbers(n + 1)[1:]
		var sum, rest, magnitude float64 // Neumaier's compensated sum
		for i := range x {
			v := float64(x[i]) * float64(y[i])
			magnitude += math.Abs(v)
			s := sum + v
			if math.Abs(sum) >= math.Abs(v) {
				rest += (sum - s) + v
			} else {
				rest += (v - s) + sum
			}
			sum = s
		}
		bound := float64(min(n, 65_536)/32+6+n/65_536) * 0x1p-53 * magnitude
		if off := math.Abs(dense.Dot64(x, y) - (sum + rest)); off > bound {
			t.Errorf("n = %d: off by %g, more than %g", n, off, bound)
		}
	}
}

func TestCosine64(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 300 {
		x, y := make([]float32, n), make([]float32, n)
		scale := math.Ldexp(1, r.IntN(240)-120)
		for i := range x {
			x[i], y[i] = float32(scale*r.NormFloat64()), float32(scale*r.NormFloat64())
		}
		xy, xx, yy := dense.DotNorms64(x, y)
		if xy != dense.Dot64(x, y) || xx != dense.Dot64(x, x) || yy != dense.Dot64(y, y) {
			t.Fatalf("n = %d: DotNorms64 and Dot64 return different sums", n)
		}
		if n == 0 {
			continue
		}
		if got, want := dense.Cosine64(x, y), xy/math.Sqrt(xx*yy); math.Abs(got-want) > 1e-15 {
			t.Errorf("n = %d: got %v, want %v", n, got, want)
		}
		if got := dense.Cosine64(x, x); got != 1 {
			t.Errorf("n = %d: the cosine of a vector and itself is %v", n, got)
		}
		squares := 0.0
		for i, v := range x {
			d := float64(v) - float64(y[i])
			squares += d * d
		}
		if got := dense.SquaredDistance64(x, y); math.Abs(got-squares) > 1e-13*squares {
			t.Errorf("n = %d: squared distance %v, want %v", n, got, squares)
		}
	}
	zeros, ones := make([]float32, 9), slices.Repeat([]float32{1}, 9)
	if dense.Cosine64(zeros, ones) != 0 || dense.Cosine64(nil, nil) != 0 {
		t.Error("the cosine of zeros is not 0")
	}
	ones[3] = float32(math.NaN())
	if c := dense.Cosine64(zeros, ones); c == c {
		t.Errorf("the cosine with NaN is %v", c)
	}
}

func TestDestinations(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for n := range 200 {
			x, y := numbers(n), numbers(n + 1)[1:]
			for name, f := range map[string]func(dst, x, y []float32){
				"Add": dense.Add, "Sub": dense.Sub, "Mul": dense.Mul,
				"AxpyTo":  func(dst, x, y []float32) { dense.AxpyTo(dst, 0.3, x, y) },
				"ScaleTo": func(dst, x, _ []float32) { dense.ScaleTo(dst, 0.3, x) },
			} {
				want := make([]float32, n)
				f(want, x, y)
				a, b, c := slices.Clone(x), slices.Clone(y), slices.Clone(x)
				f(a, a, y)
				both := make([]float32, n)
				f(both, x, x)
				f(c, c, c)
				if name != "ScaleTo" {
					f(b, x, b)
				} else {
					copy(b, want)
				}
				if !slices.Equal(a, want) || !slices.Equal(b, want) || !slices.Equal(c, both) {
					t.Fatalf("%s of %d elements in place differs", name, n)
				}
			}
		}
	})
}
