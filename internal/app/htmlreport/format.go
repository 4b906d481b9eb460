package htmlreport

import (
	"math"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// none is printed in place of an undefined figure.
const none = "–"

// thousands formats a whole number with a comma before each three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count formats a number of things.
func count(n int, of string) string {
	if n != 1 {
		of += "s"
	}
	return thousands(n) + " " + of
}

// amount formats a number of rows, or their weight.
func amount(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return thousands(int(v))
	}
	return digits(v, 4)
}

// percent formats a share with one decimal, and more near 0 and 1.
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

// share formats a measure from 0 to 1 for a table.
func share(v float64) string {
	if !floats.IsFinite(v) {
		return none
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// digits formats a number with n significant digits.
func digits(v float64, n int) string {
	if !floats.IsFinite(v) {
		return none
	}
	if a := math.Abs(v); a >= math.Pow10(n) && a < 1e9 {
		return thousands(int(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

// signed formats a number with its sign.
func signed(v float64) string {
	if s := digits(v, 3); v < 0 {
		return "−" + strings.TrimPrefix(s, "-")
	} else {
		return "+" + s
	}
}
