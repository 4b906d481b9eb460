package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A separator is doubtful if another separator has at least this share of the best score.
const doubtful = .9

func separatorDoubts(best, second *candidate) (doubts []Doubt) {
	if best.width == 1 && best.hasBlanks() {
		doubts = append(doubts, Doubt{About: "separator",
			Text: "the rows look like cells between blanks, and are read as one column",
			Flag: `if they are, awk -v OFS='\t' '{$1=$1} 1' puts tabs in place of the blanks`})
	}
	if second.sampled == nil || second.score < doubtful*best.score || best.score == 0 {
		return doubts
	}
	return append(doubts, Doubt{About: "separator", Flag: "-sep", Text: fmt.Sprintf(
		"cells may be separated by %s (columns: %d) or by %s (%d); the first is assumed",
		separatorName(best.separator), best.width, separatorName(second.separator), second.width)})
}

func (c *candidate) hasBlanks() bool {
	counts, words, values := map[int]int{}, 0, 0
	for _, r := range c.rows {
		fields := strings.Fields(r[0])
		counts[len(fields)]++
		for _, word := range fields {
			if words++; isValue(strings.Trim(word, `"`)) {
				values++
			}
		}
	}
	for n, rows := range counts {
		if n >= 2 && 10*rows >= 9*len(c.rows) && 2*values >= words {
			return true
		}
	}
	return false
}

func separatorName(c byte) string {
	switch c {
	case None:
		return "nothing"
	case '\t':
		return "tabs"
	}
	return strconv.QuoteRune(rune(c))
}

// headerDoubts returns the doubts about the header and the lines above the table. skipped is the
// number of lines skipped before the samples were split; above is the number of lines above the
// table.
func headerDoubts(c *candidate, h heading, skipped, above int) (doubts []Doubt) {
	isComment := func(r []string) bool { return strings.HasPrefix(r[0], "#") }
	if above > skipped &&
		slices.ContainsFunc(c.rows[:h.at], func(r []string) bool { return !isComment(r) }) {
		text := fmt.Sprintf("lines %d to %d stand above the table and are left out", skipped+1,
			above)
		if above == skipped+1 {
			text = "the line stands above the table and is left out"
		}
		doubts = append(doubts, Doubt{About: "rows", Line: skipped + 1, Text: text, Cell: c.rows[0][0],
			Flag: fmt.Sprintf("-skip-lines %d, or fewer", above)})
	}
	if h.sure {
		return doubts
	}
	d := Doubt{About: "header", Line: c.lines[h.at], Cell: c.rows[h.at][0], Flag: "-header"}
	if d.Text = "the first row may name the columns, and is read as data"; h.header {
		d.Text = "the first row may be data, and is read as the names of the columns"
	}
	return append(doubts, d)
}

// bracketed reports whether body has two or more rows, each in brackets as a whole, as in (1,2,3).
func bracketed(body [][]string) bool {
	in := func(row []string, opening, closing string) bool {
		first, last := row[0], row[max(named(row), 1)-1]
		return strings.HasPrefix(first, opening) && !strings.Contains(first, closing) &&
			strings.HasSuffix(last, closing) && !strings.Contains(last, opening)
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if len(body) > 1 &&
			!slices.ContainsFunc(body, func(r []string) bool { return !in(r, pair[:1], pair[1:]) }) {
			return true
		}
	}
	return false
}
