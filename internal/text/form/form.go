// Package form reads the text of a table as rows of cells. It detects the encoding, the separator,
// the quotes, the comment lines, the lines above the table and the header unless the caller gives
// them, and also reads lines of a label, a tab and a text, and lines of JSON objects.
//
// [Open] determines the [Form] of a file from samples of it; [Reader.Read] returns the rows.
package form

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// None, as a separator, quote or comment character, says that there is no such character. In
// [Given], a zero byte instead says to detect it.
const None = 0xff

// The values of Format in [Given] and [Form].
const (
	CSV   = "csv"   // any separator; in a Form, no tab
	TSV   = "tsv"   // any separator, tabs preferred; in a Form, tabs
	Lines = "lines" // a label, a tab and a text, or texts alone
	JSONL = "jsonl" // a flat object of JSON in each line
)

// Given is what the caller of [Open] knows about a file. Of the fields from Format to Header, Open
// detects those that are zero.
type Given struct {
	Format    string // CSV, TSV, Lines or JSONL
	Encoding  string // one that encodingNamed knows; empty to detect it
	Separator byte   // character between cells; None for tables of one column
	Quote     byte   // character around cells; None for no quotes
	Comment   byte   // first character of lines to leave out; None for none
	SkipLines int    // number of lines to leave out above the table; -1 for none
	Header    *bool  // whether the first row of the table names the columns

	// Names are the columns that a model needs; nil without a model, or if its training data had no
	// header.
	Names []string
	// Label is the name of the label column. A file for a model may lack this column.
	Label string
	// Columns is the number of the model's columns, not counting the label. It is 0 if there is no
	// model, or if the training data had a header without names for all columns.
	Columns int

	// Keep makes Read return a row for each row below the heading, except repeated headers, so that
	// each prediction can be matched with its row: short rows are filled with empty cells, long
	// rows are cut, and blank lines are rows in tables of one column and in the format Lines.
	Keep bool
	// MaxColumns is the largest number of columns that a row may have; 0 means 2^18.
	MaxColumns int
}

// Form describes the format of a file, as a [Reader] reads it.
type Form struct {
	Format    string // CSV, TSV, Lines or JSONL
	Encoding  string // utf-8, utf-16le, utf-16be or windows-1252
	Separator byte   // character between cells; None for none
	Quote     byte   // character around cells; None for none
	Comment   byte   // first character of lines left out; None for none
	SkipLines int    // lines left out above the table; 0 if all are comments or blank lines
	Header    bool   // whether the file names the columns
	Units     bool   // whether a row of units, types or descriptions below the header is left out
	Columns   int    // number of columns; for JSONL, of fields in the head: more may follow
	Trailing  int    // number of columns at the end that are empty in the samples
	Decimal   byte   // decimal mark, '.' or ','
}

// Doubt is an ambiguity of a file: what was found, and how it was read.
type Doubt struct {
	File   string // name of the file, if several were read together; may be empty
	About  string // such as encoding, separator, header, rows, column, label
	Column string // name of the column concerned; may be empty
	Cell   string // a cell as an example; may be empty
	Line   int    // line number in the file, from 1; 0 if no particular line is concerned
	Text   string // what was found, and how it was read
	Flag   string // advice such as the command's flags that resolve the doubt; may be empty
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
