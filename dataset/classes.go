package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/internal/text/cell"
)

// maxNames is the largest number of class names: float32 holds all indices exactly.
const maxNames = 1 << 24

// classes numbers the class names of a table in order of first appearance. After settle, place maps
// these numbers to indices of the sorted names.
type classes struct {
	begun  bool           // without an encoder: whether a label that is not missing was read
	words  bool           // without an encoder: whether that label is a word
	names  map[string]int // provisional numbers
	places []float32      // for each provisional number, the index among the sorted names
}

func (c *classes) class(name string) (y float32, reason string) {
	n, found := c.names[name]
	switch {
	case found:
		return float32(n), ""
	case !utf8.ValidString(name):
		return 0, "label is not UTF-8: name the file's encoding (-encoding)"
	case len(c.names) == maxNames:
		return 0, fmt.Sprintf("more than %d class names: for regression, labels have to be numbers",
			maxNames)
	case c.names == nil:
		c.names = map[string]int{}
	}
	n = len(c.names)
	c.names[strings.Clone(name)] = n
	return float32(n), ""
}

// settle computes places and returns the class names, sorted by byte, or nil if there are none.
func (c *classes) settle() []string {
	if c.names == nil {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.names)), c.isLaterSpelling)
	c.places = make([]float32, len(c.names))
	for name, n := range c.names {
		i, found := slices.BinarySearch(names, name)
		if !found {
			i = cell.Find(names, name)
		}
		c.places[n] = float32(i)
	}
	return names
}

func (c *classes) isLaterSpelling(name string) bool {
	truth := cell.Truth(name)
	return truth != "" && slices.ContainsFunc(cell.Spellings, func(other string) bool {
		n, found := c.names[other]
		return found && n < c.names[name] && cell.Truth(other) == truth
	})
}

func (c *classes) place(y float32) float32 {
	switch {
	case c.places == nil || y != y:
		return y
	case int(y) >= len(c.places): // the file was changed while it was read
		return float32(math.NaN())
	}
	return c.places[int(y)]
}
