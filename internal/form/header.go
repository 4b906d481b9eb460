package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/internal/cell"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// A heading is the top of a table: the first row, and whether it is a header.
type heading struct {
	at     int  // row of the sample that is the table's first: its header or a row
	header bool // that row names the columns
	sure   bool
	units  bool // the row behind the header is no row of the table
}

// findHeading finds the first row of the table and settles whether it is a header.
func (c *candidate) findHeading(g *Given) (h heading, err error) {
	h = heading{at: c.first, sure: true}
	if at, found := c.findHeader(g); found && (g.Header == nil || *g.Header) {
		h.at, h.header = at, true
		h.units = c.unitsBehind(at)
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
		err = c.checkNames(h.at, g)
	case model:
		h.header = c.looksNamed(h.at)
	default:
		h.header, h.sure = c.isHeader(h.at)
	}
	h.units = h.header && c.unitsBehind(h.at)
	return h, err
}

// body returns the sampled rows from a row on that have the table's width, no more than
// sampledCells have room in.
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

// filler returns how many rows at the top of a table have half of the cells that its rows have, or
// fewer, or names that a program made up, if there is a header behind them: lines above the table
// that were filled up with separators.
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

// madeUp reports whether cells are Column1, Column2 and so on.
func madeUp(cells []string) bool {
	for i, c := range cells {
		if rest, found := strings.CutPrefix(strings.ToLower(c), "column"); !found ||
			strings.TrimSpace(rest) != strconv.Itoa(i+1) {
			return false
		}
	}
	return true
}

// A ballot counts the columns that say that a first row is a header, or is not: a number or a word
// above numbers or dates twice, a word that comes again too, a word that never does once.
type ballot struct {
	yes, no  float64
	typed    int // columns of numbers or dates
	typedYes int // of them, those with a word in the first row
	strange  int // numbers in the first row that no row below it has the like of
}

// isHeader reports whether row at names the columns of the rows below it, and whether that is sure.
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
	if !slices.ContainsFunc(first, isValue) { // it may come again, in files that were joined
		once := slices.DeleteFunc(body, func(r []string) bool { return slices.Equal(r, first) })
		if v := vote(first, once); v.typedYes > 0 || c.width > 1 && v.yes > 0 && v.no == 0 &&
			severalRows(once) {
			b = v
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

// severalRows reports whether two rows or more are different.
func severalRows(rows [][]string) bool {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[strings.Join(r, "\x00")] = true; len(seen) > 1 {
			return true
		}
	}
	return false
}

// fit returns a header that has a name for each column of the table. One that is too long ends in
// empty cells. One that is a cell short lacks the name of the first column, unless all rows of the
// table end in an empty cell.
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

// isValue reports whether a cell is a number or a date.
func isValue(s string) bool {
	k := cell.KindOf(s)
	return k == cell.NumberCell || k == cell.DateCell
}

// namelike reports whether cells can be the names of columns: short, different, and none of them an
// address or a sentence.
func namelike(cells []string) bool {
	seen := map[string]bool{}
	for _, c := range cells {
		if len(c) > 60 || strings.Contains(c, "@") || c != "" && (seen[c] || cell.IsMissing(c)) ||
			isValue(c) || strings.Contains(c, "://") ||
			strings.HasSuffix(c, ".") && strings.Contains(c, " ") {
			return false
		}
		seen[c] = true
	}
	return !isEmpty(cells)
}

// countsUp reports whether the numbers of a first row are the names that programs give to columns
// without names, 0, 1, 2 and so on, or steps of a scale: they rise by the same amount, as hardly a
// row below does, and leave out no column but the first or the last.
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
		again := func(r []string) bool { // the label of the first row, or its name
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

// LooksNumbered reports whether a row of a table without a header may be taken for names that count
// the columns, or for steps of a scale.
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

// rises returns the amount by which each number is larger than the one before it.
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

// vote asks each column about the first row.
func vote(first []string, body [][]string) (b ballot) {
	for j, x := range first {
		b.ask(x, body, j)
	}
	return b
}

// A columnSample has the statistics of a column below a possible header.
type columnSample struct {
	cells, numbers, dates, years int // cells that are no gaps
	digits, decimals, bytes      int // cells with digits, and with a decimal mark; length of all
	least, most                  float64
	counts                       map[string]int
	sentences                    int // cells that end as sentences do
	length                       int // of all cells, in bytes; 0 if they differ
}

func sampleColumn(body [][]string, j int) *columnSample {
	s := &columnSample{counts: map[string]int{}}
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
		s.counts[c]++
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
				if s.numbers == 1 {
					s.least, s.most = v, v
				}
				s.least, s.most = min(s.least, v), max(s.most, v)
			}
		}
	}
	return s
}

// endsSentence reports whether a cell ends as sentences do.
func endsSentence(s string) bool { return s != "" && strings.ContainsAny(s[len(s)-1:], ".!?") }

// isYear reports whether a cell is a year of 1900 to 2099.
func isYear(s string) bool {
	return len(s) == 4 && (s[:2] == "19" || s[:2] == "20") && isNumber(s)
}

// recurring returns the share of cells that come twice or more.
func (s *columnSample) recurring() float64 {
	once := 0
	for _, n := range s.counts {
		if n == 1 {
			once++
		}
	}
	return 1 - float64(once)/float64(max(1, s.cells))
}

// typedShare is the share of numbers, or of dates, that makes a column one of numbers or dates.
const typedShare = .85

// ask counts the vote of column j, whose cell in the first row is x.
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
		case kind == cell.WordCell && s.counts[x] > 0: // an odd cell
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
	case s.counts[x] > 0:
		if b.no++; s.recurring() >= .5 {
			b.no++
		}
	default:
		b.askWords(x, s)
	}
}

// askWords counts the vote of a column of words that does not have the first row's cell again.
func (b *ballot) askWords(x string, s *columnSample) {
	n := float64(s.cells)
	hasDigit := strings.ContainsAny(x, "0123456789")
	mean := float64(s.bytes) / n
	switch {
	case s.cells >= 3 && s.length >= 6 && s.length == len(x) && hasDigit, // an id like the others
		2*s.sentences >= s.cells && endsSentence(x):
		b.no++
	case s.recurring() >= .9 && s.cells >= 10:
		b.yes++
	case s.cells >= 3 && float64(s.digits) >= .9*n && !hasDigit:
		b.yes++
	case mean >= 25 && 3*float64(len(x)) <= mean, s.recurring() >= .9 && s.cells >= 4:
		b.yes += .5
	}
}

// isStrange reports whether the column has no number like x: x is far from all of them, is a whole
// number among decimals, or a year among other numbers.
func (s *columnSample) isStrange(x string) bool {
	v, ok := cell.ParsePlain(x)
	if !ok {
		return false
	}
	if s.cells < 8 { // too few to tell
		return isYear(x) && s.years == 0 && s.cells > 1
	}
	width := s.most - s.least
	return width > 0 && (v < s.least-width || v > s.most+width) || isYear(x) && 2*s.years < s.cells ||
		!strings.ContainsAny(x, ".,eE") && 20*s.decimals >= 19*s.cells
}

// looksNamed reports whether row at is a header, of a file that a model reads: all columns of
// numbers and dates have different words there, and no cell comes again below. A single row is data.
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

// checkNames returns an error if row at is a header that lacks names which a model needs: it has
// half of them or more, or is plainly no row of the table.
func (c *candidate) checkNames(at int, g *Given) error {
	absent := lacking(c.fit(c.rows[at], c.body(at+1)), g.Names)
	if 2*len(absent) > len(g.Names) && !c.looksNamed(at) {
		return nil
	}
	const most = 5
	quoted := make([]string, min(len(absent), most))
	for i := range quoted {
		quoted[i] = strconv.Quote(escape.Cut(absent[i]))
	}
	reason := "no column is called " + strings.Join(quoted, " or ") + " in the header"
	if more := len(absent) - most; more > 0 {
		reason += fmt.Sprintf(", and %d more that the model needs are not there", more)
	}
	return &SyntaxError{Line: max(1, c.lines[at]), Reason: reason}
}

// distinct reports whether no two cells that are not empty are the same.
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

// unitsBehind reports whether the row behind a header has units, types or descriptions: words in
// all columns of numbers and dates, two of them at least, or names of types alone.
func (c *candidate) unitsBehind(at int) bool {
	if at+1 >= len(c.rows) || len(c.rows[at+1]) != c.width {
		return false
	}
	row, body := c.rows[at+1], c.body(at+2)
	if len(body) == 0 {
		return false
	}
	b := vote(row, body)
	if b.typedYes == 0 || b.strange > 0 || slices.ContainsFunc(row, isValue) {
		return false
	}
	if !slices.ContainsFunc(row, func(c string) bool { return !typeNames[strings.ToLower(c)] }) {
		return true
	}
	return b.typedYes >= 2 && b.no == 0 && (len(body) >= 5 || distinct(row))
}

// typeNames are words for the types of columns.
var typeNames = setOf(`int integer int32 int64 long bigint float float32 float64 double real numeric
	number decimal string str text char varchar object category categorical factor nominal bool
	boolean date datetime timestamp time continuous discrete class label target feature meta c d s`)

// setOf returns the set of the words of a text, and the empty word.
func setOf(text string) map[string]bool {
	set := map[string]bool{"": true}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
