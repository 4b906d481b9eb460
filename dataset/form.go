package dataset

import (
	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Form describes how the text of a table was read:
//
//	Format    string // csv, tsv, lines or jsonl
//	Encoding  string // utf-8, utf-16le, utf-16be or windows-1252
//	Separator byte   // character between cells; 0xff for none, as in tables of one column
//	Quote     byte   // character around cells; 0xff for no quotes
//	Comment   byte   // first character of lines left out; 0xff for no such lines
//	SkipLines int    // lines left out above the table; 0 if all are comments or blank lines
//	Header    bool   // whether the first row of the table names the columns
//	Units     bool   // whether a row of units, types or descriptions below the header is left out
//	Columns   int    // number of columns; for lines of JSON, of fields in the first lines
//	Trailing  int    // number of columns at the end with no name and, in the samples, no value
//	Decimal   byte   // ',' if more sampled numbers need a decimal comma than a point, else '.'
type Form = form.Form

// A Doubt is an ambiguity of a table. Its String method returns a line of text.
//
//	File   string // name of the file, if several were read together
//	About  string // subject: encoding, separator, header, rows, column, label or task
//	Column string // name of the column that the doubt concerns; may be empty
//	Cell   string // a cell as an example; may be empty
//	Line   int    // line number in the file, from 1; 0 for no particular line
//	Text   string // what was found, and how it was read
//	Flag   string // the command's flags, or another command, that resolve the doubt; may be empty
type Doubt = form.Doubt

// A Table describes the columns of a table or an .npy file, so that the same columns can be found
// in another file: see [Options]. A Table can be stored as JSON, beside a model:
//
//	Columns []string // names of the features, in the order of the columns; nil if there are none
//	Label   string   // name of the label's column; may be empty
//	LabelAt int      // number of the label's column in the file, from 0; -1 if last or none
//	Unnamed bool     // whether Columns is nil although the file had a header; not stored
//
// Its method Check(features int) error returns an error unless the table fits data with the given
// number of features and its names are distinct and not too long.
type Table = form.Table
