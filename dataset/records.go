package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/escape"
)

// records are the rows of a table. A *csv.Reader is one.
type records interface {
	// Read returns the cells of the next row, which are valid until the next call.
	Read() ([]string, error)
	// FieldPos returns the line and the column, from 1, of a cell of the last row.
	FieldPos(cell int) (line, column int)
}

// namedRecords are rows of fields whose names are known before the first is read.
type namedRecords interface {
	records
	names() []string
	label() string // the field that has the label, unless an option says another
}

// newRecords returns the rows of text in a format. ahead is what it begins with.
func newRecords(r io.Reader, format Format, ahead []byte, opt Options) (records, error) {
	if format == FormatTSV && opt.Header == HeaderAuto && looksLikeLines(ahead) {
		format = FormatLines
	}
	switch format {
	case FormatLines:
		first, _, _ := bytes.Cut(ahead, []byte("\n"))
		return &lineRecords{lines: lineReader{r: bufio.NewReader(r)},
			labelled: bytes.IndexByte(first, '\t') >= 0}, nil
	case FormatJSONL:
		return newJSONRecords(r, opt)
	}
	guard := &columnGuard{
		r: r, comma: byte(commaOf(format)), most: max(opt.maxCSVFeatures(), opt.Features), line: 1,
	}
	return newCSVReader(guard, format), nil
}

func commaOf(format Format) rune {
	if format == FormatTSV {
		return '\t'
	}
	return ','
}

func newCSVReader(r io.Reader, format Format) *csv.Reader {
	c := csv.NewReader(r)
	c.Comma = commaOf(format)
	c.ReuseRecord = true
	c.TrimLeadingSpace = c.Comma == ',' // tabs are space as well
	return c
}

// maxLine is how many bytes a row of text has at most.
const maxLine = 1 << 28

// A lineReader reads lines.
type lineReader struct {
	r    *bufio.Reader
	line int // the number of the last one
	long []byte
}

// next returns the next line that is not blank, without its end.
func (l *lineReader) next() (string, error) {
	for {
		l.long = l.long[:0]
		part, err := l.r.ReadSlice('\n')
		for err == bufio.ErrBufferFull && len(l.long) <= maxLine {
			l.long = append(l.long, part...)
			part, err = l.r.ReadSlice('\n')
		}
		if l.line++; len(l.long) > maxLine {
			return "", &SyntaxError{Line: l.line, Reason: fmt.Sprintf(
				"the line is longer than %d bytes", maxLine)}
		}
		if l.long = append(l.long, part...); err != nil && (err != io.EOF || len(l.long) == 0) {
			return "", err
		}
		if text := bytes.TrimSpace(l.long); len(text) > 0 {
			return string(bytes.TrimRight(l.long, "\r\n")), nil
		}
	}
}

// lineRecords are lines of a label, a tab and a text, or of texts alone.
type lineRecords struct {
	lines    lineReader
	labelled bool
	cells    [2]string
}

func (l *lineRecords) names() []string {
	if l.labelled {
		return []string{"label", "text"}
	}
	return []string{"text"}
}

func (l *lineRecords) label() string { return "label" }

func (l *lineRecords) Read() ([]string, error) {
	line, err := l.lines.next()
	if err != nil {
		return nil, err
	}
	if !l.labelled {
		l.cells[0] = line
		return l.cells[:1], nil
	}
	var found bool
	if l.cells[0], l.cells[1], found = strings.Cut(line, "\t"); !found {
		return nil, &SyntaxError{Line: l.lines.line, Token: line[:min(len(line), 40)],
			Reason: "no tab after the label"}
	}
	return l.cells[:], nil
}

func (l *lineRecords) FieldPos(cell int) (line, column int) {
	if cell == 1 {
		return l.lines.line, len(l.cells[0]) + 2
	}
	return l.lines.line, 1
}

// looksLikeLines reports whether text begins with lines of a label, a tab and a text, without a
// header: a word without blanks, and in half of the lines four words or more behind the tab, in the
// first one as well.
func looksLikeLines(ahead []byte) bool {
	lines := bytes.Split(ahead, []byte("\n"))
	if len(lines) > 1 {
		lines = lines[:len(lines)-1] // the last may be cut off
	}
	texts := 0
	for i, line := range lines {
		label, text, found := bytes.Cut(line, []byte("\t"))
		if !found || len(label) == 0 || bytes.ContainsAny(label, " \"") ||
			bytes.IndexByte(text, '\t') >= 0 {
			return false
		}
		if bytes.Count(text, []byte(" ")) >= 3 {
			texts++
		} else if i == 0 {
			return false
		}
	}
	return 2*texts >= len(lines)
}

// jsonRecords are lines that each have a flat object of JSON. A field that a line lacks is empty.
type jsonRecords struct {
	lines  lineReader
	fields []string
	at     map[string]int
	known  bool // there are no other fields: they are left out
	seen   []bool
	others map[string]bool

	first string // line, which has been read ahead, or empty
	cells []string
	pos   []int // of the cells
}

// newJSONRecords reads the first line. The fields are those of the table, if there is one.
func newJSONRecords(r io.Reader, opt Options) (*jsonRecords, error) {
	j := &jsonRecords{lines: lineReader{r: bufio.NewReader(r)}, at: map[string]int{},
		others: map[string]bool{}}
	var err error
	if j.first, err = j.lines.next(); err != nil && err != io.EOF {
		return nil, err
	}
	if t := opt.Table; t != nil && t.Columns != nil {
		for _, name := range opt.needed() {
			j.add(name)
		}
		j.known = true
	}
	if j.first != "" {
		if _, err := j.parse(j.first); err != nil {
			return nil, err
		}
	}
	if j.known {
		for _, label := range []string{opt.Table.Label, opt.LabelColumn} {
			if j.others[label] {
				j.add(label)
			}
		}
		clear(j.seen)
		clear(j.others)
	}
	return j, nil
}

// add returns the number of a field, which may be new.
func (j *jsonRecords) add(name string) int {
	i, found := j.at[name]
	if !found {
		i = len(j.fields)
		j.at[name] = i
		j.fields, j.seen = append(j.fields, name), append(j.seen, true)
	}
	return i
}

func (j *jsonRecords) names() []string { return slices.Clone(j.fields) }

// label is the field that is called as labels are, or the last of the first line.
func (j *jsonRecords) label() string {
	for _, name := range []string{"label", "class", "target", "y"} {
		if _, found := j.at[name]; found {
			return name
		}
	}
	if len(j.fields) == 0 {
		return ""
	}
	return j.fields[len(j.fields)-1]
}

func (j *jsonRecords) Read() ([]string, error) {
	line := j.first
	if j.first = ""; line == "" {
		var err error
		if line, err = j.lines.next(); err != nil {
			return nil, err
		}
	}
	return j.parse(line)
}

func (j *jsonRecords) FieldPos(cell int) (line, column int) { return j.lines.line, j.pos[cell] + 1 }

// parse reads the object of a line.
func (j *jsonRecords) parse(line string) ([]string, error) {
	j.cells, j.pos = j.cells[:0], j.pos[:0]
	for range j.fields {
		j.cells, j.pos = append(j.cells, ""), append(j.pos, 0)
	}
	s := jsonScanner{text: line}
	fail := func(reason string) ([]string, error) {
		return nil, &SyntaxError{Line: j.lines.line, Column: s.at + 1, Reason: reason}
	}
	if s.skip(); !s.take('{') {
		return fail("want an object, in braces")
	}
	var found []int
	for s.skip(); !s.take('}'); s.skip() {
		if len(found) > 0 && !s.take(',') {
			return fail("want a comma or a brace")
		}
		s.skip()
		name, ok := s.string()
		if s.skip(); !ok || !s.take(':') {
			return fail("want the name of a field, in quotes, and a colon")
		}
		s.skip()
		at := s.at
		value, reason := s.value()
		if reason != "" {
			return fail(reason)
		}
		if _, known := j.at[name]; !known && j.known {
			j.others[name] = true
			found = append(found, -1)
			continue
		}
		i := j.add(name)
		if slices.Contains(found, i) {
			return fail(fmt.Sprintf("two fields are called %q", escape.Cut(name)))
		}
		if i == len(j.cells) {
			j.cells, j.pos = append(j.cells, ""), append(j.pos, 0)
		}
		j.cells[i], j.pos[i], j.seen[i] = value, at, true
		found = append(found, i)
	}
	if s.skip(); s.at < len(line) {
		return fail("there is something after the object")
	}
	return j.cells, nil
}

// lacking returns a field that no line has had.
func (j *jsonRecords) lacking() (name string, is bool) {
	for i, seen := range j.seen {
		if !seen {
			return j.fields[i], true
		}
	}
	return "", false
}

// A jsonScanner reads a line of JSON.
type jsonScanner struct {
	text string
	at   int
}

func (s *jsonScanner) skip() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *jsonScanner) take(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// string reads a string, in quotes.
func (s *jsonScanner) string() (value string, ok bool) {
	start := s.at
	if !s.take('"') {
		return "", false
	}
	for escaped := false; ; {
		i := strings.IndexAny(s.text[s.at:], `"\`)
		switch {
		case i < 0:
			return "", false
		case s.text[s.at+i] == '\\':
			escaped = true
			s.at = min(s.at+i+2, len(s.text))
		case !escaped:
			s.at += i + 1
			return s.text[start+1 : s.at-1], true
		default:
			s.at += i + 1
			err := json.Unmarshal([]byte(s.text[start:s.at]), &value)
			return value, err == nil
		}
	}
}

// value reads a string, a number, true, false or null, which is empty.
func (s *jsonScanner) value() (value, reason string) {
	if s.at == len(s.text) {
		return "", "want a value"
	}
	switch s.text[s.at] {
	case '"':
		value, ok := s.string()
		if !ok {
			return "", "the string is damaged"
		}
		return value, ""
	case '{', '[':
		return "", "an object or array within an object: fields have to be strings, numbers, true, " +
			"false or null"
	}
	start := s.at
	for s.at < len(s.text) && strings.IndexByte(",} \t\r\n", s.text[s.at]) < 0 {
		s.at++
	}
	value = s.text[start:s.at]
	switch {
	case value == "null":
		return "", ""
	case !json.Valid([]byte(value)):
		s.at = start
		return "", "want a string, a number, true, false or null"
	}
	return value, ""
}
