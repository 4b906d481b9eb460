package dataset

import (
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
// Its method Check(features int) error returns an error unless the table fits data with the given
// number of features and its names are distinct.
type Table = form.Table
