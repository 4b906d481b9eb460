package cell

import (
	"math"
	"strconv"
	"strings"
)

type Number struct {
	Value     float64
	Unit      string // normalized unit or currency: "kg", "₹" for "Rs." and "Rs"; "" for none
	Magnitude byte   // K, M or B after the digits, a factor that Value includes; 0 for none
}

const maxNumber = 64

// ParseNumber parses a number whose decimal mark is decimal, '.' or ','. Beyond what [ParsePlain]
// accepts with a point as the mark, a number may have
//   - a sign before it or a minus after it, or parentheses if it is negative: (12.50);
//   - groups of three digits, separated by blanks, apostrophes, underscores or the mark that is not
//     the decimal mark, or Indian groups: 1,25,000;
//   - a currency or percent before or after it, or + after it;
//   - a known unit after it, or most words of lower-case letters after a blank: 12kg, 5 apples;
//   - a magnitude, which multiplies the digits: 1.5K and 1.5k are 1500, 2 million is 2000000.
//
// It rejects codes, such as T0, 3*, 12A, 1-2, 1.2.3, 12/5 and 0x1F, and numbers that exceed the
// range of float32.
func ParseNumber(s string, decimal byte) (n Number, ok bool) {
	if decimal == '.' || strings.IndexByte(s, '.') < 0 {
		if v, ok := ParsePlain(s); ok {
			return Number{Value: v}, true
		}
	}
	if len(s) > maxNumber || !HasDigit(s) {
		return n, false
	}
	p := numberParser{rest: toASCII(s)}
	if !p.parseFront() || !p.parseDigits(decimal) || !p.parseBack() {
		return n, false
	}
	v, err := strconv.ParseFloat(string(p.text[:p.length]), 64)
	if err != nil || math.Abs(v) > math.MaxFloat32 {
		return n, false
	}
	if p.negative {
		v = -v
	}
	return Number{v, p.unit, p.magnitude}, true
}

type numberParser struct {
	rest             string
	text             [maxNumber + 8]byte // without the sign, for strconv.ParseFloat
	length           int                 // bytes of text in use
	negative, signed bool                // signed: after a sign or a parenthesis
	parentheses      bool
	unit             string
	magnitude        byte
}

func (p *numberParser) put(s string) { p.length += copy(p.text[p.length:], s) }

func (p *numberParser) parseFront() bool {
	for p.rest != "" {
		switch c, last := p.rest[0], len(p.rest)-1; {
		case c-'0' < 10 || c == '.' || c == ',':
			return true
		case c == ' ':
			p.rest = p.rest[1:]
		case c == '-' || c == '+' || c == '(':
			if p.signed || c == '(' && p.rest[last] != ')' {
				return false
			}
			if p.signed, p.negative, p.rest = true, c != '+', p.rest[1:]; c == '(' {
				p.parentheses, p.rest = true, strings.TrimRight(p.rest[:last-1], " ")
			}
		case p.unit != "" || !p.parseCurrency():
			return false
		}
	}
	return false
}

func (p *numberParser) parseCurrency() bool {
	end := strings.IndexAny(p.rest, " -+(0123456789")
	if end <= 0 {
		return false
	}
	name := p.rest[:end]
	if currencies[name] == "" { // the point of $.50 belongs to the number
		name = strings.TrimRight(name, ".,")
	}
	unit := currencies[name]
	if unit == "" || len(name) == end && p.rest[end] != ' ' && isLetter(name[end-1]) &&
		besideDigits[name] == "" {
		return false
	}
	p.unit, p.rest = unit, p.rest[len(name):]
	return true
}

func (p *numberParser) parseDigits(decimal byte) bool {
	t := p.rest
	whole := countDigits(t)
	p.put(t[:whole])
	t = t[whole:]
	grouped := 0
	if whole > 0 && whole <= 3 && p.rest[0] != '0' && t != "" && t[0] != decimal &&
		strings.IndexByte(" '_.,", t[0]) >= 0 {
		grouped = p.parseGroups(t)
		t = t[grouped:]
	}
	switch {
	case whole > 0 && len(t) > 1 && strings.IndexByte(".,/", t[0]) >= 0 && t[1] == '-' &&
		(len(t) == 2 || t[2] == ' '):
		t = t[2:] // a price without cents: 500,- or 500.- or 500/-
	case t != "" && t[0] == decimal:
		decimals := countDigits(t[1:])
		if whole+decimals == 0 || decimals == 0 && decimal == ',' {
			return false
		}
		p.put(".")
		p.put(t[1 : 1+decimals])
		t = t[1+decimals:]
	case whole == 0:
		return false
	case t == "." && grouped == 0:
		t = "" // 12. has no decimals under either mark
	}
	if grouped == 0 {
		exponent := exponentLength(t)
		p.put(t[:exponent])
		t = t[exponent:]
	}
	p.rest = t
	return true
}

// parseGroups parses groups of digits, each after the mark t[0], and returns their length in bytes
// with the marks; 0 for none.
func (p *numberParser) parseGroups(t string) int {
	end, first, size := 0, p.length, 3
	if t[0] == ',' && first < 3 && countDigits(t[1:]) == 2 { // Indian groups end with three digits
		size = 2
	}
	for len(t) > end && t[end] == t[0] {
		digits := countDigits(t[end+1:])
		if digits != size && digits != 3 {
			break
		}
		p.put(t[end+1 : end+1+digits])
		if end += 1 + digits; digits > size {
			return end
		}
	}
	if size == 2 { // without a group of three digits at the end, the groups are not Indian
		p.length, end = first, 0
	}
	return end
}

func (p *numberParser) parseBack() bool {
	word := strings.TrimLeft(p.rest, " ")
	blank := len(word) < len(p.rest)
	if word == "-" && !blank && !p.signed {
		p.negative, word = true, ""
	}
	if word == "" {
		return !blank
	}
	name := p.cutMagnitude(word, blank)
	if name == "" {
		return true
	}
	unit := unitOf(name, blank || name != word)
	if unit == "" || p.unit != "" && p.unit != unit ||
		p.parentheses && currencies[unit] == "" { // (12 notes) is not -12
		return false
	}
	p.unit = unit
	return true
}

// cutMagnitude cuts a magnitude, if any, from s; blank says that a blank precedes s. A letter must
// follow the digits without a blank unless a currency precedes them: 1.5 B alone could be a code,
// but $1.5 B is a number.
func (p *numberParser) cutMagnitude(s string, blank bool) string {
	i := strings.IndexByte("KkMB", s[0])
	if rest := s[1:]; i >= 0 && (!blank || p.unit != "") &&
		(rest == "" || rest[0] == ' ' || rest == "+" || currencies[rest] != "") {
		p.magnitude = "KKMB"[i]
		p.put("e3e3e6e9"[2*i : 2*i+2])
		return strings.TrimLeft(rest, " ")
	}
	first, rest, _ := strings.Cut(s, " ")
	if power := lookup(magnitudes, strings.TrimSuffix(first, ".")); power != "" {
		p.put(power)
		return rest
	}
	return s
}

// DecimalMark returns '.' or ',' if s is a number under that mark alone, else 0.
func DecimalMark(s string) byte {
	_, point := ParseNumber(s, '.')
	_, comma := ParseNumber(s, ',')
	switch {
	case point == comma:
		return 0
	case point:
		return '.'
	}
	return ','
}

// Ambiguous reports whether s is a number under both decimal marks, with different values: 1,234.
func Ambiguous(s string) bool {
	point, isPoint := ParseNumber(s, '.')
	comma, isComma := ParseNumber(s, ',')
	return isPoint && isComma && point.Value != comma.Value
}

func LeadingZero(s string) bool {
	return len(s) > 1 && s[0] == '0' && countDigits(s) == len(s)
}
