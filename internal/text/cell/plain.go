package cell

import (
	"math"
	"strconv"
)

// ParsePlain parses a decimal number in plain form, as strconv.ParseFloat does: an optional sign,
// digits with an optional decimal point, and an optional exponent. It rejects numbers that exceed
// the range of float32.
func ParsePlain(s string) (float64, bool) {
	if m, decimals, negative, ok := short(s); ok {
		v := float64(m) / pow10[decimals] // both are exact, so the quotient is rounded correctly
		if negative {
			v = -v
		}
		return v, true
	}
	// ParseFloat allocates its errors, so reject cells that are no numbers before calling it.
	i, decimals := 0, 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		i = 1
	}
	whole := countDigits(s[i:])
	if i += whole; i < len(s) && s[i] == '.' {
		decimals = countDigits(s[i+1:])
		i += 1 + decimals
	}
	if whole+decimals == 0 || i+exponentLength(s[i:]) != len(s) {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && math.Abs(v) <= math.MaxFloat32
}

// exponentLength returns the length in bytes of the exponent that s begins with, such as e-05; 0 if
// there is none.
func exponentLength(s string) int {
	sign := 1
	if len(s) > 1 && (s[1] == '-' || s[1] == '+') {
		sign = 2
	}
	if len(s) > sign && s[0]|0x20 == 'e' && s[sign]-'0' < 10 {
		return sign + countDigits(s[sign:])
	}
	return 0
}

// short parses a number of at most 15 digits, without an exponent. Its absolute value is
// m / 10^decimals.
func short(s string) (m uint64, decimals int, negative, ok bool) {
	const maxDigits = 15 // 10^15 is below 2^53
	i := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		i = 1
	}
	if len(s)-i > maxDigits+1 {
		return 0, 0, false, false
	}
	first, point := i, -1
	for ; i < len(s); i++ {
		if c := s[i] - '0'; c < 10 {
			m = m*10 + uint64(c)
		} else if s[i] == '.' && point < 0 {
			point = i
		} else {
			return 0, 0, false, false
		}
	}
	digits := len(s) - first
	if point >= 0 {
		digits--
		decimals = len(s) - point - 1
	}
	return m, decimals, negative, digits > 0 && digits <= maxDigits
}

// Float32 parses a whole cell as [ParseFloat32] does. It returns a reason if s is not a number that
// fits float32.
func Float32(s string) (v float32, reason string) {
	if m, decimals, negative, ok := short(s); ok {
		if v, ok = Scale(m, -decimals); ok {
			if negative {
				v = -v
			}
			return v, ""
		}
	}
	var buffer [64]byte
	b := append(append(buffer[:0], s...), '\n')
	v, next, reason := ParseFloat32(b, 0)
	if next < len(s) {
		return 0, NotNumber // s contains a blank or #
	}
	return v, reason
}
