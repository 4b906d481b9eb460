package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// doubtful is the fraction of the best score that a dialect with another separator must reach for
// the choice of the separator to be reported as doubtful.
const doubtful = .9

// footerRows is the largest number of rows at the end of a table that are reported as possible
// totals of the rows above them.
const footerRows = 3

// doubt appends d to the doubts that Doubts returns.
func (r *Reader) doubt(d Doubt) { r.doubts = append(r.doubts, d) }

// doubtSeparator adds a doubt if second, the best candidate with another separator, scores nearly
// as high as best. It adds another doubt if a table of one column seems to have cells that are
// separated by blanks.
func (r *Reader) doubtSeparator(best, second *candidate) {
	if best.width == 1 && best.hasBlanks() {
		r.doubt(Doubt{About: "separator", Flag: `tr -s ' ' ',' makes a CSV file of it, or say -sep none`,
			Text: "the rows look like cells between blanks, and are read as one column"})
	}
	if second.sampled == nil || second.score < doubtful*best.score || best.score == 0 {
		return
	}
	r.doubt(Doubt{About: "separator", Flag: "-sep", Text: fmt.Sprintf(
		"cells may be separated by %s (columns: %d) or by %s (%d); the first is assumed",
		separatorName(best.separator), best.width, separatorName(second.separator), second.width)})
}

// hasBlanks reports whether the rows of a table of one column look like cells separated by blanks:
// at least nine in ten rows have the same number of words, two or more, and at least half of all
// words are numbers or dates.
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

// doubtHeader adds a doubt if lines above the table are left out, unless all of them begin with #.
// It adds another doubt if it is uncertain whether the first row is a header. skipped is the number
// of lines that were skipped before the samples were split: those that the caller gives, or a sep=
// line.
func (r *Reader) doubtHeader(c *candidate, h heading, skipped int) {
	isComment := func(r []string) bool { return strings.HasPrefix(r[0], "#") }
	if slices.ContainsFunc(c.rows[:h.at], func(r []string) bool { return !isComment(r) }) {
		text := fmt.Sprintf("lines %d to %d stand above the table and are left out", skipped+1,
			r.form.SkipLines)
		if r.form.SkipLines == skipped+1 {
			text = "the line stands above the table and is left out"
		}
		r.doubt(Doubt{About: "rows", Line: skipped + 1, Text: text, Cell: c.rows[0][0],
			Flag: "-skip-lines"})
	}
	if h.sure {
		return
	}
	d := Doubt{About: "header", Line: c.lines[h.at], Cell: c.rows[h.at][0], Flag: "-header"}
	if d.Text = "the first row may name the columns, and is read as data"; h.header {
		d.Text = "the first row may be data, and is read as the names of the columns"
	}
	r.doubt(d)
}

// finish is called at the end of the file. If too many rows have a number of cells other than the
// number of columns of the table, it returns an error. Otherwise it adds the doubts that depend on
// the whole file.
func (r *Reader) finish() error {
	r.done = true
	if d := r.decoder; d.replaced > 0 && r.encodingDoubt == nil {
		r.encodingDoubt = &Doubt{About: "encoding", Flag: "-encoding",
			Text: "bytes that are not UTF-8 are read as the character U+FFFD"}
	}
	if r.encodingDoubt != nil {
		r.doubts = append([]Doubt{*r.encodingDoubt}, r.doubts...)
		r.encodingDoubt = nil
	}
	tell := func(q quirk, one, many string) {
		if text := fmt.Sprintf(many, q.count); q.count > 0 {
			if q.count == 1 {
				text = one
			}
			r.doubt(Doubt{About: "rows", Line: q.line, Cell: q.cell, Text: text})
		}
	}
	fate, fates := "is left out", "are left out"
	if r.keep {
		fate, fates = "is filled up or cut", "are filled up or cut"
	}
	w := r.form.Columns
	footer := r.footer
	if footer.count > mostFooter || 4*footer.count > r.rows {
		footer = quirk{}
	}
	ragged := r.ragged.count - footer.count
	if !r.keep && (ragged > max(3, r.read/100) || 4*ragged > r.read) {
		reason := fmt.Sprintf("%d cells where the table has %d columns", r.width, w)
		if n := r.ragged.count - 1; n > 0 {
			reason += fmt.Sprintf(" (and %d more rows with too few or too many): mend them, or say "+
				"what separates cells (-sep) and what quotes them (-quote)", n)
		}
		return &SyntaxError{Line: r.ragged.line, Reason: reason}
	}
	tell(r.ragged, fmt.Sprintf("a row has another number of cells than %d and %s", w, fate),
		"%d rows"+fmt.Sprintf(" have another number of cells than %d and %s", w, fates))
	tell(r.empty, "a row of empty cells is left out", "%d rows of empty cells are left out")
	tell(r.repeated, "the header comes again and is left out",
		"the header comes again %d times and is left out")
	if n := r.totals.count; n > 0 && n <= footerRows && r.totalRow > r.rows-footerRows && !r.keep {
		r.doubt(Doubt{About: "rows", Line: r.totals.line, Cell: r.totals.cell,
			Text: "a row at the end may sum up the others, and is read like them: leave it out of the " +
				"file if so"})
	}
	if s := r.scanner; s != nil {
		tell(s.comments, "a line that begins with the comment sign has as many cells as the rows, and is "+
			"left out (-comment none reads it)", "%d lines that begin with the comment sign have as many "+
			"cells as the rows, and are left out (-comment none reads them)")
		tell(s.openings, "a quote is not closed and is read as a character",
			"%d rows have quotes that are not closed and are read as characters")
	}
	if l, is := r.table.(*lineRows); is {
		tell(l.noTab, "a line has no tab and is read as a text", "%d lines have no tab and are read "+
			"as texts")
	}
	return nil
}
