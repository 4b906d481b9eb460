package tables

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/budget"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// A Fitter takes in the cells of training rows, to fit an encoder: it is a [csvcell.Encoder] that
// makes no features.
type Fitter struct {
	noFeatures
	// Overrule has the kinds of columns, by name or, counted from 0, by number in the file. They
	// count in place of the rule.
	Overrule map[string]Kind
	// Skip, if not nil, says which rows, counted from 0, are not taken in.
	Skip func(row int) bool
	// Grams is how many words an n-gram of text has at most; 0 for 2.
	Grams int

	given   []Kind // in place of Overrule: of each column the kind that it is to have, or none
	row     int    // and those that were taken in
	taken   int
	columns []*stats
	texts   []int // columns that are known to be text
	counted int   // columns whose n-grams are counted

	paid *budget.Account // nil if the caller allows any number of columns
	held []byte          // rows whose columns the file doesn't pay for yet; see hold
}

// columnBytes is about how much memory the statistics and the encoder of a column take.
const columnBytes = 1200

// noFeatures is the part of a [csvcell.Encoder] that makes none.
type noFeatures struct{}

func (noFeatures) Cols() int          { return 0 }
func (noFeatures) Features() []string { return nil }

// Uses is true of all cells.
func (f *Fitter) Uses(int) bool { return true }

// Encode takes in a row.
func (f *Fitter) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	f.row++
	if f.Skip != nil && f.Skip(f.row-1) {
		return columns, values, 0, ""
	}
	for _, cell := range cells {
		f.paid.Read(int64(len(cell)) + 1)
	}
	if n := len(cells) - len(f.columns); n > 0 && !f.paid.Take(int64(n)*columnBytes) {
		f.hold(cells)
		return columns, values, 0, ""
	}
	f.release()
	f.add(cells)
	return columns, values, 0, ""
}

// add takes in the cells of a row.
func (f *Fitter) add(cells []string) {
	for i := len(f.columns); i < len(cells); i++ {
		s := f.newStats(i)
		s.rows, s.gaps = f.taken, f.taken // which had no such cell
		f.columns = append(f.columns, s)
	}
	f.taken++
	for i, cell := range cells {
		f.columns[i].add(cell)
	}
}

// hold keeps a row until the file pays for its columns: the number of its cells, and the length of
// each before its text.
func (f *Fitter) hold(cells []string) {
	f.held = binary.AppendUvarint(f.held, uint64(len(cells)))
	for _, cell := range cells {
		f.held = append(binary.AppendUvarint(f.held, uint64(len(cell))), cell...)
	}
}

// release takes in the rows that were held.
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

// Fit has read read a CSV file with opt, and returns the encoder of its rows. By [Encoder.Options]
// the file is then read again, to encode them.
func (f *Fitter) Fit(opt dataset.Options, read func(dataset.Options) (*dataset.Set, error)) (
	*Encoder, error,
) {
	if f.Grams < 0 || f.Grams > maxGrams {
		return nil, fmt.Errorf("n-grams of %d words: want 1 to %d", f.Grams, maxGrams)
	}
	opt.Encoder = f
	for {
		f.row, f.taken, f.columns, f.counted = 0, 0, nil, len(f.texts)
		if f.held, f.paid = nil, nil; opt.MaxFeatures == 0 {
			f.paid = &budget.Account{Part: budget.Columns}
		}
		set, err := read(opt)
		if err != nil {
			return nil, err
		}
		known := len(f.texts)
		e, err := f.encoder(set.Table)
		if err != nil || len(f.texts) == known {
			return e, err
		}
	}
}

// newStats returns the statistics of a column.
func (f *Fitter) newStats(column int) *stats {
	s := newStats()
	s.grams, s.texts, s.paid = cmp.Or(f.Grams, textGrams), &f.counted, f.paid
	if slices.Contains(f.texts, column) {
		s.text = newTextStats(s.grams, s.paid)
		s.text.wanted = true
	}
	return s
}

// encoder returns the encoder of the rows so far, nil if there are texts whose n-grams have still to
// be counted. t is what is known of the table they are of; it may be nil.
func (f *Fitter) encoder(t *dataset.Table) (*Encoder, error) {
	if len(f.held) > 0 {
		cells, _ := binary.Uvarint(f.held)
		return nil, fmt.Errorf("%d columns with words are too many for a file of this size; if they "+
			"are meant, say so (-max-features %[1]d)", cells)
	}
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
		if f.given != nil {
			kind = f.given[i]
		} else if given {
			unknown--
		}
		c.settle(f.columns[i], kind)
		if c.Kind == Text && c.Text == nil {
			f.texts = append(f.texts, i)
		}
	}
	switch {
	case unknown > 0:
		return nil, f.unknown(e)
	case len(f.texts) > maxTexts:
		return nil, fmt.Errorf("%d columns of text, more than %d: leave some out (-ignore)",
			len(f.texts), maxTexts)
	case slices.ContainsFunc(e.Columns, func(c Column) bool { return c.Kind == Text && c.Text == nil }):
		return nil, nil // once their n-grams are counted
	}
	if e.Cols() == 0 {
		return nil, e.allLeftOut()
	}
	return e, nil
}

// allLeftOut returns the error of an encoder without features.
func (e *Encoder) allLeftOut() error {
	const most = 5
	var why []string
	for i := range e.Columns[:min(most, len(e.Columns))] {
		c := &e.Columns[i]
		why = append(why, fmt.Sprintf("%s (%s)", escape.Name(escape.Cut(c.Name)), c.Reason))
	}
	if len(e.Columns) > most {
		why = append(why, "...")
	}
	return escape.Error(fmt.Errorf("all columns are left out: %s", strings.Join(why, ", ")))
}

// unknown returns the error of a column that is to be overruled, but isn't there.
func (f *Fitter) unknown(e *Encoder) error {
	for name := range f.Overrule {
		known := false
		if name == e.Label && e.Header {
			return fmt.Errorf("the column %q has the labels", escape.Cut(name))
		}
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

// asGiven is the Reason of a column whose kind was given.
const asGiven = "as given"

// settle makes the column one of the given kind, or of that which the rule finds.
func (c *Column) settle(s *stats, kind Kind) {
	c.fit(s)
	if kind == "" || kind == c.Kind && kind != Category {
		c.fitText(s)
		return
	}
	*c = Column{Name: c.Name, Rows: s.rows, Gaps: s.gaps, Kind: kind, Reason: asGiven}
	switch kind {
	case Number:
		c.fitNumber(s)
	case Category:
		c.fitLevels(s)
	case Date:
		c.fitDate(s)
	}
	c.fitText(s)
}
