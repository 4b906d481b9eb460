package table

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

	// A number v becomes (v - Shift) * Factor, and a gap (Mean - Shift) * Factor.
	Mean   float64 `json:"mean,omitempty"`
	Shift  float64 `json:"shift,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	// GapWords are the words that count as gaps in a column of numbers.
	GapWords []string `json:"gap_words,omitempty"`

	// Levels of a category, sorted, are those of two rows or more, and Counts says how many rows
	// have each.
	Levels []string `json:"levels,omitempty"`
	Counts []int    `json:"counts,omitempty"`
	// HashBits, if not 0, says that levels are hashed to 2^HashBits features.
	HashBits int `json:"hash_bits,omitempty"`
}

// yesNo reports whether a single feature tells two levels apart: it is 1 for the second.
func (c *Column) yesNo() bool {
	return len(c.Levels) == 2 && !c.GapFeature && c.Counts[0]+c.Counts[1] == c.Rows
}

// skipped returns how many of the levels come before the first with a feature.
func (c *Column) skipped() int {
	if c.yesNo() {
		return 1
	}
	return 0
}

// features returns how many features the column has.
func (c *Column) features() (n int) {
	switch {
	case c.Kind == Number:
		n = 1
	case c.HashBits > 0:
		n = 1 << c.HashBits
	default:
		n = len(c.Levels) - c.skipped()
	}
	if c.GapFeature {
		n++
	}
	return n
}

// A Feature is what one of the numbers of an encoded row stands for.
type Feature struct {
	// Name is such as age, city=Rome, or "age is missing".
	Name string
	// Spread is the standard deviation over the rows that the encoder was fitted on, by which the
	// weights of features compare. It is NaN where levels are hashed.
	Spread float64
}

// describe appends what the column's features stand for.
func (c *Column) describe(all []Feature) []Feature {
	indicator := func(name string, count int) {
		p := float64(count) / float64(c.Rows)
		all = append(all, Feature{name, math.Sqrt(float64(p * (1 - p)))})
	}
	switch {
	case c.Kind == Number:
		all = append(all, Feature{c.Name, 1})
	case c.HashBits > 0:
		for b := range 1 << c.HashBits {
			all = append(all, Feature{fmt.Sprintf("%s in bucket %d", c.Name, b), math.NaN()})
		}
	}
	for k := c.skipped(); k < len(c.Levels); k++ {
		indicator(c.Name+"="+c.Levels[k], c.Counts[k])
	}
	if c.GapFeature {
		indicator(c.Name+" is missing", c.Gaps)
	}
	return all
}

// scaled returns the feature that a number becomes.
func (c *Column) scaled(v float64) float32 { return float32((v - c.Shift) * c.Factor) }

// check returns what is wrong with a column that comes from a file.
func (c *Column) check() error {
	bad := fmt.Errorf("column %q is not one that an encoder has", escape.Cut(c.Name))
	if c.Rows < 1 || c.Gaps < 0 || c.Gaps > c.Rows || c.HashBits < 0 || c.HashBits > hashBits ||
		len(c.Counts) != len(c.Levels) || len(c.Levels) > maxLevels {
		return bad
	}
	left := c.Rows - c.Gaps
	for k, count := range c.Counts {
		if count < 1 || count > left || k > 0 && c.Levels[k-1] >= c.Levels[k] {
			return bad
		}
		left -= count
	}
	switch {
	case c.Kind == Number && c.Levels == nil && c.HashBits == 0 && floats.IsFinite(c.Mean) &&
		floats.IsFinite(c.Shift) && floats.IsFinite(c.Factor) && c.Factor > 0:
	case c.Kind == Category && (c.Levels == nil || c.HashBits == 0) && c.GapWords == nil:
	case c.Kind == LeftOut && c.features() == 0:
	default:
		return bad
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
