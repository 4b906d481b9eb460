// Package plural writes counts in messages.
package plural

import (
	"fmt"
	"strings"
)

// Count returns n and the noun, in the plural unless n is 1: "1 row", "0 rows", "2 passes".
func Count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
