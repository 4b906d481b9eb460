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

type Given struct {
	Kind  Kind
	Order cell.Order // order of dates; 0 to detect it
}

// A Fitter fits an [Encoder] to the rows of a table, which it reads as a [form.Encoder].
type Fitter struct {
	// Overrule maps a column's name, or its number in the file from 0, to a kind. The key "*"
	// stands for all other columns, "" for columns without a name.
	Overrule map[string]Given
	// Skip, if not nil, reports whether the columns' statistics leave out a row, counted from 0.
	Skip func(row int) bool
	// Grams is the largest number of words of an n-gram; 0 for the default.
	Grams int
	// Inspect accepts an encoder without features.
	Inspect bool
	// NoRows prevents passes from encoding rows.
	NoRows bool

	// Results of Fit. Mark is the decimal mark of columns whose cells are ambiguous; Mixed is set
	// if some columns or labels prove a decimal point and others a decimal comma.
	Reports []Report
	Doubts  []form.Doubt
	Mark    byte
	Mixed   bool

	like    *Encoder
	star    string       // number in the file of a column called "*"
	kinds   []Given      // by column, in place of Overrule
	marks   []byte       // in Refit, decimal mark of each column; 0 to detect it
	plan    []assumption // by column, from the previous pass
	forced  bool         // columns of names become text
	kept    bool         // columns of ids are kept
	labels  labelStats
	targets extremes // labels that are plain numbers, if labels.full is nil
	raw     *rawFit  // nil in a pass that is not or no longer raw
	cols    int      // cells of the last row of a pass that began as a raw pass
	broken  bool     // the table is not raw, and earlier rows of the pass are lost
	file    form.Source
	row     int
	taken   int // rows counted in columns
	columns []*stats
	counted int

	paid *budget.Account // nil for any number of columns
	held []byte          // rows to be counted later; see hold
	// bytes of the cells counted; number of cells of the first row that could not be held
	bytes, tooMany int
}

type Report struct {
	Reason   string `json:"reason"`             // why the column is of its kind
	Sample   string `json:"sample,omitempty"`   // a cell
	Odd      int    `json:"odd,omitempty"`      // cells that do not fit the kind
	OddCell  string `json:"odd_cell,omitempty"` // a cell counted in Odd
	Distinct string `json:"distinct,omitempty"` // number of different cells, or a lower bound
}

// Approximate bytes of a column of few distinct cells, in a pass of full statistics and in a raw pass.
const (
	columnBytes    = 1200
	rawColumnBytes = 128
)

// mostHeld bounds the bytes of rows that a raw pass keeps, to count them if the table is not raw.
const mostHeld = 1 << 16

// heldPerByte bounds the bytes of rows held beyond mostHeld, per byte of the cells read.
const heldPerByte = 4

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
		f.held = []byte{}
	}
	f.labels.begin()
	f.targets = noExtremes
}

func (f *Fitter) Begin(s form.Source) {
	if f.file = s; !s.AnyWidth {
		f.paid = &budget.Account{Part: budget.Columns}
	}
}

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

func (f *Fitter) Cols() int { return f.cols }

// Features returns nil: the features of a raw pass are the columns.
func (f *Fitter) Features() []string { return nil }

// Label counts the label of a row. The labels that it returns in a raw pass are final if
// labels.usable is set in the end.
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
		f.targets.add(text, float64(v))
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

// Encode counts the cells of a row that is not skipped. A raw pass also encodes rows.
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
			if len(text) > 0 { // empty cells may be absent fields of JSON lines
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

// encodeRaw returns false if the table is not raw, or has more columns than the size of the first
// row allows. Then the pass continues with full statistics if all earlier rows are held, and
// otherwise ends.
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

// count counts the cells of a row. If the part of the file read so far is too small for the row's
// columns, it holds the row until more is read. If too much is held, the pass ends.
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

func (f *Fitter) add(cells []string) {
	for i := len(f.columns); i < len(cells); i++ {
		f.columns = append(f.columns, f.newStats(i))
	}
	f.taken++
	for i, text := range cells {
		if text != "" { // finish counts empty cells
			f.columns[i].add(text)
		}
	}
}

func (f *Fitter) finish() {
	for _, s := range f.columns {
		if empty := f.taken - s.rows; empty > 0 {
			s.rows, s.missing, s.plain = f.taken, s.missing+empty, false
		}
	}
}

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

func (f *Fitter) hold(cells []string) {
	f.held = binary.AppendUvarint(f.held, uint64(len(cells)))
	for _, text := range cells {
		f.held = append(binary.AppendUvarint(f.held, uint64(len(text))), text...)
	}
}

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

func (f *Fitter) tooManyColumns() error {
	cells, n := binary.Uvarint(f.held)
	if n <= 0 {
		cells = uint64(f.tooMany)
	}
	if f.file.Form.Format == form.JSONL { // later lines may have more fields
		return fmt.Errorf("the lines read so far have %d different fields, too many for their size; if "+
			"that is right, allow more (-max-features)", cells)
	}
	return fmt.Errorf("%d feature columns are too many for a file of this size; if the table has so "+
		"many, allow them (-max-features %[1]d)", cells)
}

var ErrNoRows = errors.New("no rows")
