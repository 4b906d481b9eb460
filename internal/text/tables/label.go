package tables

import (
	"cmp"
	"fmt"
	"strings"
)

type labelStats struct {
	mark   byte // in Refit, decimal mark of the labels; 0 to detect it
	usable bool // the labels that the pass returned are final

	plain, words, gaps, odd int
	gap                     string // the first gap that may be a class
	points, proved          int    // plain labels with a point; 1 if a point is certainly decimal
	full                    *stats // nil in passes without full statistics
	as                      assumption
	again                   bool // the next pass needs full statistics
}

func (l *labelStats) begin() {
	*l = labelStats{mark: l.mark, as: l.as, again: l.again}
	if l.again {
		l.full = newStats(l.as)
	}
}

func mayNameClass(text string) bool {
	for i := range len(text) {
		if text[i]|0x20-'a' >= 26 {
			return false
		}
	}
	return text != ""
}

// settle returns the kind and format of the labels, and whether another pass is needed to find
// them. mark is the decimal mark of ambiguous columns.
func (l *labelStats) settle(mark byte, question func(*stats, *verdict), doubt func(verdict)) (
	label Label, again bool,
) {
	if l.full != nil {
		label, again = l.settleFull(mark, question, doubt)
		l.usable = false
		return label, again
	}
	switch {
	case l.odd > 0 || l.plain > 0 && (l.words > 0 || mark == ',' || l.points > 0 && l.proved == 0):
		l.again = true
		return Label{}, true
	case l.plain > 0:
		label.Kind = Number
	case l.words > 0:
		label = l.classes(doubt)
	case l.gaps > 0:
		label.Kind = Number
	}
	l.usable = l.gaps == 0 || label.GapIsClass
	return label, false
}

func (l *labelStats) classes(doubt func(verdict)) Label {
	label := Label{Kind: Category, GapIsClass: l.gaps >= leastRows}
	if label.GapIsClass {
		doubt(verdict{flag: "-missing drop", cell: l.gap, doubt: fmt.Sprintf(
			"%d labels may be gaps, but are taken for names of classes", l.gaps)})
	}
	return label
}

func (l *labelStats) settleFull(mark byte, question func(*stats, *verdict), doubt func(verdict)) (
	label Label, again bool,
) {
	s := l.full
	s.joinBooleans()
	as := s.as
	as.decimal = s.mark(cmp.Or(l.mark, mark))
	unit, ok := s.unit()
	as.unit = s.assumedUnit(unit)
	odd := s.rows - s.missing - s.numbers.count - s.gapsAmong(s.numbers.count)
	const few = 20 // with an odd label, up to this many distinct labels are classes
	numbers := ok && !s.likeCodes() && !s.haveGrades() &&
		mostly(s.numbers.count, odd, mostOddWords+1, false) && (odd == 0 || s.different > few || s.full)
	if as.decimal != s.as.decimal && 2*(s.numbers.count+s.points+s.commas) >= s.rows-s.missing ||
		numbers && as.unit != s.as.unit {
		l.as = as
		return Label{}, true
	}
	v := verdict{kind: Number, as: as}
	if s.doubtNumbers(&v); !ok {
		v.doubt, v.cell, v.flag = "labels in several units, taken for classes", s.oddUnit, ""
	}
	if strings.Contains(v.flag, "COLUMN") { // the label's column can't be given a kind
		v.flag = ""
	}
	if question(s, &v); v.doubt != "" && (numbers || !ok) {
		doubt(v)
	}
	if !numbers {
		return l.classes(doubt), false
	}
	return Label{Kind: Number, Format: s.format(nil)}, false
}
