package tables

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

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

// A Fitter fits an [Encoder] to the rows of a table. It is the [form.Encoder] that reads them.
type Fitter struct {
	// Overrule has the kinds of columns, by name or, counted from 0, by number in the file. The key
	// "*" stands for all other columns, "" for columns without a name.
	Overrule map[string]Given
	// Skip, if not nil, reports whether a row, counted from 0, is not to be counted.
	Skip func(row int) bool
	// Grams is the largest number of words of an n-gram of text; 0 for 2.
	Grams int
	// Inspect accepts a table whose columns are all left out, in place of an error.
	Inspect bool
	// NoRows has no pass encode rows, for tables that are larger than the memory.
	NoRows bool

	// Fit sets these. Reports describe the columns of the encoder, and Doubts are about the columns
	// and the labels. Mark is the decimal mark of columns whose cells leave it open, and Mixed says
	// that columns differ in the decimal mark that their cells prove.
	Reports []Report
	Doubts  []form.Doubt
	Mark    byte
	Mixed   bool

	like    *Encoder     // encoder that Refit fits anew; nil in Fit
	kinds   []Given      // in place of Overrule, of each column
	marks   []byte       // decimal marks of columns of numbers that leave it open; 0 for the file's
	plan    []assumption // of each column, from the pass before
	forced  bool         // columns that are like names become text
	kept    bool         // columns of ids are kept, for there are no others
	labels  labelStats
	raw     *rawFit // nil once the table is known to be no raw one
	cols    int     // of the rows so far that a raw pass encoded
	broken  bool    // the raw pass found that the table is not raw, too late to go on
	file    form.Source
	row     int
	taken   int // rows that were counted
	columns []*stats
	counted int // columns whose n-grams are counted

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

// begin prepares a pass.
func (f *Fitter) begin(raw bool) {
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
	f.labels.begin()
}

// Begin prepares the fitter for the rows of the file.
func (f *Fitter) Begin(s form.Source) {
	if f.file = s; !s.AnyWidth {
		f.paid = &budget.Account{Part: budget.Columns}
	}
}

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

// Reads returns the columns of the encoder that Refit fits anew, all of which are used. For Fit it
// returns nil.
func (f *Fitter) Reads() (*form.Table, []bool) {
	if f.like == nil {
		return nil, nil
	}
	t, uses := f.like.Reads()
	for i := range uses {
		uses[i] = true
	}
	return t, uses
}

// Cols returns the number of columns so far in a pass that began as a raw one, and 0 in others,
// which encode nothing.
func (f *Fitter) Cols() int { return f.cols }

// Features returns nil: the features of a raw pass are the columns.
func (f *Fitter) Features() []string { return nil }

// Label counts the label of a row, and returns it as far as it is known in the first pass.
func (f *Fitter) Label(text string) (form.Label, string) {
	l := &f.labels
	missing := cell.IsMissing(text)
	if l.full != nil {
		l.full.add(text)
	}
	v, ok := float32(0), cell.HasDigit(text)
	if ok {
		v, ok = parse32(text)
	}
	if missing {
		if f.file.DropUnlabelled || !mayNameClass(text) {
			return form.Label{Missing: true}, ""
		}
		if l.gaps++; l.gap == "" {
			l.gap = strings.Clone(text)
		}
	}
	switch {
	case l.full != nil || f.broken:
		return form.Label{}, ""
	case missing:
	case ok && !cell.LeadingZero(text):
		if strings.IndexByte(text, '.') >= 0 {
			if l.points++; l.proved == 0 && !cell.Ambiguous(text) {
				l.proved++
			}
		}
		if l.plain++; l.words+l.odd+l.gaps == 0 {
			return form.Label{Value: v + 0}, "" // -0 is 0
		}
	case l.plain > 0 || ok || cell.HasDigit(text) && cell.KindOf(text) == cell.NumberCell:
		l.odd++
	default:
		l.words++
	}
	return form.Label{Word: f.raw != nil && l.plain == 0}, ""
}

// Encode counts the cells of a row. In a raw pass it encodes the row too.
func (f *Fitter) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	skip := f.Skip != nil && f.Skip(f.row)
	if f.row++; f.raw != nil || f.cols > 0 {
		f.cols = len(cells)
	}
	if f.broken || f.tooMany > 0 {
		return columns, values, 0, form.Stop
	}
	if !skip {
		bytes := 0
		for _, text := range cells {
			if len(text) > 0 { // absent fields of JSON lines pay nothing
				bytes += len(text) + 1
			}
		}
		f.paid.Read(int64(bytes))
		f.bytes += bytes
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
	f.broken, f.raw = f.held == nil, nil
	return columns, values, false
}

// count counts the cells of a row, now or, while the file does not pay for its columns, later.
func (f *Fitter) count(cells []string) {
	if n := len(cells) - len(f.columns); n > 0 && !f.paid.Take(int64(n)*columnBytes) {
		if f.hold(cells); len(f.held) > mostHeld+heldPerByte*f.bytes {
			f.tooMany, f.held = len(cells), nil
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
