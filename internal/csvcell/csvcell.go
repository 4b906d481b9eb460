// Package csvcell has what is common to the readers of tables and to their encoders.
package csvcell

import (
	"slices"
	"strings"
)

// An Encoder makes the features of a row of a CSV file's cells, words and gaps among them. Package
// table has one.
type Encoder interface {
	// Uses reports whether cell i makes a difference: a column that does not may be missing.
	Uses(i int) bool
	// Cols is how many features there are.
	Cols() int
	// Features are their names; nil where they have none, or are too many.
	Features() []string
	// Encode appends the columns of a row's nonzeros, ascending, and their values. If it refuses a
	// cell it says which and why, and what it appends does not count. The cells have no blanks
	// around them, and are valid until it returns.
	Encode(cells []string, columns []int32, values []float32) (
		[]int32, []float32, int, string)
}

// IsMissing reports whether a cell without blanks around it is empty or holds what is commonly put
// in its place: ?, NA, N/A, NaN or null, in letters of either case.
func IsMissing(cell string) bool {
	switch len(cell) {
	case 0:
		return true
	case 1:
		return cell[0] == '?'
	case 2:
		return strings.EqualFold(cell, "na")
	case 3:
		return strings.EqualFold(cell, "n/a") || strings.EqualFold(cell, "nan")
	case 4:
		return strings.EqualFold(cell, "null")
	}
	return false
}

// Spellings are the words that are read as true or false: those of one truth are one level, or one
// class. Other words keep their case.
var Spellings = []string{"true", "True", "TRUE", "false", "False", "FALSE"}

// Truth returns "true" or "false" for a cell that is one of [Spellings], and "" for any other cell.
func Truth(cell string) string {
	if slices.Contains(Spellings, cell) {
		return strings.ToLower(cell)
	}
	return ""
}

// Find returns the index of a cell's level, or -1 if the cell is none of the levels. A spelling of
// true or false finds the level of another spelling.
func Find(levels []string, cell string) int {
	k := slices.Index(levels, cell)
	if truth := Truth(cell); k < 0 && truth != "" {
		k = slices.IndexFunc(levels, func(level string) bool { return Truth(level) == truth })
	}
	return k
}
