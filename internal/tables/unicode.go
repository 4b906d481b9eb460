package tables

import "slices"

// The letters, marks and numbers beyond ASCII, and what makes them lower case, are in tables, so that
// a release of Go with another version of Unicode changes no model.

// A wordRange is characters that words are made of.
type wordRange struct{ first, last rune }

// A lowerRange is every stride-th character from first to last, whose lower case is delta further.
type lowerRange struct{ first, last, stride, delta rune }

// isWord reports whether words are made of the character: whether it is a letter, a mark or a number.
func isWord(r rune) bool {
	if r < 0x80 {
		return asciiWord[byte(r)] != 0
	}
	_, found := slices.BinarySearchFunc(wordRanges[:], r, func(in wordRange, r rune) int {
		return place(in.first, in.last, r)
	})
	return found
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
