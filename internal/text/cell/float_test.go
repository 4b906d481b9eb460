package cell

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkFloat compares ParseFloat32 and, if s is short, Float32 with strconv.
func checkFloat(t testing.TB, s string) {
	t.Helper()
	v, next, reason := ParseFloat32([]byte(s+"\n"), 0)
	want, ok := refFloat(s)
	bits, wantBits := math.Float32bits(v), math.Float32bits(want)
	if next != len(s) || (reason == "") != ok || ok && bits != wantBits {
		t.Fatalf("%q: %v (%08x), next %d, %q; strconv has %v (%08x), %v", s, v, bits, next, reason,
			want, wantBits, ok)
	}
	if len(s) > 50 || strings.ContainsAny(s, "\n") {
		return
	}
	whole, why := Float32(s)
	if why != reason || ok && math.Float32bits(whole) != math.Float32bits(v) {
		t.Fatalf("%q: %v, %q; within a line %v, %q", s, whole, why, v, reason)
	}
}

func refFloat(s string) (float32, bool) {
	f, err := strconv.ParseFloat(s, 32)
	return float32(f), err == nil && strings.Trim(s, "+-.0123456789eE") == ""
}

func TestFloat(t *testing.T) {
	for _, s := range strings.Fields(`
		0 -0 +0 0.0 .0 0. 00 0e0 -0e99 0e-99999999999999999999
		0.00000000000000000000000000000000000000000000000000
		1 +1 -1 1.5 .5 5. +.5 -5. 1e0 1E0 1e+0 1e-0 1e5 1.e5 .1e5 1e22 1e23 1e-22 1e-23 1e38 3.4e38
		12345678 123456789 1234567812345678 12345678.12345678 0.12345678 0.123456781
		0.1234567812345678 9007199254740991 9007199254740992 9007199254740993
		9999999999999999999 18446744073709551615 18446744073709551616
		00000000000000000000000000000000001 0.00000000000000000000000000000000001
		100000000000000000000000000000 16777215 16777216 16777217 16777218 16777219
		1.6777217e7 167772170e-1 33554431 33554433 33554434 0.5000000298023223876953125
		1.00000005960464477539 1.000000059604644775390625 1.00000017881393432617
		3.4028234663852886e38 3.4028235e38 340282346638528859811704183484516925440
		340282356779733661637539395458142568447 340282356779733661637539395458142568448
		3.4028235677973366e38 3.5e38 1e39 -1e39 1e400 1e99999999999999999999
		1e4294967296 1e-4294967297 1e18446744073709551616 1e-18446744073709551617
		1.17549435e-38 1.1754943508222875e-38 1.1754942e-38 1e-39 1.4e-45 7e-46
		7.006492321624085e-46 7.1e-46 1e-46 1e-400
		. + - +. -. e e5 .e5 1e 1e+ 1e- 1ee5 1e5e 1.2.3 1..2 ++1 --1 +-1 1+ 1- 1e5.5
		1_000 0_1 1,5 1:2 nan NaN -nan inf Inf +inf -Infinity infinity
		0x1p-2 0x10 0X1P+5 0b1 0o7 1f 1d 1L ∞ ½ ١ ` + "\x00 1\x00 \v1 1\v") {
		checkFloat(t, s)
	}
	checkFloat(t, "")
	checkFloat(t, strings.Repeat("9", 10000))
	checkFloat(t, "0."+strings.Repeat("0", 10000)+"1")
	checkFloat(t, "1"+strings.Repeat("0", 10000)+"e-10000")
}

// At the midpoint of two float32 and next to it, rounding twice could give other results.
func TestFloatHalfway(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := math.Float32frombits(r.Uint32() & math.MaxInt32)
		if !(x < math.MaxFloat32/2) {
			continue
		}
		mid := (float64(x) + float64(math.Nextafter32(x, math.MaxFloat32))) / 2
		for _, m := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1))} {
			checkFloat(t, strconv.FormatFloat(m, 'g', -1, 64))
			checkFloat(t, strconv.FormatFloat(m, 'g', 15+r.IntN(6), 64))
		}
	}
	for i := range 200_000 {
		checkFloat(t, fmt.Sprint(16777216+i))
		checkFloat(t, fmt.Sprintf("%d.%d", 8388608+i, 5*(i%3)))
	}
}

func TestFloatRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 2_000_000
	if testing.Short() {
		n /= 20
	}
	buf := make([]byte, 0, 64)
	for range n {
		buf = buf[:0]
		switch r.IntN(4) {
		case 0:
			buf = strconv.AppendFloat(buf, float64(math.Float32frombits(r.Uint32()>>1)),
				"efg"[r.IntN(3)], -1, 32)
		case 1:
			buf = strconv.AppendUint(buf, r.Uint64()>>r.IntN(64), 10)
			buf = append(buf, 'e')
			buf = strconv.AppendInt(buf, int64(r.IntN(60)-40), 10)
		case 2:
			for k := range 1 + r.IntN(22) {
				if k > 0 && r.IntN(5) == 0 && bytes.IndexByte(buf, '.') < 0 {
					buf = append(buf, '.')
				}
				buf = append(buf, byte('0'+r.IntN(10)))
			}
		case 3:
			buf = strconv.AppendFloat(buf, r.NormFloat64(), 'g', 1+r.IntN(9), 64)
		}
		checkFloat(t, string(buf))
	}
}

func TestDigits8(t *testing.T) {
	for n := range 20 {
		for c := range 256 {
			if c-'0' >= 0 && c-'0' < 10 {
				continue
			}
			for space := range 10 {
				s := "98765432109876543210"[:n]
				b := append([]byte(s), byte(c))
				b = append(b, "7654321:9"[:space]...)
				want, _ := strconv.ParseUint("0"+s, 10, 64)
				if m, p := Digits(b, 0, 0); m != want || p != n {
					t.Fatalf("%q: %d, %d", b, m, p)
				}
			}
		}
	}
}

func FuzzFloat(f *testing.F) {
	for _, s := range []string{"1", "-0.25", "1e-5", "16777217", "9.86899159742946E-02", "1e39",
		"nan", "0x1p-2", "5.", "", "1e+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.ContainsAny(s, " \t\r\n#") {
			return // not one token
		}
		checkFloat(t, s)
	})
}
