package form

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// maxLine is how many bytes a row of text may have.
const maxLine = 1 << 28

// scanBuffer is how many bytes a scanner reads at a time.
const scanBuffer = 1 << 16

// A scanner splits text into rows of cells. Rows end at a newline, a carriage return, or both.
//
// A quote opens at the start of a cell alone, and closes before a separator or the end of a line;
// any other is a character, as is one of a pair of quotes within. A quote that is not closed in
// its line, where a later line has a quote that can only open, is a character as well.
type scanner struct {
	src      io.Reader
	buf      []byte
	pos, end int   // of the unread text in buf
	err      error // of src
	cut      bool  // the text is a sample: what follows its last line end is not a row

	separator, quote, comment byte
	blanks                    bool // blank lines are rows
	maxColumns                int
	oneLine                   bool // quotes close in their line: one did not close at all

	// Indexes in buf of the next newline, carriage return and quote: end if there is none, and to
	// be found anew if below pos.
	newline, carriage, quoted int

	line    int  // of the next row
	afterCR bool // the last line ended in a carriage return: a newline behind it is no line's end

	rowLine  int // of the last row
	raw      []byte
	cells    []string
	starts   []int  // of the cells in raw
	spans    []span // scratch
	openings quirk  // quotes at the start of a cell that are characters
	comments quirk  // comment lines with the same number of cells as the previous row
	odd      bool   // scratch: the last quoted cell has such quotes
}

// A quirk counts rows that are odd in a way.
type quirk struct {
	count, line int // line of the first
	cell        string
}

func (q *quirk) add(line int, cell string) {
	if q.count++; q.count == 1 {
		q.line, q.cell = line, strings.Clone(cell[:min(len(cell), 40)])
	}
}

// A span is the place of a cell in its row, without quotes.
type span struct {
	start, from, to int
	doubled         bool // it has doubled quotes
	quoted          bool
}

func newScanner(src io.Reader) *scanner {
	s := scanSample(make([]byte, scanBuffer), false)
	s.src, s.end, s.err = src, 0, nil
	return s
}

// scanSample returns a scanner of text in memory, which is cut behind its last line if cut is true.
func scanSample(text []byte, cut bool) *scanner {
	return &scanner{buf: text, end: len(text), err: io.EOF, cut: cut, separator: None, quote: None,
		line: 1, newline: -1, carriage: -1, quoted: -1, maxColumns: defaultMaxColumns}
}

// set sets the characters that have a meaning.
func (s *scanner) set(separator, quote, comment byte) {
	s.separator, s.quote, s.comment = separator, quote, comment
}

// next returns the cells of the next row, which are valid until the next call.
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
				return s.splitQuoted()
			}
		}
		if s.raw = line; len(line) > s.maxColumns &&
			bytes.Count(line, []byte{s.separator}) >= s.maxColumns {
			return nil, s.tooMany()
		}
		if err := s.split(string(line)); err != nil {
			return nil, err
		}
		s.advance(e)
		return s.cells, nil
	}
}

// split splits a row without quotes.
func (s *scanner) split(row string) error {
	cells, starts := s.cells[:0], s.starts[:0]
	from := 0
	for i := 0; i <= len(row); i++ {
		if i < len(row) && row[i] != s.separator {
			continue
		}
		if len(cells) == s.maxColumns {
			return s.tooMany()
		}
		cells, starts = append(cells, trim(row[from:i])), append(starts, from)
		from = i + 1
	}
	s.cells, s.starts = cells, starts
	return nil
}

func (s *scanner) tooMany() error {
	return &SyntaxError{Line: s.line, Reason: fmt.Sprintf(
		"more than %d columns (-max-features)", s.maxColumns)}
}

// trim is strings.TrimSpace, faster for cells without blanks around them.
func trim(c string) string {
	if len(c) == 0 || c[0]-'!' < 0x7f-'!' && c[len(c)-1]-'!' < 0x7f-'!' {
		return c
	}
	return strings.TrimSpace(c)
}

// isBlank reports whether a line has blanks alone, and no separator.
func (s *scanner) isBlank(line []byte) bool {
	if len(line) > 0 && line[0] > ' ' && line[0] < 0x80 {
		return false
	}
	return len(bytes.TrimSpace(line)) == 0 && bytes.IndexByte(line, s.separator) < 0
}

// lineEnd returns the index in buf at which the line at pos ends. The error is io.EOF at the end.
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

// fault returns the error of the source, with a line if it is about the text.
func (s *scanner) fault() error {
	if s.err == errNotUTF8 {
		return &SyntaxError{Line: s.line, Reason: s.err.Error()}
	}
	return s.err
}

// find returns the index of the next character c at or behind from, or len(text).
func find(text []byte, from int, c byte) int {
	if i := bytes.IndexByte(text[from:], c); i >= 0 {
		return from + i
	}
	return len(text)
}

// advance moves to the line behind the one that ends at index e.
func (s *scanner) advance(e int) {
	s.pos = min(e+1, s.end)
	s.afterCR = e < s.end && s.buf[e] == '\r'
	s.line++
}

// fill reads more text behind the row at pos, at least as much as there is of it: so a row that is
// split anew with each filling takes no more than twice the time.
func (s *scanner) fill() error {
	size := s.end - s.pos
	if size > maxLine {
		return &SyntaxError{Line: s.line, Reason: fmt.Sprintf("the row is longer than %d bytes, "+
			"or a quote is not closed", maxLine)}
	}
	old := s.buf
	if 2*size > len(s.buf) {
		s.buf = make([]byte, min(2*len(s.buf), maxLine+scanBuffer))
	}
	copy(s.buf, old[s.pos:s.end])
	s.newline, s.carriage, s.quoted = s.newline-s.pos, s.carriage-s.pos, s.quoted-s.pos
	s.pos, s.end = 0, size
	free := s.buf[size:]
	n, err := readAtLeast(s.src, free, max(1, min(size, len(free))))
	s.end, s.err = s.end+n, err
	for _, next := range []struct {
		at *int
		c  byte
	}{{&s.newline, '\n'}, {&s.carriage, '\r'}, {&s.quoted, s.quote}} {
		if *next.at >= size {
			*next.at = find(s.buf[:s.end], size, next.c)
		}
	}
	return nil
}

// readAtLeast is io.ReadAtLeast, but returns the source's own error, so that io.ErrUnexpectedEOF
// always means a damaged compressed file.
func readAtLeast(r io.Reader, p []byte, least int) (n int, err error) {
	for n < least && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// splitQuoted splits the row at pos, which has quotes.
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
	s.raw = s.buf[s.pos : s.pos+end]
	row := string(s.raw)
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
	s.line += countLines(s.raw)
	s.advance(s.pos + end)
	return s.cells, nil
}

// parse finds the cells of the row that text begins with. It returns the index at which the row
// ends, or false if that may be behind the text, unless the text is final.
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

// closing finds the end of the cell whose quote opens at start, and returns the cell and the index
// of the separator or line end behind it. closed is false if the quote is a character; ok is false
// if more text may tell.
func (s *scanner) closing(text []byte, start int, final bool) (c span, next int, closed, ok bool) {
	c = span{start: start, from: start + 1, quoted: true}
	checked, lines := c.from, false // whether there is a line end before index checked
	first := min(s.newline, s.carriage) - s.pos
	s.odd = false
	for k := c.from; ; {
		q := find(text, k, s.quote)
		if q == len(text) {
			s.oneLine = s.oneLine || final
			return c, 0, false, final
		}
		pair := q+1 < len(text) && text[q+1] == s.quote
		if pair && s.odd { // doubled quotes and bare ones do not mix: a bare one may end the cell
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
		if s.odd = true; lines { // a cell of several lines has doubled quotes alone
			return c, 0, false, true
		}
		k = q + 1
	}
}

// ends returns the index of the separator, the line's end or the text's end at or behind i, if
// there are blanks alone before it, and else -1. sure is false if more text may tell.
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

// position returns the line of a cell of the last row and its first byte in it, from 1. Blanks in
// front of the cell are not part of it.
func (s *scanner) position(i int) (line, column int) {
	if i >= len(s.starts) {
		return s.rowLine, 0
	}
	at := s.starts[i]
	for at < len(s.raw) && s.raw[at] == ' ' {
		at++
	}
	before := s.raw[:at]
	return s.rowLine + countLines(before), at - bytes.LastIndexAny(before, "\r\n")
}

// skip leaves out lines.
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
