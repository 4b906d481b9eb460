package cell

import "strings"

type Kind byte

const (
	WordCell Kind = iota
	GapCell
	NumberCell // a number under at least one decimal mark
	DateCell   // a date under at least one order, or a time
)

func KindOf(s string) Kind {
	if _, ok := ParsePlain(s); ok {
		return NumberCell
	}
	if IsGapWord(s) {
		return GapCell
	}
	if len(s) > max(maxNumber, maxDate) || !HasDigit(s) {
		return WordCell
	}
	_, ok := ParseNumber(s, '.')
	if !ok && (strings.IndexByte(s, '.') >= 0 || strings.IndexByte(s, ',') >= 0) {
		_, ok = ParseNumber(s, ',')
	}
	if ok {
		return NumberCell
	}
	if Orders(s) != 0 {
		return DateCell
	}
	return WordCell
}
