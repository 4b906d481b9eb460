package tables

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/sys/budget"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Given is the kind that a column is to have, whatever its cells are. Cells that do not fit count
// as missing.
type Given struct {
	Kind  Kind
	Order cell.Order // of dates; 0 to find it out
}

// A Fitter fits an [Encoder] to the rows of a table. It is the [cell.Encoder] that reads them.
type Fitter struct {
	// Overrule has the kinds of columns, by name or, counted from 0, by number in the file. The key
	// "*" stands for all other columns, "" for columns without a name.
	Overrule map[string]Given
	// Skip, if not nil, reports whether a row, counted from 0, is not to be counted.
	Skip func(row int) bool
	// Grams is the largest number of words of an n-gram of text; 0 for 2.
	Grams int
	// Decimal is the decimal mark where the cells of a column leave it open, '.' or ','; 0 for the
	// one that the other columns show.
	Decimal byte
	// Inspect accepts a table whose columns are all left out, in place of an error.
	Inspect bool
	// NoRows has no pass encode rows, for tables that are larger than the memory.
	NoRows bool

	// Reports describe the columns of the encoder, after Fit.
	Reports []Report

	kinds    []Given // in place of Overrule, of each column
	marks    []byte  // decimal marks of columns of numbers that leave it open; 0 for Decimal
	doubts   []form.Doubt
	plan     []assumption // of each column, from the pass before
	forced   bool         // columns that are like names become text
	kept     bool         // columns of ids are kept, for there are no others
	labels   labelStats
	raw      *rawFit // nil once the table is known to be no raw one
	stop     func()  // ends the pass
	cols     int     // of the rows so far that a raw pass encoded
	broken   bool    // the raw pass found that the table is not raw, too late to go on
	headed   bool    // see Coder.Headed
	fileMark byte    // the decimal mark of the file, by its sample
	// Of the file: it is lines of a label and a text; semicolons separate its cells.
	lines, semicolons bool
	mixed             bool // some columns prove commas, and some points
	mark              byte // the decimal mark of columns whose cells leave it open
	row               int
	taken             int // rows that were counted
	columns           []*stats
	counted           int // columns whose n-grams are counted

	paid *budget.Account // nil if the caller allows any number of columns
	held []byte          // rows that are not counted yet; see hold
	// Bytes of cells so far, and the columns of the row that was one too many to hold.
	bytes, tooMany int
}

// A Report describes the cells of a column, and the reason for its kind.
type Report struct {
	Reason   string `json:"reason"`             // why the column is of its kind
	Sample   string `json:"sample,omitempty"`   // a cell
	Odd      int    `json:"odd,omitempty"`      // cells that do not fit the kind
	OddCell  string `json:"odd_cell,omitempty"` // the first of them
	Distinct string `json:"distinct,omitempty"` // how many different cells there are
}

// Bytes of memory that a column takes: in a pass of full statistics, and in a raw one.
const (
	columnBytes    = 1200
	rawColumnBytes = 128
)

// mostHeld is how many bytes of rows a raw pass keeps, to count them if the table is not raw.
const mostHeld = 1 << 16

// heldPerByte bounds the rows that are held until the file pays for their columns, in bytes for
// each byte of cells.
const heldPerByte = 4

// mostPasses bounds the passes over a file.
const mostPasses = 8

// Fit reads the training file by read, with opt, in one pass or more, and returns the encoder of
// its rows. If the table is of plain numbers alone, the first pass has encoded the rows too, and
// Fit returns them; otherwise set is nil, and the file is to be read by [Encoder.Options].
func (f *Fitter) Fit(opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	e *Encoder, set *dataset.Set, err error,
) {
	if f.Grams < 0 || f.Grams > maxGrams {
		return nil, nil, fmt.Errorf("n-grams of %d words: want 1 to %d", f.Grams, maxGrams)
	}
	if f.Decimal == 0 && opt.Decimal != "" {
		f.Decimal = opt.Decimal[0]
	}
	parent := opt.Context
	raw := f.mayBeRaw() && !f.NoRows
	f.plan, f.forced, f.kept = nil, false, false
	f.labels = labelStats{mark: f.labels.mark, drop: opt.MissingLabels == dataset.MissingDrop ||
		opt.MissingLabels == dataset.MissingKeep}
	for pass := 0; ; pass++ {
		f.begin(raw, opt.MaxFeatures == 0)
		opt.Encoder, opt.Context = f, f.cancelable(parent)
		set, err := read(opt)
		f.stop()
		if f.broken && (parent == nil || parent.Err() == nil) {
			raw = false
			continue
		}
		if f.tooMany > 0 || err == nil && f.raw == nil && len(f.held) > 0 {
			return nil, nil, f.tooManyColumns()
		}
		if err != nil {
			return nil, nil, err
		}
		if f.finish(); set.Form != nil {
			f.fileMark, f.lines = set.Form.Decimal, set.Form.Format == form.Lines
			f.semicolons = set.Form.Separator == ';'
		}
		e, err := f.encoder(set.Table, pass >= mostPasses)
		if err != nil {
			return nil, nil, err
		}
		if e == nil {
			raw = raw && f.raw != nil
			continue
		}
		f.columns, f.labels.full = nil, nil // which may be large
		if f.raw == nil || !f.raw.whole || !f.labels.usable {
			set = nil
		}
		return e, set, nil
	}
}

// Doubts returns the doubts about the columns and the labels, after Fit.
func (f *Fitter) Doubts() []form.Doubt { return f.doubts }

// begin prepares a pass.
func (f *Fitter) begin(raw, limited bool) {
	f.row, f.taken, f.cols, f.columns, f.counted, f.broken = 0, 0, 0, nil, 0, false
	for _, as := range f.plan {
		if as.text {
			f.counted++
		}
	}
	if f.raw = nil; raw {
		f.raw = &rawFit{whole: true}
	}
	f.bytes, f.tooMany = 0, 0
	if f.held, f.paid = nil, nil; raw {
		f.held = []byte{} // no rows yet
	}
	if limited {
		f.paid = &budget.Account{Part: budget.Columns}
	}
	f.labels.begin()
}

// cancelable returns a context that f.stop cancels.
func (f *Fitter) cancelable(parent context.Context) context.Context {
	if parent == nil {
		parent = context.Background()
	}
	c, stop := context.WithCancel(parent)
	f.stop = stop
	return c
}

// Mark returns the decimal mark of columns whose cells leave it open, after Fit.
func (f *Fitter) Mark() byte { return f.mark }

// Mixed reports whether columns differ in the decimal mark that their cells prove, after Fit.
func (f *Fitter) Mixed() bool { return f.mixed }

// mayBeRaw reports whether all kinds that are given are numbers.
func (f *Fitter) mayBeRaw() bool {
	for _, given := range f.Overrule {
		if given.Kind != Number {
			return false
		}
	}
	for _, given := range f.kinds {
		if given.Kind != Number {
			return false
		}
	}
	return true
}

// Headed returns [Coder.Headed] of the encoder that is fitted anew.
func (f *Fitter) Headed() bool { return f.headed }

// Uses is true of all cells.
func (f *Fitter) Uses(int) bool { return true }

// Cols returns the number of columns so far in a pass that began as a raw one, and 0 in others,
// which encode nothing.
func (f *Fitter) Cols() int { return f.cols }

// Features returns nil: the features of a raw pass are the columns.
func (f *Fitter) Features() []string { return nil }

// Encode counts the cells of a row. In a raw pass it encodes the row too.
func (f *Fitter) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	skip := f.Skip != nil && f.Skip(f.row)
	if f.row++; f.raw != nil || f.cols > 0 {
		f.cols = len(cells)
	}
	if f.broken || f.tooMany > 0 {
		return columns, values, 0, ""
	}
	if !skip {
		for _, text := range cells {
			if len(text) > 0 { // absent fields of JSON lines pay nothing
				f.paid.Read(int64(len(text)) + 1)
				f.bytes += len(text) + 1
			}
		}
	}
	if f.raw != nil {
		var ok bool
		if columns, values, ok = f.encodeRaw(cells, skip, columns, values); ok {
			return columns, values, 0, ""
		}
	}
	if !skip && !f.broken {
		f.count(cells)
	}
	return columns, values, 0, ""
}

// encodeRaw encodes a row of a raw pass. It returns false if the table is not raw: then the pass
// goes on with full statistics, if all rows before are held, or else ends.
func (f *Fitter) encodeRaw(cells []string, skip bool, columns []int32, values []float32) (
	[]int32, []float32, bool,
) {
	first := len(f.raw.columns) == 0
	columns, values, ok := f.raw.encode(cells, skip, columns, values)
	if ok = ok && (!first || f.paid.Take(int64(len(cells))*rawColumnBytes)); ok {
		if !skip && f.held != nil {
			if f.hold(cells); len(f.held) > mostHeld {
				f.held = nil
			}
		}
		return columns, values, true
	}
	if f.broken = f.held == nil; f.broken {
		f.stop()
	}
	f.raw = nil
	return columns, values, false
}

// count counts the cells of a row, now or, while the file does not pay for its columns, later.
func (f *Fitter) count(cells []string) {
	if n := len(cells) - len(f.columns); n > 0 && !f.paid.Take(int64(n)*columnBytes) {
		if f.hold(cells); len(f.held) > mostHeld+heldPerByte*f.bytes {
			f.tooMany, f.held = len(cells), nil
			f.stop()
		}
		return
	}
	f.release()
	f.add(cells)
}

// add counts the cells of a row.
func (f *Fitter) add(cells []string) {
	for i := len(f.columns); i < len(cells); i++ {
		f.columns = append(f.columns, f.newStats(i))
	}
	f.taken++
	for i, text := range cells {
		if text != "" { // finish counts the others
			f.columns[i].add(text)
		}
	}
}

// finish counts the empty cells of the pass, and those of rows without a column.
func (f *Fitter) finish() {
	for _, s := range f.columns {
		if empty := f.taken - s.rows; empty > 0 {
			s.rows, s.missing, s.plain = f.taken, s.missing+empty, false
		}
	}
}

// newStats returns the statistics of a column.
func (f *Fitter) newStats(column int) *stats {
	var as assumption
	if column < len(f.plan) {
		as = f.plan[column]
	}
	s := newStats(as)
	s.grams, s.texts, s.paid = cmp.Or(f.Grams, textGrams), &f.counted, f.paid
	if as.text {
		s.text = newTextStats(s.grams, s.paid)
	}
	return s
}

// hold keeps a row: the number of its cells, and the length of each before its text.
func (f *Fitter) hold(cells []string) {
	f.held = binary.AppendUvarint(f.held, uint64(len(cells)))
	for _, text := range cells {
		f.held = append(binary.AppendUvarint(f.held, uint64(len(text))), text...)
	}
}

// release counts the rows that were held.
func (f *Fitter) release() {
	held := f.held
	next := func() int {
		v, n := binary.Uvarint(held)
		held = held[n:]
		return int(v)
	}
	for len(held) > 0 {
		cells := make([]string, next())
		for i := range cells {
			n := next()
			cells[i], held = string(held[:n]), held[n:]
		}
		f.add(cells)
	}
	f.held = nil
}

// tooManyColumns returns the error of rows that are held at the end of a pass.
func (f *Fitter) tooManyColumns() error {
	cells, n := binary.Uvarint(f.held)
	if n <= 0 {
		cells = uint64(f.tooMany)
	}
	return fmt.Errorf("%d columns are too many for a file of this size; if they are meant, say so "+
		"(-max-features %[1]d)", cells)
}

var errNoRows = errors.New("no rows")
