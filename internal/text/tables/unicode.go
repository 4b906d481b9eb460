package tables

import (
	"sort"
	"unicode"
	"unicode/utf8"
)

// Tables of letters, marks and numbers beyond ASCII, and of their lower case, keep models from
// changing with the Unicode version of a Go release.

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord[byte(r)] != 0
	}
	return unicode.Is(wordTable, r)
}

// aloneTable covers letters and marks of scripts written without blanks between words.
var aloneTable = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0e01, Hi: 0x0e3a, Stride: 1}, {Lo: 0x0e40, Hi: 0x0e4e, Stride: 1}, // Thai
	{Lo: 0x0e80, Hi: 0x0ecf, Stride: 1}, {Lo: 0x0edc, Hi: 0x0edf, Stride: 1}, // Lao
	{Lo: 0x1000, Hi: 0x103f, Stride: 1}, {Lo: 0x1050, Hi: 0x108f, Stride: 1}, // Myanmar
	{Lo: 0x1780, Hi: 0x17d3, Stride: 1},                                      // Khmer
	{Lo: 0x3005, Hi: 0x3007, Stride: 1}, {Lo: 0x3041, Hi: 0x309f, Stride: 1}, // Japanese
	{Lo: 0x30a1, Hi: 0x30ff, Stride: 1}, {Lo: 0x31f0, Hi: 0x31ff, Stride: 1},
	{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1},
	{Lo: 0xf900, Hi: 0xfaff, Stride: 1}, {Lo: 0xff66, Hi: 0xff9d, Stride: 1},
}, R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x323af, Stride: 1}}}

func standsAlone(r rune) bool {
	return r >= 0x0e01 && unicode.Is(aloneTable, r) && isWord(r)
}

func countAlone(text string) (n int) {
	for i := range len(text) {
		if text[i] >= 0xe0 { // first byte of a character of three or four bytes
			r, _ := utf8.DecodeRuneInString(text[i:])
			if standsAlone(r) {
				n++
			}
		}
	}
	return n
}

func toLower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	i := sort.Search(len(lowerRanges), func(i int) bool { return lowerRanges[i][1] >= r })
	if i == len(lowerRanges) {
		return r
	}
	if first, stride := lowerRanges[i][0], lowerRanges[i][2]; r >= first && (r-first)%stride == 0 {
		return r + lowerRanges[i][3]
	}
	return r
}

// asciiWord maps ASCII letters and digits to lower case, and separators to 0.
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
