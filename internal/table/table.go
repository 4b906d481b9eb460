// Package table formats tables for terminals.
package table

import (
	"fmt"
	"strings"
)

// Confusion returns a confusion matrix as text: a row for each true class, a column for each
// predicted one.
func Confusion(names []string, counts [][]int) string {
	width := len("true")
	for i, name := range names {
		width = max(width, len(name))
		for _, n := range counts[i] {
			width = max(width, len(fmt.Sprint(n)))
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%*s | predicted\n%*s |", width, "", width, "true")
	for _, name := range names {
		fmt.Fprintf(&b, " %*s", width, name)
	}
	fmt.Fprintf(&b, "\n%s-+%s\n", strings.Repeat("-", width),
		strings.Repeat("-", (width+1)*len(names)))
	for i, name := range names {
		fmt.Fprintf(&b, "%*s |", width, name)
		for _, n := range counts[i] {
			fmt.Fprintf(&b, " %*d", width, n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
