package tables

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/scaling"
)

// A Kind says what becomes of the cells of a column.
type Kind string

const (
	Number   Kind = "number"
	Category Kind = "category"
	Date     Kind = "date"
	Text     Kind = "text"
	LeftOut  Kind = "left out"
)

// A Column is what an [Encoder] knows of a column of the table.
type Column struct {
	// Name is the one in the header, or the column's number in the file if there is none.
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
	Reason string `json:"reason"`         // why it is of this kind
	Rows   int    `json:"rows"`           // that the encoder was fitted on
	Gaps   int    `json:"gaps,omitempty"` // in these rows, with those of GapWords

	// GapFeature says that a feature, the column's last, is 1 where there is a gap.
	GapFeature bool `json:"gap_feature,omitempty"`

	// A number v becomes (v - Shift) * Factor, and a gap (Mean - Shift) * Factor. Of a date v is
	// the days since 1970.
	Mean   float64 `json:"mean,omitempty"`
	Shift  float64 `json:"shift,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	// GapWords are the words that count as gaps in a column of numbers.
	GapWords []string `json:"gap_words,omitempty"`

	// Levels of a category, sorted, are those of two rows or more, and Counts says how many rows
	// have each. Of dates there are the counts of the months and weekdays, without levels: of the
	// months alone if all dates are on the same day of the month, none if on that of one month.
	Levels []string `json:"levels,omitempty"`
	Counts []int    `json:"counts,omitempty"`
	// HashBits, if not 0, says that levels are hashed to 2^HashBits features.
	HashBits int `json:"hash_bits,omitempty"`

	Text *Words `json:"text,omitempty"` // of the kind Text
}

// isBinary reports whether one feature tells the column's two levels apart: it is 1 for the level
// [Column.rarer], -1 for the other, and 0 for a gap and for a word that is neither.
func (c *Column) isBinary() bool {
	return len(c.Levels) == 2 && c.Counts[0]+c.Counts[1]+c.Gaps == c.Rows
}

// rarer returns the index of the level with fewer rows of a column of two, or 1 if the counts are
// equal. So the features do not depend on the names of the levels unless the counts are equal.
func (c *Column) rarer() int {
	if c.Counts[0] < c.Counts[1] {
		return 0
	}
	return 1
}

// Features returns how many features the column has.
func (c *Column) Features() (n int) {
	switch {
	case c.Kind == Number:
		n = 1
	case c.Kind == Date:
		n = 1 + len(c.Counts)
	case c.Kind == Text:
		n = len(c.Text.at)
	case c.HashBits > 0:
		n = 1 << c.HashBits
	case c.isBinary():
		n = 1
	default:
		n = len(c.Levels)
	}
	if c.GapFeature {
		n++
	}
	return n
}

// A Feature is what one of the numbers of an encoded row stands for.
type Feature struct {
	// Name is such as age, city=Rome, "age is missing", "born in May", or "review: not good".
	Name string
	// Spread is the standard deviation over the rows that the encoder was fitted on, by which the
	// weights of features compare. Of hashed words it is an estimate.
	Spread float64
}

// feature says what feature j of the column stands for.
func (c *Column) feature(j int) Feature {
	indicator := func(what string, count int) Feature {
		p := float64(count) / float64(c.Rows)
		return Feature{c.Name + what, math.Sqrt(float64(p * (1 - p)))}
	}
	switch {
	case c.GapFeature && j == c.Features()-1:
		return indicator(" is missing", c.Gaps)
	case c.Kind == Text:
		f := indicator(": "+c.Text.name(j), int(c.Text.counts[j]))
		f.Spread *= c.Text.typical(c.Rows)
		return f
	case c.HashBits > 0:
		return indicator(fmt.Sprintf(" in bucket %d", j), (c.Rows-c.Gaps)>>c.HashBits)
	case c.Kind == Date && j > 0:
		return indicator(" in "+dateLevels[j-1], c.Counts[j-1])
	case c.isBinary():
		n := float64(c.Rows)
		mean := float64(c.Counts[1]-c.Counts[0]) / n
		square := float64(c.Counts[1]+c.Counts[0]) / n
		return Feature{c.Name + "=" + c.Levels[c.rarer()], math.Sqrt(square - float64(mean*mean))}
	case c.Kind == Category:
		return indicator("="+c.Levels[j], c.Counts[j])
	}
	return Feature{c.Name, 1} // a number
}

// scaled returns the feature that a number becomes.
func (c *Column) scaled(v float64) float32 { return float32((v - c.Shift) * c.Factor) }

// check returns what is wrong with a column that comes from a file.
func (c *Column) check() error {
	bad := fmt.Errorf("column %q is not one that an encoder has", escape.Cut(c.Name))
	if c.Rows < 1 || c.Gaps < 0 || c.Gaps > c.Rows || c.HashBits < 0 || c.HashBits > hashBits ||
		len(c.Levels) > maxLevels || (c.Text != nil) != (c.Kind == Text) {
		return bad
	}
	counts, scaled := len(c.Levels), false
	switch c.Kind {
	case Number:
		scaled = true
	case Date:
		counts, scaled = len(c.Counts), true
		if counts != 0 && counts != months && counts != months+weekdays {
			return bad
		}
	case Text:
		if err := c.Text.unpack(c.Rows); err != nil {
			return fmt.Errorf("column %q: %w", c.Name, err)
		}
	case Category, LeftOut:
	default:
		return bad
	}
	if len(c.Counts) != counts || c.Levels != nil && (c.Kind != Category || c.HashBits > 0) ||
		c.HashBits > 0 && c.Kind != Category || c.GapWords != nil && c.Kind != Number ||
		c.GapFeature && c.Kind == LeftOut ||
		scaled && !(floats.IsFinite(c.Mean) && floats.IsFinite(c.Shift) && floats.IsFinite(c.Factor) &&
			c.Factor > 0) {
		return bad
	}
	left := c.Rows - c.Gaps
	for k, count := range c.Counts {
		if c.Kind == Date {
			left = c.Rows // a row counts for its month and its weekday
		} else if count < 1 || k > 0 && c.Levels[k-1] >= c.Levels[k] {
			return bad
		}
		if count < 0 || count > left {
			return bad
		}
		left -= count
	}
	return nil
}

// fitNumber fills in the scale.
func (c *Column) fitNumber(s *stats) {
	c.Kind = Number
	n := float64(max(s.numbers, 1))
	mean := s.sum / n
	c.Mean = s.first + mean
	if c.Shift = c.Mean; 4*s.zeros >= 3*s.numbers {
		c.Shift = 0
	}
	c.Factor = float64(scaling.Inverse(math.Sqrt(max(s.squares/n-float64(mean*mean), 0))))
	c.GapFeature = 100*c.Gaps > c.Rows
}

// fitLevels fills in the levels, but for those that are not UTF-8: no file could keep them.
func (c *Column) fitLevels(s *stats) {
	c.Kind, c.GapFeature = Category, c.Gaps > 0
	for level, count := range s.levels {
		if *count >= leastRows && utf8.ValidString(level) {
			c.Levels = append(c.Levels, level)
		}
	}
	if s.full || len(c.Levels) > maxLevels {
		c.Levels, c.HashBits = nil, hashBits
		return
	}
	slices.Sort(c.Levels)
	for _, level := range c.Levels {
		c.Counts = append(c.Counts, *s.levels[level])
	}
}

// fitDate fills in the scale of the days, and how many rows there are of each month and weekday.
func (c *Column) fitDate(s *stats) {
	if s.days == nil {
		s.days = newStats()
	}
	c.fitNumber(s.days)
	c.Kind, c.Counts = Date, slices.Clone(s.calendar[:])
	if s.monthDay != 0 { // a weekday would say no more than the month and the year
		c.Counts = c.Counts[:months]
		if slices.Max(c.Counts) == s.dates {
			c.Counts = nil
		}
	}
}

// fitText fills in the buckets of text, if they have been counted.
func (c *Column) fitText(s *stats) {
	if c.Kind == Text && s.text != nil {
		c.Text = s.text.words()
		c.GapFeature = 100*c.Gaps > c.Rows
	}
}
