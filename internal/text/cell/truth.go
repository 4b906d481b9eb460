package cell

import (
	"slices"
	"strings"
)

var Spellings = []string{"true", "True", "TRUE", "false", "False", "FALSE"}

func Truth(s string) string {
	if slices.Contains(Spellings, s) {
		return strings.ToLower(s)
	}
	return ""
}

// Find returns the index of s in levels. If levels lacks s and s is a spelling of true, Find
// returns the index of the first level that is another spelling of true; likewise for false.
// Otherwise Find returns -1.
func Find(levels []string, s string) int {
	k := slices.Index(levels, s)
	if truth := Truth(s); k < 0 && truth != "" {
		k = slices.IndexFunc(levels, func(level string) bool { return Truth(level) == truth })
	}
	return k
}
