package tables

import (
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/csvcell"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// A Coder encodes rows. It is a [csvcell.Encoder]. Several goroutines may use it at a time.
type Coder struct {
	// RefuseGaps has gaps refused.
	RefuseGaps bool

	columns  []coding
	cols     int
	features []string
	mu       sync.Mutex // of what was odd
}

// A coding is how the cells of a column become features.
type coding struct {
	*Column
	first   int32           // feature
	gap     int32           // the feature of gaps, or none
	filled  float32         // what a gap in a column of numbers becomes
	levels  map[string]code // of each level; of numbers GapWords
	text    *textCoder
	odd     int    // levels that the training lacked
	such    string // the first of them
	oddGaps int    // gaps, of which the training had none
}

// A code is the feature that a level of a category sets, and the value, 0 if it sets none.
type code struct {
	feature int32
	value   float32
}

// none is the feature of gaps in a column without one.
const none = -1

// Coder returns one of the encoder.
func (e *Encoder) Coder() *Coder {
	c := &Coder{columns: make([]coding, len(e.Columns)), cols: e.Cols(), features: e.Names()}
	next := int32(0)
	for i := range c.columns {
		column := &e.Columns[i]
		in := coding{Column: column, first: next, gap: none}
		if n := len(column.Levels) + len(column.GapWords); n > 0 {
			in.levels = make(map[string]code, n)
		}
		for k, level := range column.Levels {
			in.levels[level] = in.codeOf(k)
		}
		for _, word := range csvcell.Spellings {
			if k := csvcell.Find(column.Levels, word); k >= 0 {
				in.levels[word] = in.codeOf(k)
			}
		}
		for _, word := range column.GapWords {
			in.levels[word] = code{}
		}
		switch column.Kind {
		case Number, Date:
			in.filled = column.scaled(column.Mean)
		case Text:
			in.text = newTextCoder(column.Text, column.Rows-column.Gaps)
		}
		if next += int32(column.Features()); column.GapFeature {
			in.gap = next - 1
		}
		c.columns[i] = in
	}
	return c
}

// Uses reports whether cell i is of a column that is not left out.
func (c *Coder) Uses(i int) bool { return c.columns[i].Kind != LeftOut }

// Cols returns the number of features.
func (c *Coder) Cols() int { return c.cols }

// Features are those of [Encoder.Names].
func (c *Coder) Features() []string { return c.features }

// A row has the columns and the values of its nonzeros.
type row struct {
	columns []int32
	values  []float32
}

func (r *row) add(column int32, v float32) {
	if v != 0 && column != none {
		r.columns, r.values = append(r.columns, column), append(r.values, v)
	}
}

// Encode appends the columns and the values of a row's nonzeros. If it refuses a cell it says which
// and why. It makes no garbage.
func (c *Coder) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	r := row{columns, values}
	for i := range c.columns {
		in, cell := &c.columns[i], cells[i]
		if in.Kind == LeftOut {
			continue
		}
		gap, reason := in.isGap(cell), ""
		switch {
		case gap && c.RefuseGaps:
			reason = "missing value: fill it in or leave the row out"
		case gap:
			r.add(in.first, in.filled)
			if r.add(in.gap, 1); in.Gaps == 0 {
				c.note(in, "")
			}
		case in.Kind == Number:
			reason = in.number(&r, cell)
		case in.Kind == Date:
			reason = in.date(&r, cell)
		case in.Kind == Text:
			r.columns, r.values = in.text.encode(cell, in.first, r.columns, r.values)
		default:
			var known bool
			if known, reason = in.category(&r, cell); !known {
				c.note(in, cell)
			}
		}
		if reason != "" {
			return columns, values, i, reason
		}
	}
	return r.columns, r.values, 0, ""
}

const notNumber = "the column is of numbers: correct the cell or leave it empty; -categories takes " +
	"what a column has for words"

// number adds the feature of a number, or says why there is none.
func (in *coding) number(r *row, cell string) string {
	v, ok := parse(cell)
	if !ok {
		return notNumber
	}
	return in.addScaled(r, v)
}

// date adds the features of a date, or says why there are none.
func (in *coding) date(r *row, cell string) string {
	d, ok := parseDate(cell)
	if !ok {
		return "the column is of dates such as 2026-11-24 or 2026-11-24T18:30: correct the cell or " +
			"leave it empty; -categories takes what a column has for words"
	}
	reason := in.addScaled(r, d.days)
	if len(in.Counts) >= months {
		r.add(in.first+1+int32(d.month), 1)
	}
	if len(in.Counts) > months {
		r.add(in.first+1+months+int32(d.weekday), 1)
	}
	return reason
}

// addScaled adds a number on the scale of the column.
func (in *coding) addScaled(r *row, v float64) string {
	x := in.scaled(v)
	if math.Abs(float64(x)) > math.MaxFloat32 {
		return "the number is too large beside those of the training"
	}
	r.add(in.first, x)
	return ""
}

// category adds the feature of a level, if it has one, and reports whether the training had it often
// enough.
func (in *coding) category(r *row, cell string) (known bool, reason string) {
	to, known := in.level(cell)
	if !known && !utf8.ValidString(cell) {
		return true, "the word is not UTF-8: convert the file, with iconv for instance"
	}
	r.add(to.feature, to.value)
	return known, ""
}

// isGap reports whether a cell is a gap.
func (in *coding) isGap(cell string) bool {
	if len(in.GapWords) > 0 {
		if _, word := in.levels[cell]; word {
			return true
		}
	}
	return csvcell.IsMissing(cell)
}

// level returns the code of a level, and whether the training had it often enough.
func (in *coding) level(cell string) (to code, known bool) {
	if in.HashBits > 0 {
		return code{in.first + bucket(cell, in.HashBits), 1}, true
	}
	to, known = in.levels[cell]
	return to, known || in.Levels == nil // where only gaps count
}

// codeOf returns the code of level k of the column.
func (in *coding) codeOf(k int) code {
	switch {
	case !in.isBinary():
		return code{in.first + int32(k), 1}
	case k == in.rarer():
		return code{in.first, 1}
	}
	return code{in.first, -1}
}

// bucket returns the top bits of the 64-bit FNV-1a hash of a level.
func bucket(level string, bits int) int32 {
	h := wordHash(fnvOffset)
	for i := range len(level) {
		h = h.add(level[i])
	}
	return int32(h >> (64 - bits))
}

// note counts a cell that the training lacked: a level, or a gap.
func (c *Coder) note(in *coding, level string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if level == "" {
		in.oddGaps++
		return
	}
	if in.odd++; in.such == "" {
		in.such = escape.Cut(level)
	}
}

// Odd says, in a line for each column and kind, how many of the cells so far were levels without a
// feature, or gaps where the training had none.
func (c *Coder) Odd() (lines []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.columns {
		in := &c.columns[i]
		as := "none of the words"
		if in.Kind == Number || in.Kind == Date {
			as = "the mean"
		}
		add := func(cells int, what string) {
			if cells > 0 {
				lines = append(lines, fmt.Sprintf("%s: %s %s: taken for %s", escape.Name(in.Name),
					count(cells), what, as))
			}
		}
		add(in.odd, fmt.Sprintf("with words that the training had in fewer than %d rows, such as %q",
			leastRows, in.such))
		add(in.oddGaps, "without a value, as no row of the training was")
	}
	return lines
}

func count(cells int) string {
	if cells == 1 {
		return "1 cell"
	}
	return fmt.Sprintf("%d cells", cells)
}
