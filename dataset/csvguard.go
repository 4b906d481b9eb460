package dataset

import (
	"fmt"
	"io"
)

// moreColumns is how many columns a line of CSV text may have beyond the features that are allowed:
// the label's, and those that a table's header leaves out.
const moreColumns = 1024

// A columnGuard is a reader of CSV text that ends with an error in a line of too many columns. The
// csv package reads a line whole, in some hundred bytes a column, before it says how many it has.
type columnGuard struct {
	r      io.Reader
	comma  byte
	most   int // features
	line   int
	found  int // commas in the line
	quoted bool
	err    error
}

func (g *columnGuard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == '"':
			g.quoted = !g.quoted // a quote within quotes is doubled
		case c == '\n':
			g.line++
			if !g.quoted {
				g.found = 0
			}
		case c == g.comma && !g.quoted:
			if g.found++; g.found >= g.most+moreColumns {
				g.err = &SyntaxError{Line: g.line, Reason: fmt.Sprintf(
					"more than %d columns, beyond the limit of %d features (-max-features)",
					g.found, g.most)}
				return i, g.err
			}
		}
	}
	return n, err
}
