package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

type rawFit struct {
	rows    int
	columns []rawColumn
	whole   bool // all rows so far are encoded: no skipped row had cells other than numbers
}

type rawColumn struct {
	sum    float64
	first  float32
	last   float32
	digits uint8 // digits of each number so far, if equal and at least idDigits; else 0
	// Whether the numbers so far rise, are whole, and are dates of eight digits. counts is valid
	// only with integral.
	counts, integral, eights bool
	// Whether numbers contain points, and whether all points may separate thousands.
	points, thousands bool
	// The first number if it has at least long32 bytes, and whether a later number of at least
	// long32 bytes has another text.
	text    string
	differs bool
	extremes
}

// encode appends the nonzero numbers of a row. It returns false if the row has more cells than the
// first or, unless skip is set, a cell that is no plain number or has a leading zero.
func (r *rawFit) encode(cells []string, skip bool, columns []int32, values []float32) (
	[]int32, []float32, bool,
) {
	if r.columns == nil {
		r.columns = make([]rawColumn, len(cells))
		for i := range r.columns {
			r.columns[i] = rawColumn{counts: true, integral: true, eights: true, thousands: true,
				extremes: noExtremes}
		}
	}
	if len(cells) > len(r.columns) {
		return columns, values, false
	}
	columns, values = slices.Grow(columns, len(cells)), slices.Grow(values, len(cells))
	at, to, n := columns[len(columns):][:len(cells)], values[len(values):][:len(cells)], 0
	for i, text := range cells {
		v, ok := parse32(text)
		if skip {
			r.whole = r.whole && ok
		} else if !ok || text[0] == '0' && len(text) > 1 && text[1] != '.' && cell.LeadingZero(text) {
			return columns, values, false
		} else {
			r.columns[i].count(text, v, r.rows == 0)
		}
		if at[n], to[n] = int32(i), v; v != 0 && ok {
			n++
		}
	}
	columns, values = columns[:len(columns)+n], values[:len(values)+n]
	if !skip {
		r.rows++
	}
	return columns, values, true
}

func (c *rawColumn) count(text string, v float32, first bool) {
	c.sum += float64(v)
	c.extremes.add(text, float64(v))
	if !c.differs && len(text) >= long32 {
		if c.differs = !first && text != c.text; first {
			c.text = strings.Clone(text)
		}
	}
	if c.thousands && strings.IndexByte(text, '.') >= 0 {
		c.points, c.thousands = true, cell.Ambiguous(text)
	}
	if !c.integral {
		return
	}
	if c.integral = float64(v) == math.Trunc(float64(v)); first {
		if n := digitsOf(text); n >= idDigits && n < maxValueBytes {
			c.digits = uint8(n)
		}
		c.first = v
	} else {
		c.counts = c.counts && v > c.last
		if c.digits > 0 && digitsOf(text) != int(c.digits) {
			c.digits = 0
		}
	}
	c.eights = c.digits == 8 && c.eights && cell.EightDigitDate(text)
	c.last = v
}

func (c *rawColumn) mayMerge() bool { return c.differs && c.near(bits32) }

func (c *rawColumn) mayBeID(name string, rows int) bool {
	counts := c.counts && float64(c.last)-float64(c.first) < sparsestCounter*float64(rows)
	return rows >= fewRows && c.integral && (counts || c.digits > 0 && !c.eights) ||
		rows > 1 && c.integral && namesID(name)
}
