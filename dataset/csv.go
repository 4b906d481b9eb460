package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// blockSize is about how many nonzeros or rows of a CSV file make a block.
const blockSize = 1 << 16

// maxNames is how many class names a file may have: float32 holds their indices exactly.
const maxNames = 1 << 24

// ReadCSV reads comma-separated values, or tab-separated ones if opt.Format is FormatTSV: a row an
// example, with the same number of cells in each, one of which is the label. Errors call the input
// name. Quoting is that of encoding/csv; blanks around a cell and blank lines are skipped.
//
// Features are decimal numbers; a missing one is an error, and so is a word: it has to be encoded
// as numbers first, one column for each word for instance. If the label of the first row is a
// number all have to be, else all are names. With HeaderAuto the first row is a header if none of
// its features is a number; where columns have numbers for names, say HeaderYes.
func ReadCSV(r io.Reader, name string, opt Options) (*Set, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	comma := ','
	if opt.Format == FormatTSV {
		comma = '\t'
	}
	return readCSV(opt.metered(r), name, comma, opt)
}

func readCSV(r io.Reader, name string, comma rune, opt Options) (*Set, error) {
	if err := opt.noHash(name); err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(r, 1<<16)
	if head, _ := buffered.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) {
		buffered.Discard(len(byteOrderMark)) // can't fail: it is in the buffer
	}
	f := csvFile{csv: csv.NewReader(buffered), name: name, opt: opt, first: true}
	f.csv.Comma = comma
	f.csv.ReuseRecord = true
	f.csv.TrimLeadingSpace = comma == ',' // tabs are space as well
	for {
		cells, err := f.csv.Read()
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
	f.flush()
	s, err := assemble(f.blocks, 0, f.cols, opt.Layout)
	if err != nil {
		return nil, fail(name, err)
	}
	s.IndexBase = 1
	s.name(f.classes)
	return s, nil
}

// A csvFile is a file being read.
type csvFile struct {
	csv     *csv.Reader
	name    string
	opt     Options
	first   bool // row to come
	label   int  // column
	cells   int  // in a row
	cols    int
	number  []byte         // scratch
	classes map[string]int // by name, in order of appearance; nil if labels are numbers
	block   block
	blocks  []block
}

// row takes in a row, the header as well.
func (f *csvFile) row(cells []string) error {
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
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
	label := cells[f.label]
	if len(b.y) == 0 && len(f.blocks) == 0 {
		if _, reason := f.parse(label); reason == notNumber && !isMissing(label) {
			f.classes = map[string]int{}
		}
	}
	y, reason := f.class(label)
	if reason != "" {
		return f.at(f.label, cells, reason+hint)
	}
	b.y = append(b.y, y)
	if i, reason := f.features(cells); reason != "" {
		return f.at(i, cells, reason+hint)
	}
	b.ends = append(b.ends, len(b.val))
	if len(b.val) >= blockSize || len(b.y) >= blockSize {
		f.flush()
	}
	return nil
}

// features takes in the features of a row. If one is wrong it returns its cell and the reason.
func (f *csvFile) features(cells []string) (bad int, reason string) {
	b := &f.block
	for i, c := range cells {
		if i == f.label {
			continue
		}
		v, reason := f.parse(c)
		if reason != "" {
			return i, badFeature(c, reason)
		}
		if v == 0 {
			continue
		}
		j := i
		if i > f.label {
			j--
		}
		if j >= f.cols {
			b.ignored++
			continue
		}
		b.idx = append(b.idx, int32(j))
		b.val = append(b.val, v)
	}
	return 0, ""
}

func badFeature(cell, reason string) string {
	switch {
	case isMissing(cell):
		return "missing value: fill it in or leave the row out"
	case reason == notNumber:
		return "feature is not a number: encode words as numbers, one-hot for instance"
	}
	return "feature is " + reason
}

func (f *csvFile) flush() {
	b := &f.block
	f.blocks = append(f.blocks, block{
		y: slices.Clone(b.y), ends: slices.Clone(b.ends),
		idx: slices.Clone(b.idx), val: slices.Clone(b.val),
		ignored: b.ignored,
	})
	*b = block{y: b.y[:0], ends: b.ends[:0], idx: b.idx[:0], val: b.val[:0]}
}

// head settles the columns from the first row and tells whether that is a header.
func (f *csvFile) head(cells []string) (header bool, err error) {
	f.cells = len(cells)
	if f.cells == 1 {
		return false, f.firstRow("one column only: want features and a label")
	}
	f.cols = f.cells - 1
	if f.opt.Features > 0 {
		f.cols = f.opt.Features
	} else if f.cols > f.opt.MaxFeatures {
		return false, f.firstRow(fmt.Sprintf(
			"%d columns are beyond the limit of %d features (-max-features)",
			f.cells, f.opt.MaxFeatures))
	}
	named, err := f.chooseLabel(cells)
	if err != nil {
		return false, err
	}
	if f.opt.Header == HeaderAuto && !named {
		return f.namesOnly(cells), nil
	}
	return named || f.opt.Header == HeaderYes, nil
}

func (f *csvFile) firstRow(reason string) error {
	line, _ := f.csv.FieldPos(0)
	return &SyntaxError{File: f.name, Line: line, Reason: reason}
}

// chooseLabel settles which column has the labels, and tells whether it was found by its name.
func (f *csvFile) chooseLabel(cells []string) (named bool, err error) {
	want := f.opt.LabelColumn
	if n, err := strconv.Atoi(want); err == nil {
		if n < 0 || n >= len(cells) {
			return false, fmt.Errorf("%s: label column %d of %d, counted from 0",
				f.name, n, len(cells))
		}
		f.label = n
		return false, nil
	}
	if want == "last" {
		f.label = len(cells) - 1
		return false, nil
	}
	f.label = slices.Index(cells, want)
	if f.label < 0 || f.opt.Header == HeaderNo {
		return false, fmt.Errorf("%s: no column is called %q in the header", f.name, want)
	}
	if slices.Contains(cells[f.label+1:], want) {
		return false, fmt.Errorf("%s: two columns are called %q", f.name, want)
	}
	return true, nil
}

// namesOnly tells whether a row has features, but neither a number nor a missing value among them.
func (f *csvFile) namesOnly(cells []string) bool {
	named := false
	for i, c := range cells {
		if i == f.label || c == "" {
			continue
		}
		if _, reason := f.parse(c); reason != notNumber || isMissing(c) {
			return false
		}
		named = true
	}
	return named
}

// class returns the label that a cell stands for, the provisional number of the class if it is a
// name.
func (f *csvFile) class(cell string) (y float32, reason string) {
	if isMissing(cell) {
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
	if !ok {
		if n = len(f.classes); n == maxNames {
			return 0, fmt.Sprintf(
				"more than %d class names: for regression, labels have to be numbers", maxNames)
		}
		f.classes[strings.Clone(cell)] = n
	}
	return float32(n), ""
}

// name replaces the classes' provisional numbers by their places in alphabetical order.
func (s *Set) name(classes map[string]int) {
	if classes == nil {
		return
	}
	s.Names = slices.Sorted(maps.Keys(classes))
	place := make([]float32, len(classes))
	for i, name := range s.Names {
		place[classes[name]] = float32(i)
	}
	for i, y := range s.Y {
		s.Y[i] = place[int(y)]
	}
}

func (f *csvFile) parse(cell string) (v float32, reason string) {
	f.number = append(append(f.number[:0], cell...), '\n')
	v, next, reason := number(f.number, 0)
	if next < len(cell) {
		reason = notNumber // a blank or # within
	}
	return v, reason
}

// isMissing tells whether a cell is empty or holds what is commonly put in its place.
func isMissing(cell string) bool {
	switch strings.ToLower(cell) {
	case "", "?", "na", "n/a", "nan", "null":
		return true
	}
	return false
}

func (f *csvFile) at(i int, cells []string, reason string) error {
	line, column := f.csv.FieldPos(i)
	return &SyntaxError{
		File: f.name, Line: line, Column: column, Token: cut(cells[i]), Reason: reason,
	}
}

// fault turns an error of the csv package into ours.
func (f *csvFile) fault(err error, cells int) error {
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
