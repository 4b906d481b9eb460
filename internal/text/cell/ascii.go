package cell

import "strings"

func HasDigit(s string) bool {
	for i := range len(s) {
		if s[i]-'0' < 10 {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n]-'0' < 10 {
		n++
	}
	return n
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || s[n] >= 0x80) {
		n++
	}
	return n
}

func skipWord(s string, words ...string) string {
	for _, word := range words {
		if rest, ok := strings.CutPrefix(s, word); ok && wordLength(rest) == 0 {
			return rest
		}
	}
	return s
}

func atoi(digits string) int {
	n := 0
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

var ascii = strings.NewReplacer("\t", " ", "\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u202f",
	" ", "\u2212", "-", "\u2013", "-", "’", "'", "º", "°", "μ", "µ")

func toASCII(s string) string {
	for i := range len(s) { // all characters that ascii replaces begin with these bytes
		if c := s[i]; c == '\t' || c == 0xc2 || c == 0xce ||
			c == 0xe2 && i+1 < len(s) && s[i+1]|8 == 0x88 {
			return ascii.Replace(s)
		}
	}
	return s
}
