package tables

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// labelStats are the statistics of the labels. The first pass tells labels of plain numbers alone,
// or of words alone, and returns them; any other labels need a pass of full statistics.
type labelStats struct {
	mark   byte // the decimal mark of labels that leave it open; 0 takes the mark of the columns
	usable bool // the labels that the pass returned are the final ones

	plain, words, gaps, odd int
	gap                     string // the first gap that may be the name of a class
	points, proved          int    // plain labels with a point, and those whose point is decimal
	full                    *stats // nil in the first pass
	as                      assumption
	again                   bool // full statistics are needed
}

// begin prepares a pass.
func (l *labelStats) begin() {
	*l = labelStats{mark: l.mark, as: l.as, again: l.again}
	if l.again {
		l.full = newStats(l.as)
	}
}

// Label counts the label of a row, and returns it as far as it is known in the first pass.
func (f *Fitter) Label(text string) (form.Label, string) {
	l := &f.labels
	missing := cell.IsMissing(text)
	if l.full != nil {
		l.full.add(text)
	}
	v, ok := float32(0), cell.HasDigit(text)
	if ok {
		v, ok = parse32(text)
	}
	if missing {
		if f.file.DropUnlabelled || !mayNameClass(text) {
			return form.Label{Missing: true}, ""
		}
		if l.gaps++; l.gap == "" {
			l.gap = strings.Clone(text)
		}
	}
	switch {
	case l.full != nil || f.broken:
		return form.Label{}, ""
	case missing:
	case ok && !cell.LeadingZero(text):
		if strings.IndexByte(text, '.') >= 0 {
			if l.points++; l.proved == 0 && !cell.Ambiguous(text) {
				l.proved++
			}
		}
		if l.plain++; l.words+l.odd+l.gaps == 0 {
			return form.Label{Value: v + 0}, "" // -0 is 0
		}
	case l.plain > 0 || ok || cell.HasDigit(text) && cell.KindOf(text) == cell.NumberCell:
		l.odd++
	default:
		l.words++
	}
	return form.Label{Word: f.raw != nil && l.plain == 0}, ""
}

// mayNameClass reports whether a gap is letters alone, such as NA, which may be a class's name.
func mayNameClass(text string) bool {
	for i := range len(text) {
		if text[i]|0x20-'a' >= 26 {
			return false
		}
	}
	return text != ""
}

// settle returns the kind and format of the labels, and whether it needs another pass to find them.
// mark is the decimal mark of labels that leave it open; question adds the doubt about it.
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

// classes returns a label column of words. Cells such as NA are a class if they recur.
func (l *labelStats) classes(doubt func(verdict)) Label {
	label := Label{Kind: Category, GapIsClass: l.gaps >= leastRows}
	if label.GapIsClass {
		doubt(verdict{flag: "-missing drop", cell: l.gap, doubt: fmt.Sprintf(
			"%d labels may be gaps, but are taken for a class", l.gaps)})
	}
	return label
}

// settleFull is settle with full statistics.
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
	const few = 20 // different numbers, which a word among them shows to be classes
	numbers := ok && !s.likeCodes() && mostly(s.numbers.count, odd, mostOddWords+1, false) &&
		(odd == 0 || s.different > few || s.full)
	if as.decimal != s.as.decimal && 2*(s.numbers.count+s.points+s.commas) >= s.rows-s.missing ||
		numbers && as.unit != s.as.unit {
		l.as = as
		return Label{}, true
	}
	v := verdict{kind: Number, as: as}
	if s.doubtNumbers(&v); !ok {
		v.doubt, v.cell, v.flag = "labels in several units, taken for classes", s.oddUnit, ""
	}
	if question(s, &v); v.doubt != "" && (numbers || !ok) {
		doubt(v)
	}
	if !numbers {
		return l.classes(doubt), false
	}
	label.Kind = Number
	f := Format{Unit: s.formatUnit()}
	if as.decimal == ',' {
		f.Decimal = ","
	}
	f.Groups, f.Magnitudes = s.groups, s.hasMagnitudes(s.as)
	if f.Groups || f.Magnitudes || f.Unit != "" || f.Decimal != "" {
		label.Format = &f
	}
	return label, false
}

// Label returns the label in a cell, as the training's labels were written.
func (c *Coder) Label(text string) (form.Label, string) {
	l := &c.label
	missing := cell.IsMissing(text)
	if l.Kind == Category {
		if missing && !(l.GapIsClass && mayNameClass(text)) {
			return form.Label{Missing: true}, ""
		}
		return form.Label{Word: true}, ""
	}
	if l.Format == nil || l.Format.Decimal == "" {
		if v, ok := parse32(text); ok {
			return form.Label{Value: v + 0}, "" // -0 is 0
		}
	}
	if cell.IsGapWord(text) {
		return form.Label{Missing: true}, ""
	}
	if v, ok := l.Format.parse(text); ok {
		return form.Label{Value: float32(v) + 0}, ""
	}
	return form.Label{}, "label is not a number, as the labels of the training are"
}
