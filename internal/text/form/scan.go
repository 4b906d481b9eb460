package form

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"unsafe"
)

const defaultMaxColumns = 1 << 18

// fill returns an error if an unfinished row has more than maxLine bytes.
const maxLine = 1 << 28

// scanBuffer is in bytes.
const scanBuffer = 1 << 17

// scanner splits text into rows of cells. A line ends at a newline, a carriage return, or both.
// Blanks aside, a quote opens a cell only at the cell's start, and closes it only before a
// separator, a line end or the end of the text.
type scanner struct {
	src      io.Reader
	least    int // bytes of new buffers
	buf      []byte
	pos, end int    // the unread text is buf[pos:end]
	before   int64  // bytes of text before buf
	text     string // buf[:end], sharing its memory
	err      error  // error of src, io.EOF at its end
	cut      bool   // the text is a sample: ignore text after its last line end

	keep         bool     // rows stay in use when later rows are read
	spent, spare [][]byte // with keep: earlier buffers, and free ones, of size least

	separator, quote, comment byte
	blanks                    bool // whether blank lines are rows
	maxColumns                int
	oneLine                   bool // quotes must close in their line

	// Indices in buf of the next newline, carriage return and quote; end if there is none. An index
	// below pos is outdated.
	newline, carriage, quoted int

	line    int  // line number of the next row
	afterCR bool // the last line ended in a carriage return: skip a newline

	rowLine     int
	row         string
	cells       []string
	starts      []int // index in row of each cell; empty for rows of a table without quotes
	spans       []span
	openings    quirk // rows with an opening quote that is an ordinary character
	swallowed   quirk // rows with a quoted cell that looks like rows, if asked is true
	swallowedTo int   // line at which the first of the swallowed cells ends
	asked       bool
	comments    quirk // comment lines with as many cells as the previous row
	above       quirk // the last comment line before the first row, with its whole text as cell
	odd         bool  // the last quoted cell has inner quotes that are not doubled
}

type quirk struct {
	count, line int
	cell        string
}

func (q *quirk) add(line int, cell string) {
	if q.count++; q.count == 1 {
		q.line, q.cell = line, strings.Clone(cell[:min(len(cell), 40)])
	}
}

// span is a cell of a row. The cell begins at row[start], with its opening quote if it has one; its
// content is row[from:to].
type span struct {
	start, from, to int
	doubled         bool
	quoted          bool
}

func newScanner(src io.Reader) *scanner {
	s := scanSample(nil, false)
	s.src, s.least, s.err = src, scanBuffer, nil
	return s
}

// scanSample scans text, which must not be changed. cut makes it ignore text after the last line
// end.
func scanSample(text []byte, cut bool) *scanner {
	return &scanner{buf: text, end: len(text), text: stringOf(text), err: io.EOF, cut: cut,
		separator: None, quote: None, line: 1, newline: -1, carriage: -1, quoted: -1,
		maxColumns: defaultMaxColumns}
}

func stringOf(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }

func (s *scanner) set(separator, quote, comment byte) {
	s.separator, s.quote, s.comment = separator, quote, comment
}

// next returns cells that are valid until the next call.
func (s *scanner) next() ([]string, error) {
	for {
		e, err := s.lineEnd()
		if err != nil {
			return nil, err
		}
		line := s.buf[s.pos:e]
		if s.comment != None && len(line) > 0 && line[0] == s.comment ||
			!s.blanks && s.isBlank(line) {
			if n := len(s.cells); n > 1 && bytes.Count(line, []byte{s.separator}) == n-1 {
				s.comments.add(s.line, string(line[:min(len(line), 40)]))
			} else if n == 0 && len(line) > 0 && line[0] == s.comment {
				s.above = quirk{1, s.line, string(line)}
			}
			s.advance(e)
			continue
		}
		s.rowLine = s.line
		if s.quote != None {
			if s.quoted < s.pos {
				s.quoted = find(s.buf[:s.end], s.pos, s.quote)
			}
			if s.quoted < e {
				if s.row = s.text[s.pos:e]; s.splitClosed() {
					s.advance(e)
					return s.cells, nil
				}
				return s.splitQuoted()
			}
		}
		if len(line) >= s.maxColumns && bytes.Count(line, []byte{s.separator}) >= s.maxColumns {
			return nil, s.tooMany()
		}
		s.row = s.text[s.pos:e]
		s.split()
		s.advance(e)
		return s.cells, nil
	}
}

const (
	eachByte = 0x0101010101010101
	topBits  = 0x80 * eachByte
)

// matches sets the top bit of each byte in which w equals c.
func matches(w, c uint64) uint64 {
	x := w ^ c
	return ^(x&^topBits + ^uint64(topBits) | x) & topBits // the addition carries to no other byte
}

func wordAt(text []byte, i int) uint64 {
	if len(text)-i >= 8 {
		return binary.LittleEndian.Uint64(text[i:])
	}
	var last [8]byte
	copy(last[:], text[i:])
	return binary.LittleEndian.Uint64(last[:])
}

// split splits the row, which begins at pos, into cells; quotes have no meaning.
func (s *scanner) split() {
	cells, row, text, from := s.cells[:0], s.row, s.buf[s.pos:], 0
	separators, outer := uint64(s.separator)*eachByte, uint64(0)
	for i := 0; i < len(row); i += 8 {
		w, within := wordAt(text, i), uint64(topBits)
		if rest := len(row) - i; rest < 8 {
			within >>= 64 - 8*rest // the row's last bytes
		}
		x := matches(w, separators) & within
		outer |= (w - '!'*eachByte | w) & within &^ x // if 0, no cell needs trim
		for ; x != 0; x &= x - 1 {
			to := i + bits.TrailingZeros64(x)/8
			cells = append(cells, row[from:to])
			from = to + 1
		}
	}
	s.cells, s.starts = append(cells, row[from:]), s.starts[:0]
	if outer != 0 {
		for i, c := range s.cells {
			s.cells[i] = trim(c)
		}
	}
}

func (s *scanner) tooMany() error {
	return &SyntaxError{Line: s.line, Reason: fmt.Sprintf(
		"more than %d columns, beyond the limit (-max-features)", s.maxColumns)}
}

func trim(c string) string {
	if len(c) == 0 || c[0]-'!' < 0x7f-'!' && c[len(c)-1]-'!' < 0x7f-'!' {
		return c
	}
	return strings.TrimSpace(c)
}

func (s *scanner) isBlank(line []byte) bool {
	if len(line) > 0 && line[0] > ' ' && line[0] < 0x80 {
		return false
	}
	return len(bytes.TrimSpace(line)) == 0 && bytes.IndexByte(line, s.separator) < 0
}

func (s *scanner) lineEnd() (int, error) {
	for {
		if s.afterCR && s.pos < s.end {
			if s.afterCR = false; s.buf[s.pos] == '\n' {
				s.pos++
			}
		}
		if s.newline < s.pos {
			s.newline = find(s.buf[:s.end], s.pos, '\n')
		}
		if s.carriage < s.pos {
			s.carriage = find(s.buf[:s.end], s.pos, '\r')
		}
		if e := min(s.newline, s.carriage); e < s.end {
			return e, nil
		}
		if rest := s.buf[s.pos:s.end]; len(rest) > s.maxColumns && s.separator != None &&
			bytes.Count(rest, []byte{s.separator}) >= s.maxColumns && bytes.IndexByte(rest, s.quote) < 0 {
			return 0, s.tooMany()
		}
		if s.err != nil {
			if s.pos == s.end || s.cut || s.err != io.EOF {
				return 0, s.fault()
			}
			return s.end, nil
		}
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
}

func (s *scanner) nextLine() (string, error) {
	e, err := s.lineEnd()
	if err != nil {
		return "", err
	}
	s.rowLine, s.row = s.line, s.text[s.pos:e]
	s.advance(e)
	return s.row, nil
}

func (s *scanner) fault() error {
	if s.err == errNotUTF8 {
		return &SyntaxError{Line: s.line + countLines(s.buf[s.pos:s.end]), Reason: s.err.Error()}
	}
	return s.err
}

func find(text []byte, from int, c byte) int {
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}

func (s *scanner) advance(e int) {
	s.pos = min(e+1, s.end)
	s.afterCR = e < s.end && s.buf[e] == '\r'
	s.line++
}

// fill reads more text after the row at pos: if possible, at least as many bytes as the row has, so
// that parsing the row again after each fill takes linear time.
func (s *scanner) fill() error {
	size := s.end - s.pos
	if size > maxLine {
		return &SyntaxError{Line: s.line, Reason: fmt.Sprintf("the row is longer than %d bytes, "+
			"or a quote is not closed", maxLine)}
	}
	if free := len(s.buf) - s.end; free < max(size, len(s.buf)/4, 1) {
		length := s.least
		for length < 2*size && length < maxLine+scanBuffer {
			length = min(2*length, maxLine+scanBuffer)
		}
		buf := s.nextBuffer(length)
		copy(buf, s.buf[s.pos:s.end])
		s.newline, s.carriage, s.quoted = s.newline-s.pos, s.carriage-s.pos, s.quoted-s.pos
		s.before += int64(s.pos)
		s.buf, s.pos, s.end = buf, 0, size
	}
	old, free := s.end, s.buf[s.end:]
	n, err := readAtLeast(s.src, free, max(1, min(size, len(free))))
	s.end, s.err = s.end+n, err
	s.text = stringOf(s.buf[:s.end])
	for _, next := range []struct {
		at *int
		c  byte
	}{{&s.newline, '\n'}, {&s.carriage, '\r'}, {&s.quoted, s.quote}} {
		if *next.at >= old {
			*next.at = find(s.buf[:s.end], old, next.c)
		}
	}
	return nil
}

func (s *scanner) offset() int64 { return s.before + int64(s.pos) }

func (s *scanner) nextBuffer(length int) []byte {
	if !s.keep && len(s.buf) == length {
		return s.buf
	}
	if s.keep && len(s.buf) == s.least { // larger buffers are not reused
		s.spent = append(s.spent, s.buf)
	}
	if last := len(s.spare) - 1; last >= 0 && length == s.least {
		buf := s.spare[last]
		s.spare = s.spare[:last]
		return buf
	}
	return make([]byte, length)
}

// readAtLeast is io.ReadAtLeast, but returns the source's own error: io.ErrUnexpectedEOF means that
// the source, such as a compressed file, is damaged.
func readAtLeast(r io.Reader, p []byte, least int) (n int, err error) {
	for n < least && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// splitClosed splits the row if its quoted cells close in the line and contain no quotes. It
// returns false for other rows and for too many cells.
func (s *scanner) splitClosed() bool {
	cells, starts, row, text := s.cells[:0], s.starts[:0], s.row, s.buf[s.pos:]
	separators, quotes := uint64(s.separator)*eachByte, uint64(s.quote)*eachByte
	from, start, to := 0, s.skipBlanks(row, 0), -1 // see span; to is -1 unless the cell is quoted
	next := 0                                      // end of the last quoted cell and its blanks
	for i := 0; i <= len(row); i += 8 {
		w := wordAt(text, i)
		x := matches(w, separators) | matches(w, quotes)
		if rest := len(row) - i; rest < 8 {
			x = x&(1<<(8*rest)-1) | 0x80<<(8*rest) // the end of the row separates, too
		}
		for ; x != 0; x &= x - 1 {
			at := i + bits.TrailingZeros64(x)/8
			if at < next {
				continue
			}
			if at < len(row) && row[at] != s.separator {
				if at != start {
					continue // a quote within a cell
				}
				from = at + 1
				length := strings.IndexByte(row[from:], s.quote)
				if length < 0 {
					return false
				}
				to = from + length
				next = s.skipBlanks(row, to+1)
				if next < len(row) && row[next] != s.separator {
					return false
				}
				continue
			}
			if to < 0 {
				to = at
			}
			if len(cells) == s.maxColumns {
				return false
			}
			cells, starts = append(cells, trim(row[from:to])), append(starts, start)
			from, to = at+1, -1
			start = s.skipBlanks(row, from)
		}
	}
	s.cells, s.starts = cells, starts
	return true
}

// skipBlanks returns the index of the first byte from i on that is no blank or is a separator.
func (s *scanner) skipBlanks(row string, i int) int {
	for i < len(row) && row[i] == ' ' && s.separator != ' ' {
		i++
	}
	return i
}

func (s *scanner) splitQuoted() ([]string, error) {
	end, ok := s.parse(s.buf[s.pos:s.end], s.err == io.EOF && !s.cut)
	for !ok {
		if s.err != nil {
			return nil, s.fault()
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
		end, ok = s.parse(s.buf[s.pos:s.end], s.err == io.EOF && !s.cut)
	}
	if len(s.spans) > s.maxColumns {
		return nil, s.tooMany()
	}
	row := s.text[s.pos : s.pos+end]
	s.row = row
	s.cells, s.starts = s.cells[:0], s.starts[:0]
	for _, p := range s.spans {
		c := row[p.from:p.to]
		if p.quoted && strings.IndexByte(c, '\r') >= 0 {
			c = strings.ReplaceAll(c, "\r\n", "\n")
		}
		if p.doubled {
			quote := row[p.start : p.start+1]
			c = strings.ReplaceAll(c, quote+quote, quote)
		}
		s.cells, s.starts = append(s.cells, trim(c)), append(s.starts, p.start)
	}
	if lines := countLines(s.buf[s.pos : s.pos+end]); lines > 0 {
		if s.line += lines; s.asked {
			s.noteSwallowed()
		}
	}
	s.advance(s.pos + end)
	return s.cells, nil
}

// parse finds the cells of the row at the start of text, up to one more than maxColumns, and
// returns the index at which they end. ok is false if the row may continue after text; final says
// that text is complete.
func (s *scanner) parse(text []byte, final bool) (end int, ok bool) {
	s.spans = s.spans[:0]
	var openings quirk
	for i := 0; ; i++ {
		start := i
		for start < len(text) && text[start] == ' ' && s.separator != ' ' {
			start++
		}
		c := span{start: start, from: i}
		if start < len(text) && text[start] == s.quote {
			var closed bool
			if c, i, closed, ok = s.closing(text, start, final); !ok {
				return 0, false
			}
			if !closed {
				openings.add(s.rowLine, string(text[start:min(len(text), start+40)]))
				c, i = span{start: start, from: start}, start
			}
		}
		if !c.quoted {
			for i < len(text) && text[i] != s.separator && text[i] != '\n' && text[i] != '\r' {
				i++
			}
			c.to = i
		}
		if i == len(text) && !final {
			return 0, false
		}
		s.spans = append(s.spans, c)
		if i == len(text) || text[i] != s.separator || len(s.spans) > s.maxColumns {
			s.openings.merge(openings)
			return i, true
		}
	}
}

func (q *quirk) merge(other quirk) {
	if other.count > 0 {
		q.add(other.line, other.cell)
	}
}

// closing finds the end of the cell whose opening quote is text[start]; next is the index of the
// separator, the line end or the end of text after it. If closed is false, the opening quote is an
// ordinary character. If ok is false, more text is needed; final says that none follows.
func (s *scanner) closing(text []byte, start int, final bool) (c span, next int, closed, ok bool) {
	c = span{start: start, from: start + 1, quoted: true}
	checked, lines := c.from, false // lines: whether the cell has a line end before checked
	first := min(s.newline, s.carriage) - s.pos
	s.odd = false
	for k := c.from; ; {
		q := find(text, k, s.quote)
		if q == len(text) {
			s.oneLine = s.oneLine || final
			return c, 0, false, final
		}
		pair := q+1 < len(text) && text[q+1] == s.quote
		if pair && s.odd { // after an unpaired quote, the second of two quotes may end the cell
			ends, sure := s.ends(text, q+2, final)
			if !sure {
				return c, 0, false, false
			}
			if pair = ends < 0; !pair {
				q++
			}
		}
		if pair {
			c.doubled = true
			k = q + 2
			continue
		}
		e, sure := s.ends(text, q+1, final)
		if !sure {
			return c, 0, false, false
		}
		if !lines && q > first {
			lines, checked = bytes.ContainsAny(text[checked:q], "\r\n"), q
		}
		if e >= 0 {
			c.to = q
			return c, e, !lines || !s.oneLine && !s.odd, true
		}
		if s.odd = true; lines { // in a cell of several lines, inner quotes must be doubled
			return c, 0, false, true
		}
		k = q + 1
	}
}

// ends returns the index of the separator, line end or text end at index i or after blanks, or -1.
// sure is false if more text is needed; final says that none follows.
func (s *scanner) ends(text []byte, i int, final bool) (at int, sure bool) {
	for i < len(text) && text[i] == ' ' && s.separator != ' ' {
		i++
	}
	switch {
	case i == len(text):
		return i, final
	case text[i] == s.separator || text[i] == '\n' || text[i] == '\r':
		return i, true
	}
	return -1, true
}

// position returns the line and position of cell i, without the blanks before it.
func (s *scanner) position(i int) (line, column int) {
	return position(s.row, s.rowLine, s.starts, i, s.separator)
}

func position(row string, line int, starts []int, i int, separator byte) (_, column int) {
	at := 0
	switch {
	case i < len(starts):
		at = starts[i]
	case len(starts) > 0:
		return line, 0
	default:
		for ; i > 0; i-- {
			to := strings.IndexByte(row[at:], separator)
			if to < 0 {
				return line, 0
			}
			at += to + 1
		}
	}
	for at < len(row) && row[at] == ' ' {
		at++
	}
	before := row[:at]
	return line + countLines([]byte(before)), at - strings.LastIndexAny(before, "\r\n")
}

func (s *scanner) skip(lines int) error {
	for range lines {
		e, err := s.lineEnd()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.advance(e)
	}
	return nil
}
