package cell

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"unsafe"
)

// ParsePlain parses a decimal number as strconv.ParseFloat does: an optional sign, digits with an
// optional decimal point, and an optional exponent. It rejects numbers that exceed the range of
// float32.
func ParsePlain(s string) (float64, bool) {
	if m, decimals, sign, ok := short(s); ok {
		v := float64(m) / pow10[decimals] // only the quotient is rounded: m and the power are exact
		return math.Float64frombits(math.Float64bits(v) | sign<<63), true
	}
	// Reject cells that are no decimal numbers before calling ParseFloat, whose errors are
	// allocated.
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

// short parses a number of at most 15 digits, with an optional minus and without an exponent. The
// number's absolute value is m / 10^decimals; sign is 1 after a minus, else 0.
func short(s string) (m uint64, decimals int, sign uint64, ok bool) {
	const maxDigits = 15 // 10^15 < 2^53
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	if len(b) == 0 {
		return 0, 0, 0, false
	}
	if b[0] == '-' {
		sign = 1
	}
	if b = b[sign:]; len(b) > maxDigits+1 {
		return 0, 0, 0, false
	}
	m, digits, after, ok := joinWord(word(b), uint(min(len(b), 8)))
	if k := len(b) - 8; k > 0 {
		last := binary.LittleEndian.Uint64(b[k:]) >> (64 - 8*k)
		more, n, afterMore, okMore := joinWord(last, uint(k))
		switch {
		case after >= 0 && afterMore >= 0: // two points
			return 0, 0, 0, false
		case after >= 0:
			after += int(n)
		default:
			after = afterMore
		}
		m, digits, ok = m*PowersOfTen[n&15]+more, digits+n, ok && okMore
	}
	return m, max(after, 0), sign, ok && digits-1 < maxDigits
}

// word returns the first eight bytes of b in little-endian order, with 0 for bytes that b lacks.
func word(b []byte) uint64 {
	switch n := min(len(b), 8); {
	case n >= 4: // the two words may overlap
		return uint64(binary.LittleEndian.Uint32(b)) |
			uint64(binary.LittleEndian.Uint32(b[n-4:]))<<(8*n-32)
	case n > 0:
		return uint64(b[0]) | uint64(b[n/2])<<(n/2*8) | uint64(b[n-1])<<(8*n-8)
	}
	return 0
}

// joinWord parses the first n bytes of x, little-endian text of digits and at most one point. m is
// the digits without the point; after is the number of digits after the point, or -1 without a
// point.
func joinWord(x uint64, n uint) (m uint64, digits uint, after int, ok bool) {
	after = -1
	y := x ^ '.'*(ASCIIZeros/'0')
	const low = ^uint64(0x8080808080808080)
	if points := ^((y&low + low) | y | low); points != 0 { // the top bit of each point
		at := uint(bits.TrailingZeros64(points)) - 7
		before := uint64(1)<<(at&63) - 1
		x = x&before | x>>8&^before
		n--
		after = int(n - at/8)
	}
	if x ^= ASCIIZeros; CountDigits(x) < n {
		return 0, 0, 0, false
	}
	if n > 0 {
		m = JoinDigits(x, n)
	}
	return m, n, after, true
}

// Float32 parses a whole cell as [ParseFloat32] parses a token. It returns a reason if s is not a
// number that fits float32.
func Float32(s string) (v float32, reason string) {
	if m, decimals, sign, ok := short(s); ok {
		if v, ok = Scale(m, -decimals); ok {
			return math.Float32frombits(math.Float32bits(v) | uint32(sign)<<31), ""
		}
	}
	var buffer [64]byte
	b := append(append(buffer[:0], s...), '\n')
	v, next, reason := ParseFloat32(b, 0)
	if next < len(s) {
		return 0, NotNumber // s contains white space or #
	}
	return v, reason
}
