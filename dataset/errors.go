package dataset

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// A SyntaxError is a fault in the text of a file.
type SyntaxError struct {
	File   string
	Line   int    // line number, from 1
	Column int    // byte position of the token in the decoded line, from 1; 0 for the whole line
	Name   string // name of the table's column, cut if it is long; may be empty
	Token  string // the text at fault, cut if it is long; may be empty
	Reason string
	Cell   bool // whether the fault is in a table's cell for a feature, which an Encoder may accept

	more int // further rows with cells that the encoder refused
}

// Error returns a line such as
//
//	a.svm:3:8: token "1e3:1": index is not written in digits only
//	a.csv:3:8: column "age": token "old": want a number (and cells in 12 more rows)
func (e *SyntaxError) Error() string {
	s := fmt.Sprintf("%s:%d", e.File, e.Line)
	if e.Column > 0 {
		s += fmt.Sprintf(":%d", e.Column)
	}
	if e.Name != "" {
		s += fmt.Sprintf(": column %q", e.Name)
	}
	if e.Token != "" {
		s += fmt.Sprintf(": token %q", e.Token)
	}
	s += ": " + e.Reason
	if e.more > 0 {
		s += fmt.Sprintf(" (and cells in %s)", plural.Count(e.more, "more row"))
	}
	return s
}

// fail adds the file's name to an error, unless the error wraps an fs.PathError with this name.
func fail(name string, err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) && p.Path == name {
		return err
	}
	return fmt.Errorf("%s: %w", name, escape.Error(err))
}

func errNotFinite(row int) error {
	return fmt.Errorf("dataset: row %d has a number that is not finite", row)
}
