package cell

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// pow10[n] is 10^n for n up to 22, the largest power of ten that float64 holds exactly.
var pow10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// PowersOfTen[n] is 10^n for n up to 8. The other elements are 0: with 16 elements, an index n&15
// needs no bounds check.
var PowersOfTen = [16]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// Digits parses the n decimal digits that b[p:] starts with. It returns m*10^n plus the number that
// the digits form, modulo 2^64, and the position after the digits.
func Digits(b []byte, p int, m uint64) (uint64, int) {
	for len(b)-p >= 8 {
		x := binary.LittleEndian.Uint64(b[p:]) ^ ASCIIZeros
		n := CountDigits(x)
		if n == 0 {
			return m, p
		}
		m = m*PowersOfTen[n&15] + JoinDigits(x, n)
		p += int(n)
		if n < 8 {
			return m, p
		}
	}
	for p < len(b) && b[p]-'0' < 10 {
		m = m*10 + uint64(b[p]-'0')
		p++
	}
	return m, p
}

// ASCIIZeros is eight ASCII digits 0. An exclusive or with it turns ASCII digits into 0 to 9.
const ASCIIZeros = 0x3030303030303030

// CountDigits returns the number of digits, 0 to 8, at the start of eight bytes of text. x is the
// bytes, in little-endian order, after an exclusive or with [ASCIIZeros].
func CountDigits(x uint64) uint {
	// The first byte above 9 has its top bit set by the addition or in x itself. Carries change
	// only bytes after it.
	return uint(bits.TrailingZeros64(((x+0x7676767676767676)|x)&0x8080808080808080)) / 8
}

// JoinDigits returns the number that the first n of eight digits form; n is 1 to 8. x is as in
// [CountDigits].
func JoinDigits(x uint64, n uint) uint64 {
	// Move the digits to the end, after zeros. Combine them into pairs, and the pairs into the
	// number. The mask lets the compiler omit a check of the shift count.
	x <<= (64 - 8*n) & 63
	x = x*10 + x>>8
	return ((x&0x000000ff000000ff)*(100+1000000<<32) +
		(x>>16&0x000000ff000000ff)*(1+10000<<32)) >> 32
}

// ParseFloat32 parses the decimal number at b[p:]. It returns the value of strconv.ParseFloat for
// 32 bits, and the position after the number, where white space or # must follow. If there is no
// such number, next is the token's end and reason says why. b must end in a newline.
func ParseFloat32(b []byte, p int) (v float32, next int, reason string) {
	token := p
	var sign uint32
	switch b[p] {
	case '-':
		sign = 1 << 31
		p++
	case '+':
		p++
	}
	var m uint64
	start := p
	for b[p]-'0' < 10 {
		m = m*10 + uint64(b[p]-'0')
		p++
	}
	count := p - start
	exp := 0
	if b[p] == '.' {
		start = p + 1
		m, p = Digits(b, start, m)
		exp = start - p
		count -= exp
	}
	if b[p]|0x20 == 'e' {
		var e int
		e, p = exponent(b, p+1)
		exp += e
	}
	if !isEnd(b[p]) || count == 0 || count > 19 { // m, a uint64, holds any 19 digits
		return slowFloat32(b, token)
	}
	f, ok := Scale(m, exp)
	if !ok {
		return slowFloat32(b, token)
	}
	return math.Float32frombits(math.Float32bits(f) | sign), p, ""
}

// Scale returns the float32 nearest to m*10^exp; ok is false if it cannot determine that value.
func Scale(m uint64, exp int) (v float32, ok bool) {
	if m >= 1<<53 || uint(exp+22) > 44 {
		return 0, false
	}
	// m and the power of ten are exact in float64, so that f is the float64 nearest to m*10^exp.
	// Unless f is halfway between two float32, the float32 nearest to f is also nearest to
	// m*10^exp: halfway points are float64 numbers, and rounding keeps order. f is 0 or from 1e-22
	// to 1e38. In this range, the last 29 bits of halfway points are a 1 and zeros.
	f := float64(m)
	if exp < 0 {
		f /= pow10[-exp]
	} else {
		f *= pow10[exp]
	}
	return float32(f), math.Float64bits(f)&(1<<29-1) != 1<<28
}

// exponent parses an optional sign and digits at b[p:]. e is 2^20 without digits, and cut to 2^20
// or -2^20; [Scale] rejects both.
func exponent(b []byte, p int) (e, next int) {
	const useless = 1 << 20
	sign := 1
	switch b[p] {
	case '-':
		sign = -1
		p++
	case '+':
		p++
	}
	start := p
	for b[p]-'0' < 10 {
		e = min(10*e+int(b[p]-'0'), useless)
		p++
	}
	if p == start {
		return useless, p
	}
	return sign * e, p
}

func isEnd(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' }

func TokenEnd(b []byte, p int) int {
	for p < len(b) && !isEnd(b[p]) {
		p++
	}
	return p
}

const (
	NotNumber = "not a decimal number"
	NotFinite = "not finite"
	Overflows = "beyond the range of float32"
	NotExact  = "an integer that float32 can't hold exactly"
)

func slowFloat32(b []byte, p int) (v float32, next int, reason string) {
	next = TokenEnd(b, p)
	token := string(b[p:next])
	// strconv also parses Inf, NaN and hexadecimal numbers.
	if strings.Trim(token, "+-.0123456789eE") != "" {
		if f, err := strconv.ParseFloat(token, 64); err == nil &&
			(math.IsNaN(f) || math.IsInf(f, 0)) {
			return 0, next, NotFinite
		}
		return 0, next, NotNumber
	}
	f, err := strconv.ParseFloat(token, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, next, Overflows
	case err != nil:
		return 0, next, NotNumber
	}
	return float32(f), next, ""
}

// ExactLabel returns the label v, parsed from token, or a reason why v is not a label. -0 becomes
// 0. An integer must be exact in float32, so that different integers stay different classes. A
// number with an exponent, or a fraction other than 0, may be rounded.
func ExactLabel(token []byte, v float32) (y float32, reason string) {
	if v == 0 {
		return 0, ""
	}
	if v > -1<<24 && v < 1<<24 {
		return v, "" // float32 holds all integers in this range
	}
	if token[0] == '-' || token[0] == '+' {
		token = token[1:]
	}
	n := 0
	for n < len(token) && token[n]-'0' < 10 {
		n++
	}
	for i, c := range token[n:] {
		if c != '0' && (i > 0 || c != '.') {
			return v, "" // not an integer, or with an exponent
		}
	}
	for n > 0 && token[0] == '0' {
		token = token[1:]
		n--
	}
	m, _ := new(big.Int).SetString(string(token[:n]), 10) // at most 39 digits, as v is finite
	if m.BitLen()-int(m.TrailingZeroBits()) > 24 {
		return 0, NotExact
	}
	return v, ""
}
