package tables

import (
	"fmt"
	"math"
	"strings"
)

// This file finds sentinels: values such as -999 or 9999-12-31 that may stand for gaps. They are
// read as numbers or dates with a doubt, because a few can determine the mean and standard
// deviation.

const (
	fewestSentinels = 3
	sentinelRows    = 100 // a sentinel is in at least 1/sentinelRows of the rows
	// A sentinel is farther from the values that are no suspects than sentinelDistance times their
	// range.
	sentinelDistance = 3
	maxSuspects      = 8
)

type suspect struct {
	value float64
	count int
	cell  string
}

// extremes are the suspects of a column, and the least and the greatest value that is no suspect.
type extremes struct {
	least, most float64
	suspects    []suspect
}

var noExtremes = extremes{least: math.Inf(1), most: math.Inf(-1)}

// Suspects between other values are no sentinels.
func (x *extremes) add(text string, v float64) {
	if v < x.least || v > x.most {
		x.addOutside(text, v)
	}
}

func (x *extremes) addOutside(text string, v float64) { x.extend(text, v, v, allNines(text)) }

func (x *extremes) addDate(text string, days float64) {
	const year9999, new1900 = 2932532, -25567 // days of the first of January
	if days < x.least || days > x.most {
		day := math.Floor(days)
		x.extend(text, days, day, day >= year9999 || day == new1900 || day == 0)
	}
}

func (x *extremes) extend(text string, v, rounded float64, suspect bool) {
	if !suspect || !x.suspect(text, rounded) {
		x.least, x.most = min(x.least, v), max(x.most, v)
	}
}

// suspect returns false if there are maxSuspects other suspects.
func (x *extremes) suspect(text string, v float64) bool {
	for i := range x.suspects {
		if s := &x.suspects[i]; s.value == v {
			s.count++
			return true
		}
	}
	if len(x.suspects) == maxSuspects {
		return false
	}
	x.suspects = append(x.suspects, suspect{v, 1, strings.Clone(text)})
	return true
}

// allNines reports whether text is a number without a unit whose whole part is nines, at least two
// unless it is negative, and whose fraction, if any, is nines alone or zeros alone.
func allNines(text string) bool {
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction := digits, ""
	if i := strings.IndexAny(digits, ".,"); i >= 0 {
		whole, fraction = digits[:i], digits[i+1:]
	}
	return (len(whole) > 1 || negative && whole != "") && strings.Trim(whole, "9") == "" &&
		(strings.Trim(fraction, "9") == "" || strings.Trim(fraction, "0") == "")
}

// sentinels returns a doubt for each sentinel. flag is the command's flag that accepts all values
// of the column, "" for labels.
func (x *extremes) sentinels(rows int, flag string) (doubts []verdict) {
	advice := "leave these rows out if they have no label"
	if flag != "" {
		advice = "make these cells empty if they are gaps, or " + flag + " if they are values"
	}
	for _, s := range x.suspects {
		away := max(x.least-s.value, s.value-x.most)
		if s.count < fewestSentinels || sentinelRows*s.count < rows || x.least > x.most ||
			away <= sentinelDistance*(x.most-x.least) {
			continue
		}
		doubts = append(doubts, verdict{cell: s.cell, flag: advice,
			doubt: fmt.Sprintf("%d of %d cells have one value far from most others, read as it stands",
				s.count, rows)})
	}
	return doubts
}
