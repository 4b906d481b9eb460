package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/csvcell"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// blockSize is about how many nonzeros or rows of a CSV file make a block.
const blockSize = 1 << 16

// aheadSize is how much of a CSV file tells whether its first row names the columns.
const aheadSize = 1 << 15

// maxNames is how many class names a file may have: float32 holds their indices exactly.
const maxNames = 1 << 24

// readCSV reads values that are separated by commas or tabs, lines with labels, or objects of JSON.
// Quoting is that of encoding/csv;
// blanks around a cell and blank lines are skipped. If the label of the first row is a number all
// have to be, else all are names.
func readCSV(r io.Reader, name string, format Format, opt Options) (*Set, error) {
	var blocks []block
	f, err := scanCSV(r, name, format, opt, func(b *block) error {
		blocks = append(blocks, block{
			y: slices.Clone(b.y), ends: slices.Clone(b.ends),
			idx: slices.Clone(b.idx), val: slices.Clone(b.val),
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	s, err := assemble(blocks, 0, f.cols, opt.Layout)
	if err != nil {
		return nil, fail(name, err)
	}
	s.IndexBase, s.Bytes = 1, *opt.bytes
	s.Table, s.Others = f.table, f.others
	if e := opt.Encoder; e != nil && e.Cols() > 0 {
		s.Table = &Table{Columns: e.Features(), LabelAt: -1}
		if f.table != nil {
			s.Table.Label = f.table.Label
		}
	}
	s.Unlabelled = f.label < 0 && !f.first
	s.Names = f.classNames()
	for i, y := range s.Y {
		s.Y[i] = f.place(y)
	}
	return s, nil
}

// scanCSV reads a file, and hands on its rows in blocks, with provisional numbers of classes.
func scanCSV(r io.Reader, name string, format Format, opt Options, each func(b *block) error) (
	*csvFile, error,
) {
	if err := opt.noHash(name); err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(r, 2*aheadSize)
	if head, _ := buffered.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) {
		buffered.Discard(len(byteOrderMark)) // can't fail: it is in the buffer
	}
	if head, _ := buffered.Peek(512); !isText(head) {
		return nil, &SyntaxError{File: name, Line: 1, Reason: "no text: another kind of file, or " +
			"characters of two bytes, which iconv makes UTF-8 of for instance"}
	}
	ahead, _ := buffered.Peek(aheadSize)
	f := &csvFile{format: format, name: name, opt: opt, first: true,
		ahead: slices.Clone(ahead), each: each}
	var err error
	if f.rows, err = newRecords(buffered, format, f.ahead, opt); err != nil {
		return nil, f.fault(err, 0)
	}
	if err := f.begin(); err != nil {
		return nil, err
	}
	for {
		cells, err := f.rows.Read()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = f.row(cells)
		} else {
			err = f.fault(err, len(cells))
		}
		if err != nil {
			return nil, err
		}
	}
	if f.refused != nil {
		return nil, f.refused
	}
	if j, is := f.rows.(*jsonRecords); is && f.count > 0 {
		if lacking, is := j.lacking(); is {
			return nil, fmt.Errorf("%s: no line has the field %q: it is null where there is no value",
				f.name, escape.Cut(lacking))
		}
		f.others = slices.Sorted(maps.Keys(j.others))
	}
	return f, f.flush()
}

// begin settles the columns, if the rows have names for them.
func (f *csvFile) begin() error {
	named, is := f.rows.(namedRecords)
	if !is || len(named.names()) == 0 {
		return nil
	}
	if !f.opt.labelGiven && f.opt.Table == nil {
		f.opt.LabelColumn = named.label()
	}
	f.first = false
	f.opt.Header = HeaderYes
	_, err := f.head(named.names())
	if err == nil && f.opt.Table == nil {
		f.table.LabelAt = f.label // there may be fields behind it
	}
	return err
}

// grow takes in fields that no row before has had. Without an encoder these rows lack numbers.
func (f *csvFile) grow(cells []string) error {
	names := f.rows.(*jsonRecords).fields
	for i := f.cells; i < len(cells); i++ {
		f.names, f.from = append(f.names, names[i]), append(f.from, i)
		f.table.Columns = append(f.table.Columns, names[i])
	}
	if f.cells < len(cells) && f.opt.Encoder == nil && f.count > 0 {
		return f.at(f.cells, cells, "the lines before lack the field")
	}
	f.cells = len(cells)
	return nil
}

// A csvFile is a file being read.
type csvFile struct {
	rows    records
	format  Format
	name    string
	opt     Options
	first   bool   // row to come
	ahead   []byte // what the file begins with
	label   int    // column; -1 for none
	cells   int    // in a row
	cols    int
	from    []int    // the column of each feature, or of each cell that the encoder takes
	names   []string // of the file's columns; nil without a header
	taken   []string
	refused *SyntaxError // the first cell that the encoder refused, and how many more
	table   *Table
	others  []string       // as in Set
	number  []byte         // scratch
	classes map[string]int // by name, in order of appearance; nil if labels are numbers
	places  []float32      // of the classes in the order of their names
	count   int            // rows so far
	block   block
	each    func(b *block) error
}

// row takes in a row, the header as well.
func (f *csvFile) row(cells []string) error {
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	if !f.first && len(cells) > f.cells {
		if err := f.grow(cells); err != nil {
			return err
		}
	}
	hint := "" // to the reader of an error
	if f.first {
		f.first = false
		header, err := f.head(cells)
		if header || err != nil {
			return err
		}
		if f.opt.Header == HeaderAuto {
			hint = "; if this row names the columns, say so (-header yes)"
		}
	}

	b := &f.block
	y, reason := f.labelOf(cells)
	if reason != "" {
		return f.at(f.label, cells, reason+hint)
	}
	b.y = append(b.y, y)
	take := f.features
	if f.opt.Encoder != nil {
		take = f.encode
	}
	if i, reason := take(cells); reason != "" {
		return f.at(i, cells, reason+hint)
	}
	b.ends = append(b.ends, len(b.val))
	if f.count++; len(b.val) >= blockSize || len(b.y) >= blockSize {
		return f.flush()
	}
	return nil
}

// labelOf returns the label of a row, 0 if there are none. The first one settles what they are.
func (f *csvFile) labelOf(cells []string) (y float32, reason string) {
	if f.label < 0 {
		return 0, ""
	}
	label := cells[f.label]
	if f.count == 0 {
		if _, reason := f.parse(label); reason == notNumber && !csvcell.IsMissing(label) {
			f.classes = map[string]int{}
		}
	}
	return f.class(label)
}

// features takes in the features of a row. If one is wrong it returns its cell and the reason.
func (f *csvFile) features(cells []string) (bad int, reason string) {
	b := &f.block
	for j, i := range f.from {
		v, reason := f.parse(cells[i])
		if reason != "" {
			return i, badFeature(cells[i], reason)
		}
		if v != 0 {
			b.idx = append(b.idx, int32(j))
			b.val = append(b.val, v)
		}
	}
	return 0, ""
}

// encode takes in the features that the encoder makes of a row. Cells that it refuses are counted.
func (f *csvFile) encode(cells []string) (bad int, reason string) {
	f.taken = f.taken[:0]
	for _, i := range f.from {
		if i < 0 { // a column that the encoder can do without
			f.taken = append(f.taken, "")
		} else {
			f.taken = append(f.taken, cells[i])
		}
	}
	b := &f.block
	b.idx, b.val, bad, reason = f.opt.Encoder.Encode(f.taken, b.idx, b.val)
	switch {
	case reason == "":
	case f.refused == nil:
		f.refused = f.at(f.from[bad], cells, reason)
	default:
		f.refused.more++
	}
	return 0, ""
}

func badFeature(cell, reason string) string {
	switch {
	case csvcell.IsMissing(cell):
		return "missing value: fill it in or leave the row out"
	case reason == notNumber:
		return "feature is not a number: encode words as numbers, one-hot for instance"
	}
	return "feature is " + reason
}

// flush hands on the block, whose memory is used again.
func (f *csvFile) flush() error {
	b := &f.block
	err := f.each(b)
	*b = block{y: b.y[:0], ends: b.ends[:0], idx: b.idx[:0], val: b.val[:0]}
	return err
}

// head settles the columns from the first row and tells whether that is a header.
func (f *csvFile) head(cells []string) (header bool, err error) {
	f.cells = len(cells)
	if slices.ContainsFunc(cells, func(c string) bool { return strings.Contains(c, "\r") }) {
		return false, f.firstRow("carriage returns alone don't end lines: make newlines of them, " +
			"such as by tr '\\r' '\\n'")
	}
	if header, err = f.isHeader(cells); err != nil {
		return false, err
	}
	if header {
		f.names = slices.Clone(cells)
	}
	if t := f.opt.Table; header && t != nil && t.Columns != nil {
		return true, f.match(cells, t)
	}
	return header, f.byPlace(cells, header)
}

// isHeader tells whether the first row names the columns.
func (f *csvFile) isHeader(cells []string) (bool, error) {
	if f.opt.Header != HeaderAuto {
		return f.opt.Header == HeaderYes, nil
	}
	if t := f.opt.Table; t != nil && t.Columns != nil && hasAll(cells, f.opt.needed()) {
		return true, nil
	}
	label, named, err := f.labelColumn(cells, true)
	if err != nil || named {
		return named, err
	}
	only, numbers := f.namesOnly(cells, label), f.numbersColumns(cells, label)
	if !only && !numbers {
		return false, nil
	}
	again := f.comeAgain(cells)
	if numbers {
		return !again[label], nil
	}
	some := 0
	for _, is := range again {
		if is {
			some++
		}
	}
	return 2*some < len(cells), nil
}

// byPlace settles the columns by their places: all but the label's are features.
func (f *csvFile) byPlace(cells []string, header bool) (err error) {
	without, features, err := f.opt.unlabelled(f.cells)
	if err != nil && f.cells == 1 {
		err = fmt.Errorf("%w%s", err, separatedBy(cells[0]))
	}
	if n := f.opt.maxCSVFeatures(); err == nil && features > n {
		err = fmt.Errorf("%d columns are beyond the limit of %d features (-max-features)", f.cells,
			n)
	}
	if err != nil {
		return f.firstRow(err.Error())
	}
	f.label = -1
	if !without {
		if f.label, _, err = f.labelColumn(cells, header); err != nil {
			return err
		}
	}
	f.cols = features
	if f.opt.Encoder != nil {
		f.cols = f.opt.Encoder.Cols()
	}
	f.from = make([]int, 0, features)
	for i := range cells {
		if i != f.label {
			f.from = append(f.from, i)
		}
	}
	f.table = newTable(cells, f.label, header)
	return nil
}

// match finds the columns of a table by their names in the header.
func (f *csvFile) match(cells []string, t *Table) (err error) {
	h := newCSVHeader(cells)
	f.label = -1
	switch {
	case f.opt.labelGiven:
		f.label, _, err = f.labelColumn(cells, true)
	case f.opt.Labels != LabelsNo:
		if !h.has(t.Label) && f.opt.Labels == LabelsAuto {
			break
		}
		if f.label, err = h.find(t.Label); err != nil {
			err = fmt.Errorf("%w: it had the labels; say which has them now (-label-column)", err)
		}
	}
	if err != nil {
		return f.firstRow(err.Error())
	}
	taken := make([]bool, len(cells))
	if f.label >= 0 {
		taken[f.label] = true
	} else if i, err := h.find(t.Label); err == nil {
		taken[i] = true // with LabelsNo
	}
	for k, name := range t.Columns {
		i, err := h.find(name)
		if e := f.opt.Encoder; err != nil && e != nil && !e.Uses(k) {
			f.from = append(f.from, -1)
			continue
		}
		if err == nil && i == f.label {
			err = fmt.Errorf("column %q is to be the label, and a feature", escape.Cut(name))
		}
		if err != nil {
			return f.firstRow(err.Error())
		}
		taken[i] = true
		f.from = append(f.from, i)
	}
	f.cols, f.table, f.others = len(t.Columns), t, others(cells, taken)
	if f.opt.Encoder != nil {
		f.cols = f.opt.Encoder.Cols()
	}
	return nil
}

// isText reports whether the first bytes of a file may be those of text, in UTF-8 or in another
// code of a byte a character. Text in UTF-8 may have control characters.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	for cut := range min(utf8.UTFMax, len(head)) { // the last character may be cut off
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	control := func(c rune) bool { return c < ' ' && !unicode.IsSpace(c) }
	return !bytes.ContainsFunc(head, control)
}

// separatedBy says what separates the cells of a line without commas, if that is known.
func separatedBy(line string) string {
	switch {
	case strings.Contains(line, ";"):
		return "; commas separate cells here, not semicolons: replace them (and decimal commas by " +
			"points), such as by tr ',;' '.,'"
	case strings.Contains(line, "\t"):
		return "; commas separate cells here, tabs do with the format tsv"
	}
	return ""
}

func (f *csvFile) firstRow(reason string) error {
	line, _ := f.rows.FieldPos(0)
	return &SyntaxError{File: f.name, Line: max(line, 1), Reason: reason}
}

// labelColumn returns the number of the column that the options say has the labels, -1 if there are
// none, and tells whether it was found by its name in the header, if the row is one.
func (f *csvFile) labelColumn(cells []string, header bool) (at int, named bool, err error) {
	want := f.opt.LabelColumn
	if f.opt.Labels == LabelsNo {
		return -1, false, nil
	}
	if want == "last" {
		return len(cells) - 1, false, nil
	}
	if n, err := strconv.Atoi(want); err == nil {
		if n < 0 || n >= len(cells) {
			return 0, false, fmt.Errorf("%s: label column %d of %d, counted from 0",
				f.name, n, len(cells))
		}
		return n, false, nil
	}
	at = slices.Index(cells, want)
	if at < 0 || !header {
		return 0, false, fmt.Errorf("%s: no column is called %q in the header", f.name, escape.Cut(want))
	}
	if slices.Contains(cells[at+1:], want) {
		return 0, false, fmt.Errorf("%s: two columns are called %q", f.name, escape.Cut(want))
	}
	return at, true, nil
}

// namesOnly tells whether a row has features, but neither a number nor a missing value among them.
func (f *csvFile) namesOnly(cells []string, label int) bool {
	named := false
	for i, c := range cells {
		if i == label || c == "" {
			continue
		}
		if _, reason := f.parse(c); reason != notNumber || csvcell.IsMissing(c) {
			return false
		}
		named = true
	}
	return named
}

// comeAgain reports which cells of the first row are in later rows as well, in the same columns: a
// name hardly is. It looks at the rows that have been read ahead.
func (f *csvFile) comeAgain(cells []string) []bool {
	again := make([]bool, len(cells))
	r := newCSVReader(bytes.NewReader(f.ahead), f.format)
	for first := true; ; first = false {
		row, err := r.Read()
		if err != nil { // the last row may be cut off
			return again
		}
		for i, c := range row {
			if !first && i < len(cells) && strings.TrimSpace(c) == cells[i] {
				again[i] = true
			}
		}
	}
}

// numbersColumns reports whether the features of a row are 0, 1, 2 and so on, and the label is a
// word: so programs number columns that have no names.
func (f *csvFile) numbersColumns(cells []string, label int) bool {
	const few = 3
	if label < 0 || len(cells) <= few {
		return false
	}
	if _, reason := f.parse(cells[label]); reason != notNumber || csvcell.IsMissing(cells[label]) {
		return false
	}
	next := 0
	for i, c := range cells {
		if i != label && c != strconv.Itoa(next) {
			return false
		}
		if i != label {
			next++
		}
	}
	return true
}

// class returns the label that a cell stands for, the provisional number of the class if it is a
// name.
func (f *csvFile) class(cell string) (y float32, reason string) {
	if csvcell.IsMissing(cell) {
		return 0, "missing label"
	}
	if f.classes == nil {
		v, reason := f.parse(cell)
		if reason == "" {
			v, reason = label(f.number[:len(cell)], v)
		}
		if reason == notNumber {
			reason += ", as the first label is"
		}
		if reason != "" {
			return 0, "label is " + reason
		}
		return v, ""
	}
	n, ok := f.classes[cell]
	if !ok && !utf8.ValidString(cell) {
		return 0, "label is not UTF-8: convert the file, with iconv for instance"
	}
	if !ok {
		if n = len(f.classes); n == maxNames {
			return 0, fmt.Sprintf(
				"more than %d class names: for regression, labels have to be numbers", maxNames)
		}
		f.classes[strings.Clone(cell)] = n
	}
	return float32(n), ""
}

// classNames returns the names of the classes, sorted by byte, or nil if the labels are numbers. Of
// the spellings of true, and of those of false, the one that came first is the name. It also fills in
// places, which place needs.
func (f *csvFile) classNames() []string {
	if f.classes == nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(f.classes)), f.isLaterSpelling)
	f.places = make([]float32, len(f.classes))
	for name, n := range f.classes {
		i, found := slices.BinarySearch(names, name)
		if !found {
			i = csvcell.Find(names, name)
		}
		f.places[n] = float32(i)
	}
	return names
}

// isLaterSpelling reports whether name is a spelling of true that came after another spelling of
// true, or one of false after another one of false.
func (f *csvFile) isLaterSpelling(name string) bool {
	truth := csvcell.Truth(name)
	return truth != "" && slices.ContainsFunc(csvcell.Spellings, func(other string) bool {
		n, found := f.classes[other]
		return found && n < f.classes[name] && csvcell.Truth(other) == truth
	})
}

// place returns the label that a provisional one stands for.
func (f *csvFile) place(y float32) float32 {
	switch {
	case f.places == nil:
		return y
	case int(y) >= len(f.places): // in a file that was changed while it was read
		return float32(math.NaN())
	}
	return f.places[int(y)]
}

func (f *csvFile) parse(cell string) (v float32, reason string) {
	f.number = append(append(f.number[:0], cell...), '\n')
	v, next, reason := number(f.number, 0)
	if next < len(cell) {
		reason = notNumber // a blank or # within
	}
	return v, reason
}

func (f *csvFile) at(i int, cells []string, reason string) *SyntaxError {
	line, column := f.rows.FieldPos(i)
	e := &SyntaxError{
		File: f.name, Line: line, Column: column, Token: escape.Cut(cells[i]), Reason: reason,
		Cell: i != f.label,
	}
	if f.names != nil {
		e.Name = escape.Cut(f.names[i])
	}
	return e
}

// fault turns an error of the csv package into ours.
func (f *csvFile) fault(err error, cells int) error {
	if s := (*SyntaxError)(nil); errors.As(err, &s) {
		s.File = f.name
		return s
	}
	p := (*csv.ParseError)(nil)
	if !errors.As(err, &p) {
		return fail(f.name, err)
	}
	e := &SyntaxError{File: f.name, Line: p.Line, Column: p.Column, Reason: p.Err.Error()}
	if p.Err == csv.ErrFieldCount {
		e.Column = 0
		e.Reason = fmt.Sprintf("%d cells where the first row has %d", cells, f.cells)
	}
	return e
}
