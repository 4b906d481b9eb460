package cell

import (
	"slices"
	"strings"
)

// Spellings lists the spellings of true and false.
var Spellings = []string{"true", "True", "TRUE", "false", "False", "FALSE"}

// Truth returns "true" or "false" for one of [Spellings], and "" for any other cell.
func Truth(s string) string {
	if slices.Contains(Spellings, s) {
		return strings.ToLower(s)
	}
	return ""
}

// Find returns the index of the level equal to s or else, if s is a spelling of true or of false,
// of the first level that is another spelling of the same; -1 if there is neither.
func Find(levels []string, s string) int {
	k := slices.Index(levels, s)
	if truth := Truth(s); k < 0 && truth != "" {
		k = slices.IndexFunc(levels, func(level string) bool { return Truth(level) == truth })
	}
	return k
}
