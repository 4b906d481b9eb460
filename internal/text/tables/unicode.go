package tables

import (
	"slices"
	"unicode/utf8"
)

// The letters, marks and numbers beyond ASCII, and what makes them lower case, are in tables, so
// that a release of Go with another version of Unicode changes no model.

// A wordRange is characters that words are made of.
type wordRange struct{ first, last rune }

// A lowerRange is every stride-th character from first to last, whose lower case is delta further.
type lowerRange struct{ first, last, stride, delta rune }

// isWord reports whether words are made of the character: whether it is a letter, a mark or a
// number.
func isWord(r rune) bool {
	if r < 0x80 {
		return asciiWord[byte(r)] != 0
	}
	_, found := slices.BinarySearchFunc(wordRanges[:], r, func(in wordRange, r rune) int {
		return place(in.first, in.last, r)
	})
	return found
}

// aloneRanges are the letters and marks of scripts that are written without blanks between words.
var aloneRanges = [...]wordRange{
	{0x0e01, 0x0e3a}, {0x0e40, 0x0e4e}, // Thai
	{0x0e80, 0x0ecf}, {0x0edc, 0x0edf}, // Lao
	{0x1000, 0x103f}, {0x1050, 0x108f}, // Myanmar
	{0x1780, 0x17d3},                                     // Khmer
	{0x3005, 0x3007}, {0x3041, 0x309f}, {0x30a1, 0x30ff}, // Japanese
	{0x31f0, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff},
	{0xff66, 0xff9d}, {0x20000, 0x323af},
}

// standsAlone reports whether a character is a word by itself.
func standsAlone(r rune) bool {
	if r < aloneRanges[0].first {
		return false
	}
	_, found := slices.BinarySearchFunc(aloneRanges[:], r, func(in wordRange, r rune) int {
		return place(in.first, in.last, r)
	})
	return found && isWord(r)
}

// countAlone returns how many characters of a text are words by themselves.
func countAlone(text string) (n int) {
	for i := range len(text) {
		if text[i] >= 0xe0 { // the first byte of three or four
			r, _ := utf8.DecodeRuneInString(text[i:])
			if standsAlone(r) {
				n++
			}
		}
	}
	return n
}

// place tells whether a range ends before r, -1, or begins behind it, 1, or has it, 0.
func place(first, last, r rune) int {
	switch {
	case last < r:
		return -1
	case first > r:
		return 1
	}
	return 0
}

// toLower returns the lower case of a character, which may be itself.
func toLower(r rune) rune {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	i, found := slices.BinarySearchFunc(lowerRanges[:], r, func(in lowerRange, r rune) int {
		return place(in.first, in.last, r)
	})
	if found && (r-lowerRanges[i].first)%lowerRanges[i].stride == 0 {
		return r + lowerRanges[i].delta
	}
	return r
}

// asciiWord has the lower case of the letters and digits of ASCII, and 0 for what stands between
// words.
var asciiWord = func() (lower [0x80]byte) {
	for c := range byte(0x80) {
		switch {
		case 'A' <= c && c <= 'Z':
			lower[c] = c + 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			lower[c] = c
		}
	}
	return lower
}()
