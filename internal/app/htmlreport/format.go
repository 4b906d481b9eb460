package htmlreport

import (
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

const none = "–"

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func count(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return thousands(n) + " " + of
}

func amount(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return thousands(int(v))
	}
	return digits(v, 4)
}

func percent(v float64) string {
	if !floats.IsFinite(v) {
		return none
	}
	decimals := 1
	for near := min(v, 1-v); near > 0 && near < .00095 && decimals < 4; near *= 10 {
		decimals++
	}
	return strconv.FormatFloat(100*v, 'f', decimals, 64) + " %"
}

func share(v float64) string {
	if !floats.IsFinite(v) {
		return none
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// digits formats v with up to n significant digits, but magnitudes from 10^n to below 1e9 as
// whole numbers.
func digits(v float64, n int) string {
	if !floats.IsFinite(v) {
		return none
	}
	if a := math.Abs(v); a >= math.Pow10(n) && a < 1e9 {
		return thousands(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

func signed(v float64) string {
	if s := digits(v, 3); v < 0 {
		return "−" + strings.TrimPrefix(s, "-")
	} else {
		return "+" + s
	}
}
