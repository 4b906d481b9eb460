package dataset

import (
	"fmt"
	"io"
)

// moreColumns is how many columns a line of CSV text may have beyond the features that are allowed:
// the label's, and those that a table's header leaves out.
const moreColumns = 1024

// A columnGuard is a reader of CSV text that ends with an error in a row of too many columns, or of
// too many bytes. The csv package reads a row whole, in some hundred bytes a column, before it says
// how many it has.
type columnGuard struct {
	r      io.Reader
	comma  byte
	most   int // features
	line   int
	found  int // commas in the row
	size   int // bytes of the row that were read
	quoted bool
	err    error
}

func (g *columnGuard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	start := 0 // of the row
	for i, c := range p[:n] {
		switch {
		case c == '"':
			g.quoted = !g.quoted // a quote within quotes is doubled
		case c == '\n':
			g.line++
			if !g.quoted {
				g.found, g.size, start = 0, 0, i+1
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
	if g.size += n - start; g.size > maxLine {
		g.err = &SyntaxError{Line: g.line, Reason: fmt.Sprintf("the row is longer than %d bytes, "+
			"or a quote is not closed", maxLine)}
		return n, g.err
	}
	return n, err
}
