package tables

import (
	"fmt"
	"math"
	"slices"
)

type Kind string

const (
	Number   Kind = "number"
	Category Kind = "category"
	Date     Kind = "date"
	Text     Kind = "text"
	LeftOut  Kind = "left out"
)

// A Column encodes the cells of one column of the table. docs/spec.md of Pegasimd defines the
// features.
type Column struct {
	// Name is the name in the header, or the column's number in the file if there are no names.
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	// Gaps is the number of training rows with an empty cell, with a word such as NA, or with a
	// cell that does not fit a column of numbers or dates.
	Gaps int `json:"gaps,omitempty"`
	// GapFeature adds a feature, the column's last, that marks gaps.
	GapFeature bool `json:"gap_feature,omitempty"`
	// Weak multiplies the column's features by weakFactor: the table has text, and the column seems
	// unrelated to the label.
	Weak bool `json:"weak,omitempty"`

	Number *Scale    `json:"number,omitempty"` // scale of numbers or dates
	Date   *Calendar `json:"date,omitempty"`
	Levels *Levels   `json:"levels,omitempty"` // nil if no level has a feature
	Text   *Words    `json:"text,omitempty"`
}

// Scale says how a number v becomes a feature: (v - Shift) * Factor. A cell without a number counts
// as Mean. In a raw encoder ([Encoder.Raw]) only Mean is set, and the feature is v.
type Scale struct {
	Mean   float64 `json:"mean,omitempty"`
	Shift  float64 `json:"shift,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	Format *Format `json:"format,omitempty"` // nil for the zero Format
}

type Format struct {
	Decimal string `json:"decimal,omitempty"` // "," for a decimal comma
	Unit    string `json:"unit,omitempty"`    // unit that the numbers may have
	// Groups allows thousands separators in cells that are numbers under either mark, such as
	// 1,234.
	Groups bool `json:"groups,omitempty"`
	// Magnitudes allows a letter of magnitude, such as K, after the digits.
	Magnitudes bool `json:"magnitudes,omitempty"`
	// GapWords are further words that count as gaps, sorted.
	GapWords []string `json:"gap_words,omitempty"`
}

type Calendar struct {
	// Order is "dmy", "mdy" or "ymd" if the order matters for some dates, "time" for times without
	// dates, else "".
	Order string `json:"order,omitempty"`
	// Counts has the number of training rows in each month, and then on each weekday from Monday
	// on: 0, 12 or 19 counts. Each has a feature.
	Counts []int `json:"counts,omitempty"`
}

type Levels struct {
	// Names are sorted. Levels that are not UTF-8 are absent, and rare levels may be.
	Names  []string `json:"names,omitempty"`
	Counts []int    `json:"counts,omitempty"` // number of training rows with each level
	// HashBits is the binary logarithm of the number of features to which levels are hashed; 0 if
	// they are not hashed.
	HashBits int `json:"hash_bits,omitempty"`
}

const months, weekdays = 12, 7

var dateLevels = [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December", "Monday", "Tuesday", "Wednesday", "Thursday",
	"Friday", "Saturday", "Sunday"}

// isBinary reports whether one feature encodes two levels: 1 for [Levels.rarer], -1 for the other.
func (c *Column) isBinary(rows int) bool {
	l := c.Levels
	return l != nil && len(l.Names) == 2 && l.Counts[0]+l.Counts[1]+c.Gaps == rows
}

// rarer returns 1 if the two counts are equal.
func (l *Levels) rarer() int {
	if l.Counts[0] < l.Counts[1] {
		return 0
	}
	return 1
}

func (c *Column) marksValues(rows int) bool { return 2*c.Gaps > rows }

func (l *Levels) lackRare() bool { return l == nil || !slices.Contains(l.Counts, 1) }

// meanSquare returns the mean over the training rows of the squared length of the features of a
// column that is not text. Levels without a feature count as if they had one, unless no level has a
// feature.
func (c *Column) meanSquare(rows int) float64 {
	values := float64(rows-c.Gaps) / float64(rows)
	square := 0.0
	switch {
	case c.Kind == Number || c.Kind == Date:
		filled := float64(c.Number.scaled(c.Number.Mean))
		square = values + float64(filled*filled)
		if c.Date != nil {
			square += float64(values * float64((len(c.Date.Counts)+months-1)/months))
		}
	case c.Kind == Category && c.Levels != nil:
		square = values
	}
	switch {
	case c.GapFeature && c.marksValues(rows):
		square += values
	case c.GapFeature:
		square += 1 - values
	}
	if c.Weak {
		square *= weakFactor * weakFactor
	}
	return square
}

func (c *Column) features(rows int) (n int) {
	switch {
	case c.Kind == LeftOut:
		return 0
	case c.Kind == Number:
		n = 1
	case c.Kind == Date:
		n = 1 + len(c.Date.Counts)
	case c.Kind == Text:
		n = len(c.Text.at)
	case c.Levels == nil:
	case c.Levels.HashBits > 0:
		n = 1 << c.Levels.HashBits
	case c.isBinary(rows):
		n = 1
	default:
		n = len(c.Levels.Names)
	}
	if c.GapFeature {
		n++
	}
	return n
}

type Feature struct {
	// Name is for example "age", "city=Rome", "age is missing" or "review: not good".
	Name string
	// Spread is about the standard deviation over the training rows, but 1 for the value of a
	// number or a date, even if it is not scaled. weakFactor multiplies it in a weak column.
	Spread float64
}

func (c *Column) feature(j, rows int) Feature {
	f := c.strongFeature(j, rows)
	if c.Weak {
		f.Spread *= weakFactor
	}
	return f
}

func (c *Column) strongFeature(j, rows int) Feature {
	indicator := func(what string, count int) Feature {
		p := float64(count) / float64(rows)
		return Feature{c.Name + what, math.Sqrt(float64(p * (1 - p)))}
	}
	switch l := c.Levels; {
	case c.GapFeature && j == c.features(rows)-1 && c.marksValues(rows):
		return indicator(" is present", c.Gaps)
	case c.GapFeature && j == c.features(rows)-1:
		return indicator(" is missing", c.Gaps)
	case c.Kind == Text:
		f := indicator(": "+c.Text.name(j), int(c.Text.counts[j]))
		f.Spread *= c.Text.typical(rows)
		return f
	case c.Kind == Date && j > 0:
		return indicator(" in "+dateLevels[j-1], c.Date.Counts[j-1])
	case c.Kind == Number || c.Kind == Date:
		return Feature{c.Name, 1}
	case l.HashBits > 0:
		return indicator(fmt.Sprintf(" in bucket %d", j), (rows-c.Gaps)>>l.HashBits)
	case c.isBinary(rows):
		n := float64(rows)
		mean := float64(l.Counts[1]-l.Counts[0]) / n
		square := float64(l.Counts[1]+l.Counts[0]) / n
		return Feature{c.Name + "=" + l.Names[l.rarer()], math.Sqrt(square - float64(mean*mean))}
	default:
		return indicator("="+l.Names[j], l.Counts[j])
	}
}

func (s *Scale) scaled(v float64) float32 { return float32((v - s.Shift) * s.Factor) }
