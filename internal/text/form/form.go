// Package form reads the text of a table as rows of cells. It detects the encoding, the separator,
// the quotes, the comment lines, the lines above the table and the header unless the caller gives
// them. It also reads lines of a label, a tab and a text, and lines of JSON objects.
//
// [Open] determines the [Form] of a file from samples of it; [Reader.Read] returns the rows.
package form

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// None, as a separator, quote or comment character, stands for no such character. In [Given], 0
// instead asks for detection.
const None = 0xff

// The values of Format in [Given] and [Form].
const (
	CSV   = "csv"   // any separator; in a Form, not tabs
	TSV   = "tsv"   // any separator, tabs preferred; in a Form, tabs
	Lines = "lines" // a label, a tab and a text, or texts alone
	JSONL = "jsonl" // a flat object of JSON in each line
)

// Given is what the caller of [Open] knows about a file. The fields from Format to Header are as in
// [Form]; Open detects those that are zero.
type Given struct {
	Format    string
	Encoding  string // a name that encodingNamed knows
	Separator byte
	Quote     byte
	Comment   byte
	SkipLines int // -1 for none
	Header    *bool

	// Names are the columns that a model needs; nil without a model, or if its training data had no
	// header.
	Names []string
	// NamesOf is the name of the file whose header Names are; "" for a model.
	NamesOf string
	// Label is the name of the label column. A file for a model may lack this column.
	Label string
	// Columns is the number of the model's columns, not counting the label. It is 0 if there is no
	// model, or if the training data had a header without names for all columns.
	Columns int

	// Keep makes Read return a row for each row below the heading, except repeated headers.
	// Options.KeepRows of package dataset says how.
	Keep bool
	// MaxColumns is the largest number of columns that a row may have; 0 means 2^18.
	MaxColumns int
}

// Form describes the format of a file, as a [Reader] reads it. dataset.Form documents the fields.
type Form struct {
	Format    string
	Encoding  string
	Separator byte
	Quote     byte
	Comment   byte
	SkipLines int
	Header    bool
	Units     bool
	Columns   int
	Trailing  int
	Decimal   byte
}

// Doubt is an ambiguity of a file. dataset.Doubt documents the fields.
type Doubt struct {
	File   string
	About  string
	Column string
	Cell   string
	Line   int
	Text   string
	Flag   string
}

func (d Doubt) String() string {
	s := ""
	if d.File != "" {
		s = d.File + ": "
	}
	if d.Line > 0 {
		s += fmt.Sprintf("line %d: ", d.Line)
	}
	if d.Column != "" {
		s += fmt.Sprintf("column %q: ", escape.Cut(d.Column))
	}
	s += d.Text
	if d.Cell != "" {
		s += fmt.Sprintf(", such as %q", escape.Cut(d.Cell))
	}
	if d.Flag != "" {
		s += " (" + d.Flag + ")"
	}
	return s
}

type SyntaxError struct {
	Line   int    // from 1; 0 for none
	Column int    // position in the line in bytes, from 1; 0 for the whole line
	Token  string // the wrong text; may be empty
	Reason string
}

func (e *SyntaxError) Error() string {
	s := ""
	if e.Line > 0 {
		s = fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Column > 0 {
		s = fmt.Sprintf("line %d, column %d: ", e.Line, e.Column)
	}
	if e.Token != "" {
		s += fmt.Sprintf("%q: ", escape.Cut(e.Token))
	}
	return s + e.Reason
}
