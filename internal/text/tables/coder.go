package tables

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/text/cell"
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Coder encodes rows as an [Encoder] says. Several goroutines may use it at the same time.
type Coder struct {
	// RefuseGaps makes Encode refuse gaps, except in columns left out, and cells that do not fit
	// columns of numbers or dates.
	RefuseGaps bool

	*Encoder
	columns []coding
	rows    atomic.Int64
	mu      sync.Mutex // guards misfits, except misfits.empty
	misfits []misfits  // by column
}

type misfits struct {
	empty atomic.Int64 // gaps
	odd   int          // cells that do not fit the column
	such  string       // the first odd cell, cut by escape.Cut
	marks marks
}

type coding struct {
	*Column
	first    int32
	gap      int32
	marks    bool            // the gap feature is 1 in rows with a value
	filled   float32         // value of feature first for a gap among numbers or dates
	levels   map[string]code // by word of a category; empty if levels are hashed
	gapWords map[string]bool // further words that count as gaps among numbers
	order    cell.Order
	times    bool
	text     *textCoder
}

type code struct {
	feature int32
	value   float32
}

const none = -1

func (e *Encoder) Coder() *Coder {
	return &Coder{Encoder: e, columns: codingsOf(e.Columns, e.Rows, e.Raw),
		misfits: make([]misfits, len(e.Columns))}
}

func codingsOf(columns []Column, rows int, raw bool) []coding {
	codings := make([]coding, len(columns))
	next := int32(0)
	for i := range codings {
		in := &codings[i]
		in.Column, in.first, in.gap = &columns[i], next, none
		in.prepare(rows, raw)
		if next += int32(in.features(rows)); in.GapFeature {
			in.gap, in.marks = next-1, in.marksValues(rows)
		}
	}
	return codings
}

func (in *coding) prepare(rows int, raw bool) {
	switch in.Kind {
	case Number, Date:
		if in.filled = in.Number.scaled(in.Number.Mean); raw {
			in.filled = float32(in.Number.Mean)
		}
		if f := in.Number.Format; f != nil && f.GapWords != nil {
			in.gapWords = map[string]bool{}
			for _, word := range f.GapWords {
				in.gapWords[word] = true
			}
		}
		if in.Date != nil {
			in.order, in.times = orderOf(in.Date.Order)
		}
	case Text:
		in.text = newTextCoder(in.Text, rows-in.Gaps)
	case Category:
		if in.Levels == nil {
			return
		}
		in.levels = make(map[string]code, len(in.Levels.Names))
		for k, level := range in.Levels.Names {
			in.levels[level] = in.codeOf(k, rows)
		}
		for _, word := range cell.Spellings {
			if k := cell.Find(in.Levels.Names, word); k >= 0 {
				in.levels[word] = in.codeOf(k, rows)
			}
		}
	}
}

func (in *coding) codeOf(k, rows int) code {
	switch {
	case !in.isBinary(rows):
		return code{in.first + int32(k), 1}
	case k == in.Levels.rarer():
		return code{in.first, 1}
	}
	return code{in.first, -1}
}

func (c *Coder) Begin(form.Source) {}

func (c *Coder) Features() []string { return c.Names() }

type row struct {
	columns []int32
	values  []float32
}

func (r *row) add(column int32, v float32) {
	if v != 0 && column != none {
		r.columns, r.values = append(r.columns, column), append(r.values, v)
	}
}

type fit int

const (
	fits fit = iota
	isGap
	isOdd
)

// Encode encodes a cell that does not fit a column of numbers or dates as a gap. For an unknown
// word of a category it sets no level's feature. With RefuseGaps it returns the index of the first
// cell refused, and the reason.
func (c *Coder) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	r := row{columns, values}
	if c.rows.Add(1) <= markedRows {
		c.examineMarks(cells)
	}
	for i := range c.columns {
		in := &c.columns[i]
		of := in.encode(&r, cells[i], c.Raw)
		if of == fits {
			continue
		}
		if c.RefuseGaps && (of == isGap || in.Number != nil) {
			return columns, values, i, in.refusal(of, cells[i])
		}
		if of == isGap && in.Number != nil && cell.IsInfinite(cells[i]) {
			of = isOdd
		}
		if of == isGap {
			c.misfits[i].empty.Add(1)
		} else {
			c.noteOdd(i, cells[i])
		}
	}
	return r.columns, r.values, 0, ""
}

func (in *coding) encode(r *row, text string, raw bool) fit {
	if in.Kind == LeftOut {
		return fits
	}
	start := len(r.values)
	of := in.encodeValue(r, text, raw)
	if of != fits && in.Number != nil {
		r.add(in.first, in.filled)
	}
	if (of == isGap || of == isOdd && in.Number != nil) != in.marks {
		r.add(in.gap, 1)
	}
	if in.Weak {
		for k := start; k < len(r.values); k++ {
			r.values[k] *= weakFactor
		}
	}
	return of
}

func (in *coding) encodeValue(r *row, text string, raw bool) fit {
	switch in.Kind {
	case Number:
		if raw {
			if v, ok := parse32(text); ok {
				r.add(in.first, v)
				return fits
			}
		}
		return in.number(r, text, raw)
	case Date:
		return in.date(r, text)
	case Text:
		if cell.IsMissing(text) {
			return isGap
		}
		r.columns, r.values = in.text.encodeText(text, in.first, r.columns, r.values)
		return fits
	}
	return in.category(r, text)
}

func (in *coding) number(r *row, text string, raw bool) fit {
	v, ok := in.Number.Format.parse(text)
	switch {
	case !ok && (cell.IsGapWord(text) || in.gapWords[text]):
		return isGap
	case !ok:
		return isOdd
	case raw:
		r.add(in.first, float32(v))
		return fits
	}
	return in.addScaled(r, v)
}

func (f *Format) parse(text string) (float64, bool) {
	mark, unit := f.mark(), ""
	if f != nil {
		unit = f.Unit
	}
	if len(text) > maxValueBytes || !cell.HasDigit(text) {
		return 0, false
	}
	if mark == '.' {
		if v, ok := cell.ParsePlain(text); ok {
			return v, true
		}
	}
	n, ok := cell.ParseNumber(text, mark)
	if ok && (f == nil || !f.Groups) && isGrouped(text, mark) && cell.Ambiguous(text) {
		return 0, false // the other mark, as in 1,234, may be decimal in this file
	}
	magnitude := n.Magnitude == 0 || f != nil && f.Magnitudes
	return n.Value, ok && magnitude && (n.Unit == "" || n.Unit == unit)
}

func (f *Format) mark() byte {
	if f != nil && f.Decimal == "," {
		return ','
	}
	return '.'
}

func (in *coding) date(r *row, text string) fit {
	var d cell.Date
	ok := len(text) <= maxValueBytes && cell.HasDigit(text)
	if ok {
		_, plain := cell.ParsePlain(text)
		d, ok = parseDate(text, in.order, plain)
	}
	switch {
	case !ok && cell.IsGapWord(text):
		return isGap
	case !ok, d.TimeOnly != in.times:
		return isOdd
	}
	of := in.addScaled(r, d.Days)
	if of == fits && len(in.Date.Counts) >= months {
		r.add(in.first+1+int32(d.Month), 1)
	}
	if of == fits && len(in.Date.Counts) > months {
		r.add(in.first+1+months+int32(d.Weekday), 1)
	}
	return of
}

func (in *coding) addScaled(r *row, v float64) fit {
	x := in.Number.scaled(v)
	if math.Abs(float64(x)) > math.MaxFloat32 {
		return isOdd
	}
	r.add(in.first, x)
	return fits
}

func (in *coding) category(r *row, text string) fit {
	switch {
	case cell.IsMissing(text):
		return isGap
	case in.Levels == nil:
		return fits
	case in.Levels.HashBits > 0:
		r.add(in.first+bucket(text, in.Levels.HashBits), 1)
		return fits
	}
	to, known := in.levels[text]
	if !known {
		return isOdd
	}
	r.add(to.feature, to.value)
	return fits
}

func bucket(level string, bits int) int32 { return int32(hashText(level) >> (64 - bits)) }

func (c *Coder) Label(text string) (form.Label, string) {
	l := &c.Encoder.Label
	missing := cell.IsMissing(text)
	if l.Kind == Category {
		if missing && !(l.GapIsClass && mayNameClass(text)) {
			return form.Label{Missing: true}, ""
		}
		return form.Label{Word: true}, ""
	}
	if l.Format == nil || l.Format.Decimal == "" {
		if v, ok := parse32(text); ok {
			return form.Label{Value: v + 0}, "" // -0 is 0
		}
	}
	if cell.IsGapWord(text) {
		return form.Label{Missing: true}, ""
	}
	if v, ok := l.Format.parse(text); ok {
		y := float32(v) + 0
		inexact := float64(y) != v || math.Abs(v) >= 1<<53 // v may be rounded, too
		return form.Label{Value: y, Rounded: inexact && v == math.Trunc(v)}, ""
	}
	return form.Label{}, "label is not a number as in the training data: correct it or leave the " +
		"row out"
}

func (in *coding) refusal(of fit, text string) string {
	what := "number"
	switch {
	case of == isGap && in.gapWords[text]:
		return "the word counts as a missing value: correct it or leave the row out"
	case of == isGap:
		return "missing value: fill it in or leave the row out"
	case in.times:
		what = "time"
	case in.Kind == Date:
		what = "date"
	}
	return "the cell is not a " + what + " as in the training data: correct it or leave the row out"
}

func (c *Coder) noteOdd(i int, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := &c.misfits[i]
	if m.odd++; m.such == "" {
		m.such = escape.Cut(text)
	}
}

// In a category with up to maxReadLevels levels, such as True and False, new words are unexpected
// even if they are fewer than fewRows. In a column of towns, a few are to be expected.
const maxReadLevels = 2

// Odd returns up to four lines for each column: how many of the cells so far do not fit, whether
// numbers read as decimals may be thousands, whether numbers lack the percent sign of the training,
// and how many cells are gaps, if the column had no gaps in training or far fewer.
func (c *Coder) Odd() []string {
	lines, _ := c.odd()
	return lines
}

// Unread returns the lines of Odd about columns that are probably misread: all lines about
// thousands and percent signs; lines about gaps, if at least half of fewRows or more rows have a
// gap; and lines about other cells that do not fit, if these are at least half of the cells with a
// value and expectsNone is true.
func (c *Coder) Unread() []string {
	_, unread := c.odd()
	return unread
}

func (c *Coder) odd() (lines, unread []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.columns {
		in, m := &c.columns[i], &c.misfits[i]
		rows, empty := c.rows.Load(), m.empty.Load()
		what, as := "without a number as in the training data", "the mean"
		switch in.Kind {
		case Date:
			if what = "without a date as in the training data"; in.times {
				what = "without a time as in the training data"
			}
		case Text:
			as = "an empty text"
		case Category:
			what = fmt.Sprintf("with a word that fewer than %d training rows had", leastRows)
			if !in.Levels.lackRare() {
				what = "with a word that no training row had"
			}
			as = "none of the words"
		}
		name := escape.Name(escape.Cut(in.Name))
		if m.odd > 0 {
			read := as
			if in.Number != nil {
				read = in.taken(as, m.odd)
			}
			lines = append(lines, fmt.Sprintf("column %s: %s %s, such as %q: taken for %s", name,
				count(m.odd), what, m.such, read))
			if 2*int64(m.odd) >= rows-empty && in.expectsNone(m.odd, c.Rows) {
				unread = append(unread, lines[len(lines)-1])
			}
		}
		if in.Kind == Number {
			for _, line := range []string{in.doubtThousands(&m.marks), in.doubtPercent(&m.marks)} {
				if line != "" {
					lines, unread = append(lines, line), append(unread, line)
				}
			}
		}
		many := rows >= fewRows && 2*empty >= rows && 10*in.Gaps < c.Rows
		if !many && (empty == 0 || in.Gaps > 0) {
			continue
		}
		had := "unlike in training"
		if in.Gaps > 0 {
			had = fmt.Sprintf("but only %s in %s", plural.Count(in.Gaps, "gap"),
				plural.Count(c.Rows, "training row"))
		}
		lines = append(lines, fmt.Sprintf("column %s: %s without a value, %s: taken for %s", name,
			count(int(empty)), had, in.taken(as, int(empty))))
		if many {
			unread = append(unread, lines[len(lines)-1])
		}
	}
	return lines, unread
}

func (in *coding) taken(as string, cells int) string {
	switch {
	case !in.GapFeature:
		return as
	case cells == 1:
		return "a gap"
	}
	return "gaps"
}

// expectsNone reports whether odd cells that do not fit are unexpected after rows training rows. In
// a category they are unexpected only if its levels had at least nine in ten of the training cells
// with a value.
func (in *coding) expectsNone(odd, rows int) bool {
	if in.Kind != Category || in.Levels == nil {
		return in.Kind != Category
	}
	known := 0
	for _, n := range in.Levels.Counts {
		known += n
	}
	return (len(in.Levels.Names) <= maxReadLevels || odd >= fewRows) && 10*known >= 9*(rows-in.Gaps)
}

func count(cells int) string {
	if cells == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", cells)
}
