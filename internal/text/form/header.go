package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

type heading struct {
	at     int // index of the table's first row among the sampled rows
	header bool
	sure   bool
	units  bool // the row below the header is no data
}

func (c *candidate) findHeading(g *Given) (h heading, err error) {
	h = heading{at: c.first, sure: true}
	if at, found := c.findHeader(g); found && (g.Header == nil || *g.Header) {
		h.at, h.header = at, true
		h.units = c.unitsBelow(at)
		return h, nil
	}
	model := g.Columns > 0
	if g.SkipLines == 0 && !model {
		h.at += c.filler(h.at)
	}
	if h.at >= len(c.rows) {
		return h, nil
	}
	switch {
	case g.Header != nil:
		h.header = *g.Header
	case g.Names != nil:
		h.header, err = c.checkNames(h.at, g)
	case model:
		h.header = c.looksNamed(h.at)
	default:
		h.header, h.sure = c.isHeader(h.at)
	}
	h.units = h.header && c.unitsBelow(h.at)
	return h, err
}

// body returns the sampled rows of the table's width from index from on. It leaves out some rows of
// a large sample.
func (c *candidate) body(from int) (rows [][]string) {
	step := 1 + len(c.rows)*c.width/(2*sampledCells)
	for i := from; i < len(c.rows); i++ {
		if i >= from+100 && i%step != 0 {
			continue
		}
		if len(c.rows[i]) == c.width {
			rows = append(rows, c.rows[i])
		}
	}
	return rows
}

// filler returns the number of rows, from index from on, of text above the table; 0 unless a row
// that is certainly a header follows.
func (c *candidate) filler(from int) int {
	body := c.body(from)
	fill := make([]int, len(body))
	for i, r := range body {
		fill[i] = filled(r)
	}
	slices.Sort(fill)
	if len(fill) == 0 {
		return 0
	}
	sparse := func(r []string) bool { return 2*filled(r) <= fill[len(fill)/2] }
	const most = 40
	n := 0
	for ; n < most && from+n < len(c.rows)-1; n++ {
		r := c.rows[from+n]
		if len(r) != c.width && !headsTable(r, c.width) {
			continue
		}
		if !sparse(r) && !(madeUp(r) && sparse(c.rows[from+n+1])) {
			break
		}
	}
	if n == 0 || n == most || from+n == len(c.rows)-1 {
		return 0
	}
	if header, sure := c.isHeader(from + n); !header || !sure {
		return 0
	}
	return n
}

func filled(cells []string) (n int) {
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}

func madeUp(cells []string) bool {
	for i, c := range cells {
		if rest, found := strings.CutPrefix(strings.ToLower(c), "column"); !found ||
			strings.TrimSpace(rest) != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}

// ballot counts votes for and against a header; a column casts at most two.
type ballot struct {
	yes, no  float64
	typed    int // columns of numbers or dates
	typedYes int // typed columns that vote for a header
	strange  int // first cells that are numbers unlike those below
}

func (c *candidate) isHeader(at int) (header, sure bool) {
	body := c.body(at + 1)
	first := c.fit(c.rows[at], body)
	if len(body) == 0 {
		return namelike(first), true
	}
	if countsUp(first, body) {
		return true, true
	}
	b := vote(first, body)
	if !slices.ContainsFunc(first, isValue) { // the header may recur, in concatenated files
		once := slices.DeleteFunc(body, func(r []string) bool { return slices.Equal(r, first) })
		if len(once) < len(body) {
			if v := vote(first, once); v.typedYes > 0 || c.width > 1 && v.yes > 0 && v.no == 0 &&
				severalRows(once) {
				b = v
			}
		}
	}
	switch {
	case b.yes > 0 && b.yes >= b.no:
		return true, b.no == 0 || b.yes >= 3*b.no
	case b.no > 0:
		return false, b.yes == 0 || b.no >= 3*b.yes
	case b.typed > 0:
		return false, b.strange == 0
	}
	return namelike(first), !namelike(first)
}

func severalRows(rows [][]string) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[strings.Join(r, "\x00")] = true; len(seen) > 1 {
			return true
		}
	}
	return false
}

// fit returns a copy of header with one cell for each column. It adds empty names at the end, or
// one in front of a header that is one cell short if some row of body has a value in the last
// column.
func (c *candidate) fit(header []string, body [][]string) []string {
	if len(header) > c.width {
		return slices.Clone(header[:c.width])
	}
	last := func(r []string) bool { return r[c.width-1] != "" }
	if len(header) == c.width-1 && slices.ContainsFunc(body, last) {
		return append([]string{""}, header...)
	}
	return append(slices.Clone(header), make([]string, c.width-len(header))...)
}

func isValue(s string) bool {
	k := cell.KindOf(s)
	return k == cell.NumberCell || k == cell.DateCell
}

func namelike(cells []string) bool {
	for _, c := range cells {
		if len(c) > 60 || strings.Contains(c, "@") || c != "" && cell.IsMissing(c) || isValue(c) ||
			strings.Contains(c, "://") || strings.HasSuffix(c, ".") && strings.Contains(c, " ") {
			return false
		}
	}
	return distinct(cells) && !isEmpty(cells)
}

// countsUp reports whether first, perhaps without its first and last cell, is a header of numbers
// that rise by equal amounts, such as 0, 1, 2.
func countsUp(first []string, body [][]string) bool {
	from, to := 0, len(first)
	if !isNumber(first[0]) {
		from++
	}
	if to > from && !isNumber(first[to-1]) {
		to--
	}
	step, ok := rises(first[from:to])
	if !ok || to-from < 3 {
		return false
	}
	if first[from] == "0" && step == 1 && len(first) >= 4 && first[to-1] == strconv.Itoa(to-from-1) {
		again := func(r []string) bool {
			return from > 0 && first[0] != "" && r[0] == first[0] ||
				to < len(first) && r[to] == first[to]
		}
		return !slices.ContainsFunc(body, again)
	}
	if len(body) < 5 {
		return false
	}
	too := 0
	for _, r := range body {
		if _, rising := rises(r[from:to]); rising {
			too++
		}
	}
	return 20*too <= len(body)
}

// LooksNumbered reports whether the cells, with or without the first and the last, are three or
// more numbers that rise by equal amounts.
func LooksNumbered(cells []string) bool {
	for from := range min(2, len(cells)) {
		for to := max(from, len(cells)-1); to <= len(cells); to++ {
			if _, ok := rises(cells[from:to]); ok {
				return true
			}
		}
	}
	return false
}

func isNumber(s string) bool {
	_, ok := cell.ParsePlain(s)
	return ok
}

// rises returns the amount by which three or more numbers rise. ok is false unless all amounts are
// equal and positive.
func rises(cells []string) (step float64, ok bool) {
	last := 0.
	for i, c := range cells {
		v, number := cell.ParsePlain(c)
		if !number || i > 1 && v-last != step {
			return 0, false
		}
		step, last = v-last, v
	}
	return step, len(cells) > 2 && step > 0
}

func vote(first []string, body [][]string) (b ballot) {
	for j, x := range first {
		b.ask(x, body, j)
	}
	return b
}

type columnSample struct {
	rows                         [][]string
	column                       int
	cells, numbers, dates, years int // cells that are not gaps, numbers, dates, years
	digits, decimals, bytes      int // cells with digits, numbers with . , e or E, bytes
	plain                        int // numbers without a sign such as % or $
	least, most                  float64
	sentences                    int
	length                       int // bytes of each cell; 0 if cells differ
}

func sampleColumn(body [][]string, j int) *columnSample {
	s := &columnSample{rows: body, column: j}
	for _, r := range body {
		c := r[j]
		kind := cell.KindOf(c)
		if kind == cell.GapCell {
			continue
		}
		if s.cells++; s.cells == 1 {
			s.length = len(c)
		} else if s.length != len(c) {
			s.length = 0
		}
		if endsSentence(c) {
			s.sentences++
		}
		s.bytes += len(c)
		if strings.ContainsAny(c, "0123456789") {
			s.digits++
		}
		if isYear(c) {
			s.years++
		}
		switch kind {
		case cell.DateCell:
			s.dates++
		case cell.NumberCell:
			s.numbers++
			if strings.ContainsAny(c, ".,eE") {
				s.decimals++
			}
			if v, ok := cell.ParsePlain(c); ok {
				if s.plain++; s.plain == 1 {
					s.least, s.most = v, v
				}
				s.least, s.most = min(s.least, v), max(s.most, v)
			}
		}
	}
	return s
}

func endsSentence(s string) bool { return s != "" && strings.ContainsAny(s[len(s)-1:], ".!?") }

func isYear(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && strings.Trim(s, "0123456789") == ""
}

func (s *columnSample) has(x string) bool {
	return !cell.IsGapWord(x) &&
		slices.ContainsFunc(s.rows, func(r []string) bool { return r[s.column] == x })
}

func (s *columnSample) recurring() float64 {
	counts, once := map[string]int{}, 0
	for _, r := range s.rows {
		if c := r[s.column]; !cell.IsGapWord(c) {
			counts[c]++
		}
	}
	for _, n := range counts {
		if n == 1 {
			once++
		}
	}
	return 1 - float64(once)/float64(max(1, s.cells))
}

// typedShare is the least share of numbers or dates, gaps aside, in a column of numbers or dates.
const typedShare = .85

func (b *ballot) ask(x string, body [][]string, j int) {
	s := sampleColumn(body, j)
	n := float64(s.cells)
	kind := cell.KindOf(x)
	numbers, dates := float64(s.numbers) >= typedShare*n, float64(s.dates) >= typedShare*n
	switch {
	case s.cells == 0:
	case numbers || dates || float64(s.numbers+s.dates) >= typedShare*n:
		b.typed++
		switch {
		case kind == cell.GapCell:
		case kind == cell.WordCell && s.has(x):
			b.no++
		case kind == cell.WordCell, numbers && kind == cell.DateCell, dates && kind == cell.NumberCell:
			b.yes += 2
			b.typedYes++
		case numbers && s.isStrange(x):
			b.strange++
		default:
			b.no += 2
		}
	case x == "":
	case s.has(x):
		if b.no++; s.recurring() >= .5 {
			b.no++
		}
	default:
		b.askWords(x, s)
	}
}

// askWords adds the vote of a column of words in which x, its first cell, does not recur.
func (b *ballot) askWords(x string, s *columnSample) {
	n := float64(s.cells)
	hasDigit := strings.ContainsAny(x, "0123456789")
	mean, recurring := float64(s.bytes)/n, s.recurring()
	switch {
	case s.cells >= 3 && s.length >= 6 && s.length == len(x) && hasDigit, // an id like those below
		2*s.sentences >= s.cells && endsSentence(x):
		b.no++
	case isLabelName(x):
		b.yes++
	case recurring >= .9 && s.cells >= 10:
		b.yes++
	case s.cells >= 3 && float64(s.digits) >= .9*n && !hasDigit:
		b.yes++
	case mean >= 25 && 3*float64(len(x)) <= mean, recurring >= .9 && s.cells >= 4:
		b.yes += .5
	}
}

func isLabelName(s string) bool {
	return slices.Contains([]string{"label", "target", "class"}, strings.ToLower(s))
}

// isStrange reports whether the number x is far outside the range of the column, whole among
// decimals, a year among other numbers, or without a sign such as % that all others have. In a
// column of few cells only the last two count.
func (s *columnSample) isStrange(x string) bool {
	v, ok := cell.ParsePlain(x)
	if !ok {
		return false
	}
	if s.plain == 0 && s.numbers > 1 {
		return true
	}
	if s.cells < 8 {
		return isYear(x) && s.years == 0 && s.cells > 1
	}
	width := s.most - s.least
	return width > 0 && (v < s.least-width || v > s.most+width) || isYear(x) && 2*s.years < s.cells ||
		!strings.ContainsAny(x, ".,eE") && 20*s.decimals >= 19*s.cells
}

func (c *candidate) looksNamed(at int) bool {
	body := c.body(at + 1)
	if len(body) == 0 {
		return false
	}
	first := c.fit(c.rows[at], body)
	b := vote(first, body)
	return (b.typedYes >= 2 || b.typedYes > 0 && b.typedYes == len(first)) &&
		b.no == 0 && b.strange == 0 && distinct(first) && !slices.ContainsFunc(first, isValue)
}

// checkNames reports whether the row with index at is a header with all names that the model needs.
// It returns an error if the row is a header without some of them.
func (c *candidate) checkNames(at int, g *Given) (header bool, err error) {
	absent := lacking(c.fit(c.rows[at], c.body(at+1)), g.Names)
	if len(absent) == 0 {
		return c.lines[at] > 0, nil
	}
	if 2*len(absent) > len(g.Names) && !c.looksNamed(at) {
		return false, nil
	}
	const most = 5
	quoted := make([]string, min(len(absent), most))
	for i := range quoted {
		quoted[i] = strconv.Quote(escape.Cut(absent[i]))
	}
	reason := "no column is called " + strings.Join(quoted, " or ") + " in the header"
	if g.NamesOf != "" {
		reason += ", unlike in " + g.NamesOf
	}
	if more := len(absent) - most; more > 0 {
		reason += fmt.Sprintf("; further missing columns: %d", more)
	}
	return false, &SyntaxError{Line: max(1, c.lines[at]), Reason: reason}
}

func distinct(cells []string) bool {
	seen := map[string]bool{}
	for _, c := range cells {
		if c != "" && seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

func (c *candidate) unitsBelow(at int) bool {
	if at+1 >= len(c.rows) || len(c.rows[at+1]) != c.width {
		return false
	}
	row, body := c.rows[at+1], c.body(at+2)
	if isRule(row) {
		return true
	}
	if len(body) == 0 || slices.ContainsFunc(row, isValue) {
		return false
	}
	b := vote(row, body)
	if b.typedYes == 0 || b.strange > 0 {
		return false
	}
	if !slices.ContainsFunc(row, func(c string) bool {
		return c != "" && !slices.Contains(typeNames, strings.ToLower(c))
	}) {
		return true
	}
	return b.typedYes >= 2 && b.no == 0 && (len(body) >= 5 || distinct(row))
}

// isRule reports whether row is the line of dashes below a header in Markdown.
func isRule(row []string) bool {
	return !slices.ContainsFunc(row, func(c string) bool {
		return c != "" && (len(c) < 3 || strings.Trim(c, "-:") != "")
	})
}

var typeNames = strings.Fields(`int integer int32 int64 long bigint float float32 float64 double real numeric
	number decimal string str text char varchar object category categorical factor nominal bool
	boolean date datetime timestamp time continuous discrete class label target feature meta c d s`)
