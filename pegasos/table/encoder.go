package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// version is that of the form of encoders in files.
const version = 1

// maxNameBytes is the most that the names of the features may take, with nameBytes more for each. A
// hashed column of a small file asks for thousands, and so does a column of a long name.
const (
	maxNameBytes = 1 << 28
	nameBytes    = 64
)

// An Encoder makes rows of numbers of the cells of a table. A model's file has it as JSON, in place
// of a [dataset.Table]: see [Decode].
type Encoder struct {
	Version int      `json:"encoder"`
	Columns []Column `json:"columns"` // all but the label's, in the order of the training's file
	// Header says that the names of the columns tell them apart; if not, they go by their places.
	Header  bool   `json:"header"`
	Label   string `json:"label,omitempty"` // the name of the label's column
	LabelAt int    `json:"label_at"`        // its number in the file, or -1 if it was the last
}

// Decode reads the encoder that JSON is of. It returns nil if there is none, but a [dataset.Table].
func Decode(text json.RawMessage) (*Encoder, error) {
	var is struct {
		Version int `json:"encoder"`
	}
	if text == nil || json.Unmarshal(text, &is) != nil || is.Version == 0 {
		return nil, nil
	}
	if is.Version != version {
		return nil, fmt.Errorf("table: an encoder of version %d, of which this program knows %d",
			is.Version, version)
	}
	e := new(Encoder)
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("table: encoder: %w", err)
	}
	if e.LabelAt < -1 || e.LabelAt > len(e.Columns) {
		return nil, fmt.Errorf("table: encoder: the label is in column %d", e.LabelAt)
	}
	for i := range e.Columns {
		if err := e.Columns[i].check(); err != nil {
			return nil, fmt.Errorf("table: encoder: %w", err)
		}
	}
	if err := e.checkSize(); err != nil {
		return nil, fmt.Errorf("table: encoder: %w", err)
	}
	return e, nil
}

// checkSize refuses features whose names take too much memory.
func (e *Encoder) checkSize() error {
	left := maxNameBytes
	for i := range e.Columns {
		c := &e.Columns[i]
		for _, level := range c.Levels {
			left -= len(level)
		}
		each := len(c.Name) + nameBytes
		n := c.features()
		if left < 0 || n > left/each {
			return fmt.Errorf("the names of the features take more than %d bytes", maxNameBytes)
		}
		left -= n * each
	}
	return nil
}

// Cols returns the number of features.
func (e *Encoder) Cols() (n int) {
	for i := range e.Columns {
		n += e.Columns[i].features()
	}
	return n
}

// Bytes returns about how much memory the rows take that the encoder was fitted on.
func (e *Encoder) Bytes() int64 {
	used, rows := 0, 0
	for i := range e.Columns {
		if rows = e.Columns[i].Rows; e.Columns[i].Kind != LeftOut {
			used++
		}
	}
	return int64(rows) * int64(min(4*e.Cols(), 8*used))
}

// Features says what the numbers of an encoded row stand for.
func (e *Encoder) Features() (all []Feature) {
	for i := range e.Columns {
		all = e.Columns[i].describe(all)
	}
	return all
}

// Table returns what tells the columns of another file apart.
func (e *Encoder) Table() *dataset.Table {
	t := &dataset.Table{LabelAt: e.LabelAt}
	if e.Header {
		t.Label = e.Label
		for i := range e.Columns {
			t.Columns = append(t.Columns, e.Columns[i].Name)
		}
	}
	return t
}

// Options has opt read a CSV file by the encoder, with a [Coder] as its Encoder.
func (e *Encoder) Options(opt *dataset.Options) {
	opt.Encoder, opt.Features, opt.Table = e.Coder(), len(e.Columns), e.Table()
}

// Order returns the cells of a row that are given by the names of their columns. Other columns don't
// matter, and those that are left out may be missing.
func (e *Encoder) Order(named map[string]string) ([]string, error) {
	cells := make([]string, len(e.Columns))
	for i := range e.Columns {
		c, found := &e.Columns[i], false
		if cells[i], found = named[c.Name]; !found && c.Kind != LeftOut {
			return nil, fmt.Errorf("table: no cell for the column %q", escape.Cut(c.Name))
		}
	}
	return cells, nil
}

// A Fitter takes in the cells of training rows, to fit an encoder: it is a [dataset.Encoder] that
// makes no features.
type Fitter struct {
	// Overrule has the kinds of columns, by name or, counted from 0, by number in the file. They
	// count in place of the rule.
	Overrule map[string]Kind
	// Skip, if not nil, says which rows, counted from 0, are not taken in.
	Skip func(row int) bool

	row     int
	columns []*stats
}

// Uses is true of all cells.
func (f *Fitter) Uses(int) bool { return true }

// Features are none.
func (f *Fitter) Features() []string { return nil }

// Encode takes in a row.
func (f *Fitter) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	f.row++
	if f.Skip != nil && f.Skip(f.row-1) {
		return columns, values, 0, ""
	}
	for len(f.columns) < len(cells) {
		f.columns = append(f.columns, newStats())
	}
	for i, cell := range cells {
		f.columns[i].add(cell)
	}
	return columns, values, 0, ""
}

// Fit has read read a CSV file with opt, and returns the encoder of its rows. By [Encoder.Options]
// the file is then read again, to encode them.
func (f *Fitter) Fit(opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	*Encoder, error,
) {
	opt.Encoder = f
	set, err := read(opt)
	if err != nil {
		return nil, err
	}
	return f.encoder(set.Table)
}

// encoder returns the encoder of the rows so far. t is what is known of the table they are of; it
// may be nil.
func (f *Fitter) encoder(t *dataset.Table) (*Encoder, error) {
	if len(f.columns) == 0 {
		return nil, errors.New("no rows")
	}
	if t == nil {
		t = &dataset.Table{LabelAt: -1}
	}
	e := &Encoder{Version: version, Columns: make([]Column, len(f.columns)), LabelAt: t.LabelAt,
		Header: t.Columns != nil && t.Check(len(f.columns)) == nil, Label: t.Label}
	unknown := len(f.Overrule)
	for i := range e.Columns {
		c, number := &e.Columns[i], i
		if t.LabelAt >= 0 && i >= t.LabelAt {
			number++ // the label's comes before
		}
		c.Name = strconv.Itoa(number)
		kind, given := f.Overrule[c.Name]
		if given && (slices.Contains(t.Columns, c.Name) || t.Columns != nil && t.Label == c.Name) {
			kind, given = "", false // it is the name of a column
		}
		if t.Columns != nil {
			c.Name = t.Columns[i]
			if k, named := f.Overrule[c.Name]; named {
				kind, given = k, true
			}
		}
		if given {
			unknown--
		}
		c.settle(f.columns[i], kind)
	}
	if unknown > 0 {
		return nil, f.unknown(e)
	}
	if e.Cols() == 0 {
		return nil, errors.New("all columns are left out: see inspect, and -numbers or -categories")
	}
	if err := e.checkSize(); err != nil {
		return nil, err
	}
	return e, nil
}

// unknown returns the error of a column that is to be overruled, but isn't there.
func (f *Fitter) unknown(e *Encoder) error {
	for name := range f.Overrule {
		known := name == e.Label
		for i := range e.Columns {
			number, err := strconv.Atoi(name)
			known = known || name == e.Columns[i].Name || err == nil && number == i
		}
		if !known {
			return fmt.Errorf("no column is called %q", escape.Cut(name))
		}
	}
	return errors.New("two names are of one column")
}

// settle makes the column one of the given kind, or of that which the rule finds.
func (c *Column) settle(s *stats, kind Kind) {
	c.fit(s)
	if kind == "" || kind == c.Kind && kind != Category {
		return
	}
	*c = Column{Name: c.Name, Rows: s.rows, Gaps: s.gaps, Kind: kind, Reason: "as given"}
	switch kind {
	case Number:
		c.fitNumber(s)
	case Category:
		c.fitLevels(s)
	}
}
