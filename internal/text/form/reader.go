package form

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/cell"
)

// mostFooter bounds the ragged rows at the end of a table that are no errors.
const mostFooter = 20

// Rows that may be totals are reported if there are at most footerRows, the last of them among the
// last footerRows rows of the table.
const footerRows = 3

type Reader struct {
	form    Form
	names   []string
	first   int // line number of the header; 0 without one
	decoder *decoder
	text    *scanner
	scanner *scanner // equal to text for a table; else nil
	table   rows
	json    *jsonRows // equal to table for the format JSONL; else nil
	keep    bool
	needed  []string // names that a model needs; a row with all of them is a header
	settled bool     // whether the caller says if there is a header

	cells    []string
	read     int // rows of a table that are not in empty or repeated
	rows     int
	ragged   quirk // rows of another width than the table, not counting empty cells at the end
	width    int   // cells of the first ragged row
	tall     quirk // ragged rows of several lines
	tallTo   int   // last line of the first tall row
	footer   quirk // if keep is false: ragged rows after the last row of the table's width
	totals   quirk
	totalRow int   // value of rows at the last total
	empty    quirk // if keep is false: rows of empty cells in a table of several columns
	repeated quirk
	doubts   []Doubt
	done     bool
	ahead    *readAhead // nil unless another goroutine reads the rows

	encodingDoubt *Doubt

	points, commas int // see DecimalMarks
}

type rows interface {
	next() ([]string, error)
	position(cell int) (line, column int)
}

// Open detects the form of the file that r reads. at reads the same file, for samples of its middle
// and end; it is nil if the file cannot be read twice. size is the file's size in bytes, or -1 if
// unknown.
func Open(r io.Reader, at io.ReaderAt, size int64, g Given) (*Reader, error) {
	if g.MaxColumns == 0 {
		g.MaxColumns = defaultMaxColumns
	}
	head, whole, err := readHead(r, g.MaxColumns)
	if err != nil {
		return nil, err
	}
	if what, advice := ForeignKind(head[:min(len(head), 4096)]); what != "" {
		return nil, fmt.Errorf("this is %s: %s", what, advice)
	}
	raw, last := readPieces(at, len(head), size)
	var e encoding
	var doubt *Doubt
	if g.Encoding != "" {
		e, err = encodingNamed(g.Encoding, head)
	} else {
		e, doubt = detectEncoding(append([][]byte{head}, raw...))
	}
	if err != nil {
		return nil, err
	}
	s := newSample(head, whole, raw, last, e)
	if i := controlAt(s.head, e.name); i >= 0 {
		return nil, &SyntaxError{Line: 1 + countLines(s.head[:i]), Reason: "a control character: " +
			"this may be another kind of file, or text in another encoding (-encoding)"}
	}
	s.maxColumns = g.MaxColumns
	d := &decoder{encoding: e,
		src: io.MultiReader(bytes.NewReader(head[e.mark:]), r)}
	in := newScanner(d)
	in.maxColumns = g.MaxColumns
	rd := &Reader{decoder: d, text: in, keep: g.Keep, encodingDoubt: doubt,
		form: Form{Format: g.Format, Encoding: e.name, Separator: None, Quote: None, Comment: None,
			Decimal: '.'}}
	return rd, rd.open(in, s, &g)
}

func (r *Reader) open(in *scanner, s *sample, g *Given) error {
	if g.SkipLines > 0 {
		s.skip(g.SkipLines)
		r.form.SkipLines = g.SkipLines
	}
	switch {
	case g.Format == JSONL || g.Format == "" && looksLikeJSON(s.head):
		return r.openJSON(in, s)
	case g.Format == Lines:
		return r.openLines(in, s)
	case g.Separator == 0 && looksLikeJSON(s.head):
		return &SyntaxError{Line: s.line, Reason: "an object of JSON, not cells: -format jsonl reads " +
			"such lines"}
	}
	return r.openTable(in, s, g)
}

func (r *Reader) openJSON(in *scanner, s *sample) error {
	if err := in.skip(r.form.SkipLines); err != nil {
		return err
	}
	r.json = newJSONRows(in, s)
	r.form.Format, r.form.Header, r.table = JSONL, true, r.json
	r.form.Columns = len(r.json.fields)
	return nil
}

func (r *Reader) openLines(in *scanner, s *sample) error {
	if err := in.skip(r.form.SkipLines); err != nil {
		return err
	}
	in.blanks = r.keep
	l := &lineRows{scanner: in, labelled: haveLabels(s.head), keep: r.keep}
	r.form.Format, r.table, r.names = Lines, l, []string{textName}
	if l.labelled {
		r.form.Separator = '\t'
		r.names = []string{labelName, textName}
	}
	r.form.Columns = len(r.names)
	return nil
}

// separatorLine matches a first line such as "sep=;", for spreadsheets.
var separatorLine = regexp.MustCompile(`(?i)^"?sep=(.)"?\r?[\n\r]`)

func (r *Reader) openTable(in *scanner, s *sample, g *Given) error {
	skipped := r.form.SkipLines
	if m := separatorLine.FindSubmatch(s.head); m != nil && g.SkipLines == 0 && m[1][0] < 0x80 {
		if g.Separator == 0 {
			g.Separator = m[1][0]
		}
		s.skip(1)
		skipped++
	}
	best, second, err := detectDialect(s, g)
	if err != nil {
		return err
	}
	h, err := best.findHeading(g)
	if err != nil {
		return err
	}
	if !h.header && g.Header == nil && (g.Columns == 0 && best.looksLikeLines(h.at) ||
		g.wantsLines() && (best.separator == None || best.separator == '\t' && best.width == 2)) {
		r.form.SkipLines = skipped
		return r.openLines(in, s)
	}
	if r.form.SkipLines = skipped; h.at > 0 && best.lines[h.at] > 0 {
		r.form.SkipLines = best.lines[h.at] - 1
	}
	r.doubts = append(separatorDoubts(&best, &second),
		headerDoubts(&best, h, skipped, r.form.SkipLines)...)

	f := &r.form
	f.Format = CSV
	if best.separator == '\t' {
		f.Format = TSV
	}
	f.Separator, f.Quote, f.Comment = best.separator, best.quote, best.comment
	f.Header, f.Units, f.Columns = h.header, h.units, best.width
	body := best.body(h.at)
	if rows := best.body(h.at + 1); bracketed(rows) {
		r.doubts = append(r.doubts, Doubt{About: "rows", Cell: rows[0][0], Flag: "cut them off",
			Text: "brackets around the rows are read as parts of the cells"})
	}
	r.points, r.commas = decimalMarks(body)
	f.Decimal, f.Trailing = DecimalOf(r.points, r.commas), trailing(body, best.width)
	r.scanner, r.table = in, in
	in.set(best.separator, best.quote, best.comment)
	in.blanks, in.asked = r.keep && best.width == 1, g.Quote == 0
	if r.settled = g.Header != nil; !h.header {
		r.needed = g.Names
	}
	if err := in.skip(f.SkipLines); err != nil {
		return err
	}
	return r.readHeading(&best, body)
}

func trailing(rows [][]string, width int) (n int) {
	for n < width && !slices.ContainsFunc(rows, func(r []string) bool { return r[width-1-n] != "" }) {
		n++
	}
	if n == width {
		return 0
	}
	return n
}

func (r *Reader) readHeading(c *candidate, body [][]string) error {
	if !r.form.Header {
		return nil
	}
	cells, err := r.nextFilled()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	if r.form.Columns == 0 {
		r.form.Columns, c.width = len(cells), len(cells)
	}
	line, _ := r.table.position(0)
	r.first = line
	short := named(cells) == c.width-1 && len(cells) < c.width
	r.names = c.fit(cells, body)
	for i, name := range r.names {
		r.names[i] = strings.Clone(name) // the row is valid only until the next one is read
	}
	if short && r.names[0] == "" {
		r.doubt(Doubt{About: "column", Line: line, Text: "the header has one cell fewer than the " +
			"rows: the first column is taken for the one without a name"})
	}
	if r.form.Units {
		if cells, err = r.nextFilled(); err != nil && err != io.EOF {
			return err
		}
		if err == nil && !isRule(cells) {
			line, _ = r.table.position(0)
			r.doubt(Doubt{About: "rows", Line: line, Cell: cells[0], Text: "the row below the header " +
				"is taken for units, types or descriptions, and is left out"})
		}
	}
	return nil
}

func (r *Reader) nextFilled() ([]string, error) {
	cells, err := r.table.next()
	for err == nil && isEmpty(cells) {
		cells, err = r.table.next()
	}
	return cells, err
}

func DecimalOf(points, commas int) byte {
	if commas > points {
		return ','
	}
	return '.'
}

// DecimalMarks returns how many examined cells are plain numbers with a decimal point, and how many
// are numbers only if a comma is the decimal mark.
func (r *Reader) DecimalMarks() (points, commas int) { return r.points, r.commas }

func decimalMarks(body [][]string) (points, commas int) {
	for i, r := range body {
		if i*len(r) > 2*sampledCells {
			break
		}
		for _, c := range r {
			if strings.IndexByte(c, ',') < 0 {
				if _, number := cell.ParsePlain(c); number && strings.IndexByte(c, '.') >= 0 {
					points++
				}
			} else if cell.DecimalMark(c) == ',' {
				commas++
			}
		}
	}
	return points, commas
}

func (r *Reader) Form() Form { return r.form }

// FirstLine returns the line number of the header or, without a header, of the line below the
// skipped lines.
func (r *Reader) FirstLine() int { return max(r.first, 1+r.form.SkipLines) }

// Names returns the header's cells, "text" with or without "label" in the format Lines, or the
// fields found so far in the format JSONL; nil without names. The caller must not change them.
func (r *Reader) Names() []string {
	if r.json != nil {
		return r.json.fields
	}
	return r.names
}

// Read returns the cells of the next row, valid until the next call. Rows of a table have
// Form().Columns cells; rows of the format JSONL have one cell for each of Names. The error is
// io.EOF at the end, a *SyntaxError, or an error from reading the file.
func (r *Reader) Read() ([]string, error) {
	if r.ahead != nil {
		return r.ahead.next()
	}
	return r.next()
}

func (r *Reader) next() ([]string, error) {
	for {
		cells, err := r.table.next()
		if err == io.EOF && !r.done {
			if fault := r.finish(); fault != nil {
				return nil, fault
			}
		}
		if err != nil {
			return nil, err
		}
		if r.scanner == nil {
			r.rows++
			return cells, nil
		}
		if cells = r.check(cells); cells != nil {
			return cells, nil
		}
	}
}

func (r *Reader) check(cells []string) []string {
	if r.form.Columns == 0 { // the sample had no row
		r.form.Columns = len(cells)
	}
	w := r.form.Columns
	if w > 1 && cells[0] == "" && !r.keep && isEmpty(cells) {
		r.empty.add(r.scanner.rowLine, "")
		return nil
	}
	if r.isHeader(cells) {
		r.repeated.add(r.scanner.rowLine, cells[0])
		return nil
	}
	r.read++
	if len(cells) > w && named(cells) <= w {
		cells = cells[:w] // the cells after these are empty
	}
	if len(cells) == w {
		r.rows++
		r.footer = quirk{}
		r.noteTotals(cells)
		return cells
	}
	if r.ragged.add(r.scanner.rowLine, cells[0]); r.ragged.count == 1 {
		r.width = len(cells)
	}
	if s := r.scanner; s.line > s.rowLine+1 {
		if r.tall.add(s.rowLine, ""); r.tall.count == 1 {
			r.tallTo = s.line - 1
		}
	}
	if !r.keep {
		r.footer.count++
		return nil
	}
	r.rows++
	r.cells = append(r.cells[:0], cells[:min(w, len(cells))]...)
	for len(r.cells) < w {
		r.cells = append(r.cells, "")
	}
	return r.cells
}

func (r *Reader) noteTotals(cells []string) {
	for _, c := range cells {
		if len(c) > 2 && c[0] > '9' && totalInitials>>(c[0]&31)&1 > 0 && len(c) <= len("grand total:") &&
			slices.ContainsFunc(totalNames, func(name string) bool {
				return strings.EqualFold(strings.TrimSuffix(c, ":"), name)
			}) {
			r.totals.add(r.scanner.rowLine, c)
			r.totalRow = r.rows
			return
		}
	}
}

var totalNames = []string{"total", "totals", "grand total", "sum", "average", "mean", "gesamt", "summe",
	"totale", "suma"}

// totalInitials has a bit for each first letter of totalNames, numbered by the last five bits of
// the letter, small or capital.
var totalInitials = func() (letters uint32) {
	for _, name := range totalNames {
		letters |= 1 << (name[0] & 31)
	}
	return letters
}()

// isHeader reports whether a row of several cells repeats the header, unless the header has only
// numbers and dates. Without a header, it reports whether the row has all names, if two or more,
// that the model needs.
func (r *Reader) isHeader(cells []string) bool {
	if r.names != nil {
		if len(cells) < 2 || cells[0] != r.names[0] || len(cells) < len(r.names) {
			return false
		}
		return slices.Equal(cells[:len(r.names)], r.names) && named(cells) <= len(r.names) &&
			slices.ContainsFunc(r.names, func(n string) bool { return n != "" && !isValue(n) })
	}
	return len(r.needed) > 1 && slices.Contains(cells, r.needed[0]) && hasAll(cells, r.needed)
}

// FieldPos returns the line number of cell i of the last row, and the cell's position in that line
// in bytes, both from 1. The position is 0 if the row lacks the cell.
func (r *Reader) FieldPos(i int) (line, column int) {
	if r.json != nil {
		if i >= len(r.json.starts) || r.json.starts[i] == 0 { // the line lacks the field
			return r.json.rowLine, 0
		}
		return r.json.rowLine, r.json.starts[i] + 1
	}
	if r.ahead != nil {
		return r.ahead.position(i, r.form.Separator)
	}
	return r.table.position(i)
}

// Offset returns the position in bytes in the decoded text after the row that was read last.
func (r *Reader) Offset() int64 {
	if r.ahead != nil {
		return r.ahead.offset()
	}
	return r.text.offset()
}

// doubt copies d.Cell, which may be valid only until the next row is read.
func (r *Reader) doubt(d Doubt) {
	d.Cell = strings.Clone(d.Cell)
	r.doubts = append(r.doubts, d)
}

// finish adds the doubts about the whole file, or returns an error if too many rows are ragged.
func (r *Reader) finish() error {
	r.done = true
	if d := r.decoder; d.replaced > 0 && d.name != utf8Name {
		r.encodingDoubt = &Doubt{About: "encoding", Text: "bytes that are not UTF-16 are read as the " +
			"character U+FFFD: the file may be cut off or damaged"}
	}
	if r.encodingDoubt != nil {
		r.doubts = append([]Doubt{*r.encodingDoubt}, r.doubts...)
		r.encodingDoubt = nil
	}
	advise := func(q quirk, flag, one, many string) {
		if text := fmt.Sprintf(many, q.count); q.count > 0 {
			if q.count == 1 {
				text = one
			}
			r.doubt(Doubt{About: "rows", Line: q.line, Cell: q.cell, Text: text, Flag: flag})
		}
	}
	tell := func(q quirk, one, many string) { advise(q, "", one, many) }
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
		reason := fmt.Sprintf("%s where the table has %s", plural.Count(r.width, "cell"),
			plural.Count(w, "column"))
		if n := r.ragged.count - 1; n > 0 {
			reason += fmt.Sprintf(" (and %s with too few or too many cells): mend them, or say what "+
				"separates cells (-sep) and what quotes them (-quote)", plural.Count(n, "more row"))
		}
		return &SyntaxError{Line: r.ragged.line, Reason: reason}
	}
	tell(r.ragged, fmt.Sprintf("a row has too few or too many cells (not %d) and %s", w, fate),
		"%d rows"+fmt.Sprintf(" have too few or too many cells (not %d) and %s", w, fates))
	const stray = "mend stray quotes, or say -quote none if no cell is quoted"
	advise(r.tall, stray,
		fmt.Sprintf("a row with too few or too many cells goes on to line %d", r.tallTo),
		"%d rows with too few or too many cells"+
			fmt.Sprintf(" have several lines, the first up to line %d", r.tallTo))
	tell(r.empty, "a row of empty cells is left out", "%d rows of empty cells are left out")
	tell(r.repeated, "a header below the first row is left out",
		"%d headers below the first row are left out")
	if n := r.totals.count; n <= footerRows && r.totalRow > r.rows-footerRows && !r.keep {
		advise(r.totals, "if so, leave totals out of the file",
			"a row at the end may be a total or a mean of the others", "%d rows may be totals or means of the others")
	}
	if s := r.scanner; s != nil {
		r.doubtComment(s.above)
		advise(s.comments, "-comment none reads such lines",
			"a line that begins with the comment sign may be a row, and is left out",
			"%d lines that begin with the comment sign may be rows, and are left out")
		advise(s.openings, stray, "a quote, perhaps without a closing quote, is read as a character",
			"%d rows have quotes, perhaps without closing quotes, that are read as characters")
		if s.swallowed.count > 0 {
			r.doubt(s.swallowedDoubt())
		}
	}
	if l, is := r.table.(*lineRows); is {
		tell(l.noTab, "a line has no tab and is read as a text", "%d lines have no tab and are read "+
			"as texts")
		tell(l.tabs, "a line has a tab, perhaps after a label, and is read as a text",
			"%d lines have a tab, perhaps after a label, and are read as texts")
	}
	return nil
}

// doubtComment adds a doubt if a table of several columns has no header, but the last comment line
// above it has a name for each column.
func (r *Reader) doubtComment(above quirk) {
	if r.form.Header || r.form.Columns < 2 || r.settled {
		return
	}
	in := scanSample([]byte(above.cell), false)
	in.set(r.form.Separator, r.form.Quote, None)
	cells, err := in.next()
	if err != nil || len(cells) != r.form.Columns {
		return
	}
	names := slices.Clone(cells)
	if names[0] = trim(names[0][1:]); namelike(names) && !slices.Contains(names, "") {
		r.doubt(Doubt{About: "header", Line: above.line, Cell: cells[0], Text: "a comment above the " +
			"table may name the columns, and is left out",
			Flag: fmt.Sprintf("if so, take its comment sign away and give -comment %q; otherwise, "+
				"-header no", above.cell[:1])})
	}
}

// Doubts returns the doubts found so far. They are complete after io.EOF.
func (r *Reader) Doubts() []Doubt {
	if r.encodingDoubt != nil {
		return append([]Doubt{*r.encodingDoubt}, r.doubts...)
	}
	return r.doubts
}
