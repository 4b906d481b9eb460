package table

import (
	"fmt"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// A Coder encodes rows. It is a [dataset.Encoder]. Several goroutines may use it at a time.
type Coder struct {
	// RefuseGaps has gaps refused.
	RefuseGaps bool

	columns  []coding
	features []string
	mu       sync.Mutex // of what was odd
}

// A coding is how the cells of a column become features.
type coding struct {
	*Column
	first  int32            // feature
	gap    int32            // the feature of gaps, or none
	filled float32          // what a gap in a column of numbers becomes
	levels map[string]int32 // their features, or none; of numbers GapWords
	odd    int              // levels that training lacked, or gaps if it had none of these
	such   string           // the first of the levels
}

// none is the feature of a level that has none.
const none = -1

// Coder returns one of the encoder.
func (e *Encoder) Coder() *Coder {
	c := &Coder{columns: make([]coding, len(e.Columns))}
	for _, f := range e.Features() {
		c.features = append(c.features, f.Name)
	}
	next := int32(0)
	for i := range c.columns {
		column := &e.Columns[i]
		in := coding{Column: column, first: next, gap: none, levels: map[string]int32{}}
		skipped := column.skipped()
		for k, level := range column.Levels {
			if in.levels[level] = none; k >= skipped {
				in.levels[level] = next + int32(k-skipped)
			}
		}
		for _, word := range column.GapWords {
			in.levels[word] = none
		}
		if column.Kind == Number {
			in.filled = column.scaled(column.Mean)
		}
		if next += int32(column.features()); column.GapFeature {
			in.gap = next - 1
		}
		c.columns[i] = in
	}
	return c
}

// Uses reports whether cell i is of a column that is not left out.
func (c *Coder) Uses(i int) bool { return c.columns[i].Kind != LeftOut }

// Features are the names of the features.
func (c *Coder) Features() []string { return c.features }

// Encode appends the columns and the values of a row's nonzeros. If it refuses a cell it says which
// and why. It makes no garbage.
func (c *Coder) Encode(cells []string, columns []int32, values []float32) (
	[]int32, []float32, int, string,
) {
	for i := range c.columns {
		in, cell := &c.columns[i], cells[i]
		gap := false
		switch in.Kind {
		case Number:
			v, ok := parse(cell)
			if ok {
				v = float64(in.scaled(v))
			} else if gap = in.isGap(cell); gap {
				v = float64(in.filled)
			} else {
				return columns, values, i, notNumber
			}
			if math.Abs(v) > math.MaxFloat32 {
				return columns, values, i, "the number is too large beside those of the training"
			}
			if v != 0 {
				columns, values = append(columns, in.first), append(values, float32(v))
			}
		case Category:
			if gap = dataset.IsMissing(cell); gap {
				break
			}
			j, known := in.level(cell)
			if !known && !utf8.ValidString(cell) {
				return columns, values, i,
					"the word is not UTF-8: convert the file, with iconv for instance"
			}
			if !known {
				c.note(in, cell)
			}
			if j != none {
				columns, values = append(columns, j), append(values, 1)
			}
		}
		switch {
		case gap && c.RefuseGaps:
			return columns, values, i, "missing value: fill it in or leave the row out"
		case gap && in.Gaps == 0:
			c.note(in, "")
		case gap && in.gap != none:
			columns, values = append(columns, in.gap), append(values, 1)
		}
	}
	return columns, values, 0, ""
}

const notNumber = "the column is of numbers: correct the cell or leave it empty; -categories takes " +
	"what a column has for words"

// isGap reports whether a cell of numbers that is none is a gap.
func (in *coding) isGap(cell string) bool {
	_, word := in.levels[cell]
	return word || dataset.IsMissing(cell)
}

// level returns the feature of a level, or none, and whether the training had it often enough.
func (in *coding) level(cell string) (j int32, known bool) {
	if in.HashBits > 0 {
		return in.first + bucket(cell, in.HashBits), true
	}
	if in.Levels == nil {
		return none, true // only gaps count
	}
	if j, known = in.levels[cell]; !known {
		j = none
	}
	return j, known
}

// bucket returns the top bits of the 64-bit FNV-1a hash of a level.
func bucket(level string, bits int) int32 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(level) {
		h = (h ^ uint64(level[i])) * 0x100000001b3
	}
	return int32(h >> (64 - bits))
}

// note counts a cell that the training lacked: a level, or a gap.
func (c *Coder) note(in *coding, level string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if in.odd++; in.such == "" {
		in.such = escape.Cut(level)
	}
}

// Odd says, a line for each column, how many of the cells so far were levels without a feature, or
// gaps where the training had none.
func (c *Coder) Odd() (lines []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.columns {
		in := &c.columns[i]
		if in.odd == 0 {
			continue
		}
		what, as := "without a value, as no row of the training was", "none of the words"
		if in.such != "" {
			what = fmt.Sprintf("with words that the training had in fewer than %d rows, such as %q",
				leastRows, in.such)
		}
		switch {
		case in.Kind == Number:
			as = "the mean"
		case in.yesNo():
			as = fmt.Sprintf("%q", in.Levels[0])
		}
		cells := "1 cell"
		if in.odd > 1 {
			cells = fmt.Sprintf("%d cells", in.odd)
		}
		lines = append(lines, fmt.Sprintf("%s: %s %s: taken for %s", escape.Name(in.Name), cells,
			what, as))
	}
	return lines
}
