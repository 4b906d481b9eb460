package cell

import (
	"slices"
	"strings"
)

// Spellings lists the spellings of true and false. All spellings of true are the same level of a
// column, or the same class; so are all spellings of false. Other words that differ in case only
// are different levels or classes.
var Spellings = []string{"true", "True", "TRUE", "false", "False", "FALSE"}

// Truth returns "true" or "false" for a cell that is one of [Spellings], and "" for any other cell.
func Truth(s string) string {
	if slices.Contains(Spellings, s) {
		return strings.ToLower(s)
	}
	return ""
}

// Find returns the index of the level equal to the cell s. If no level is equal and s is a spelling
// of true, Find returns the index of the first level that is another spelling of true; likewise for
// false. Otherwise it returns -1.
func Find(levels []string, s string) int {
	k := slices.Index(levels, s)
	if truth := Truth(s); k < 0 && truth != "" {
		k = slices.IndexFunc(levels, func(level string) bool { return Truth(level) == truth })
	}
	return k
}
