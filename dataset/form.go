package dataset

import (
	"fmt"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/text/form"
)

// A Form is how the text of a table was read: its encoding, the characters between and around
// cells, the lines above the table, whether there is a header, and the decimal mark.
type Form = form.Form

// A Doubt is something in a table that may have been meant otherwise than it was read, and the
// command's flag that settles it.
type Doubt = form.Doubt

// A Table describes the columns of a CSV or .npy file, so that the same columns can be found in
// another file: see [Options]. It can be stored as JSON, beside a model:
//
//	Columns []string // the names of the features, in the order of the set's; nil without a header
//	Label   string   // the name of the label's column, if there are names
//	LabelAt int      // the number of the label's column in the file, from 0; -1 if it was the last
//
// Its method Check(features int) error returns an error unless it can be the table of data with
// that many features, and its names tell the columns apart.
type Table = form.Table

// given returns the parts of a table's form that the options settle.
func (o Options) given(format Format) form.Given {
	g := form.Given{
		Format: string(format), Encoding: o.Encoding, SkipLines: o.SkipLines, Keep: o.KeepRows,
		Separator: byteOf(o.Separator), Quote: byteOf(o.Quote), Comment: byteOf(o.Comment),
		MaxColumns: max(o.maxCSVFeatures(), o.Features) + moreColumns,
	}
	if o.Header != HeaderAuto {
		yes := o.Header == HeaderYes
		g.Header = &yes
	}
	t := o.Table
	if _, err := strconv.Atoi(o.LabelColumn); err != nil && o.labelGiven && o.LabelColumn != "last" {
		g.Label = o.LabelColumn // a header has that name
	}
	if t == nil {
		return g
	}
	g.Columns, g.Label = o.Features, t.Label
	for i, name := range t.Columns {
		if !o.leavesOut(i) {
			g.Names = append(g.Names, name)
		}
	}
	if g.Names == nil { // all columns are left out
		g.Names = t.Columns
	}
	if t.Unnamed {
		g.Columns = 0 // there may be a header, but its names say nothing
	}
	return g
}

// moreColumns is how many columns a table may have beyond the features that are allowed: the
// label's, and those that a model leaves out.
const moreColumns = 1024

// byteOf returns the one byte of a character, 0 for the empty string, and form.None for "none".
func byteOf(character string) byte {
	switch character {
	case "":
		return 0
	case "none":
		return form.None
	}
	return character[0]
}

// checkForm checks the options that are characters.
func (o Options) checkForm() error {
	for option, character := range map[string]string{"separator": o.Separator, "quote": o.Quote,
		"comment": o.Comment} {
		if len(character) > 1 && !(character == "none" && option != "separator") ||
			len(character) == 1 && (character[0] < ' ' && character[0] != '\t' || character[0] > '~') {
			return fmt.Errorf("dataset: %s %q: want a character of one byte", option, character)
		}
	}
	return nil
}
