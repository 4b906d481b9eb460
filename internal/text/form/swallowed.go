package form

import (
	"fmt"
	"strings"
)

// minSplitWidth is the least number of columns for which a cell of two lines can look like rows.
const minSplitWidth = 4

func (s *scanner) noteSwallowed() {
	for i, c := range s.spans {
		if !c.quoted || !s.holdsRows(i) {
			continue
		}
		text := s.row[c.from:c.to]
		from := s.rowLine + countLines([]byte(s.row[:c.from]))
		if s.swallowed.add(from, text); s.swallowed.count == 1 {
			s.swallowedTo = from + countLines([]byte(text))
		}
		return
	}
}

// holdsRows reports whether quoted cell i, by the separators in its lines, holds the end of a row,
// whole rows, and the start of a row: stray quotes in two rows make such a cell. The cell must not
// have a line end after a separator, nor a blank unless other cells begin with blanks: prose and
// lists have these, most tables don't.
func (s *scanner) holdsRows(i int) bool {
	separator, others := string(s.separator), len(s.spans)-1
	text := s.row[s.spans[i].from:s.spans[i].to]
	first, last := strings.IndexAny(text, "\r\n"), strings.LastIndexAny(text, "\r\n")
	if others == 0 || first < 0 || strings.Count(text[:first], separator) != others-i ||
		strings.Count(text[last:], separator) != i ||
		strings.Contains(text, separator+" ") && !s.hasBlanks() ||
		strings.Contains(text, separator+"\n") || strings.Contains(text, separator+"\r") {
		return false
	}
	whole := strings.FieldsFunc(text[first:last], func(c rune) bool { return c == '\n' || c == '\r' })
	for _, line := range whole {
		if strings.Count(line, separator) != others {
			return false
		}
	}
	return len(whole) > 0 || others+1 >= minSplitWidth
}

func (s *scanner) hasBlanks() bool {
	for _, c := range s.spans[1:] {
		if s.row[c.start-1] == ' ' {
			return true
		}
	}
	return false
}

func (s *scanner) swallowedDoubt() Doubt {
	q := s.swallowed
	text := fmt.Sprintf("a quoted cell, up to line %d, looks like rows of the table, and is read as one "+
		"cell", s.swallowedTo)
	if q.count > 1 {
		text = fmt.Sprintf("quoted cells of %d rows, the first up to line %d, look like rows of the "+
			"table, and are read as cells", q.count, s.swallowedTo)
	}
	return Doubt{About: "rows", Line: q.line, Cell: q.cell, Text: text,
		Flag: `mend stray quotes, or say -quote none if no cell is quoted; ` +
			`if nothing is wrong, say -quote '"'`}
}
