package dataset

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

// A Table says what the columns of a CSV or .npy file were, so that those of another file can be
// told apart in the same way: see [Options]. Its fields are all there is to it: it can be stored as
// JSON, beside a model.
type Table struct {
	// Columns are the names of the features, in the order of the set's columns, as the header of a
	// CSV file has them; nil if there was none.
	Columns []string `json:"columns,omitempty"`
	// Label is the name of the label's column, if there are names.
	Label string `json:"label,omitempty"`
	// LabelAt is the number of the label's column in the file, counted from 0, or -1 if it was the
	// last one.
	LabelAt int `json:"label_at"`
}

// maxTableBytes is the most that the names of a Table may take, with one byte more for each: those
// of 400,000 columns of nine letters.
const maxTableBytes = 1 << 22

// Check tells what is wrong with a table, of data with that many features: whether it was read from
// somewhere, or whether the names of a header can tell columns apart.
func (t *Table) Check(features int) error {
	if t.LabelAt < -1 {
		return fmt.Errorf("dataset: a table whose label is in column %d", t.LabelAt)
	}
	if t.Columns == nil {
		return nil
	}
	if len(t.Columns) != features {
		return fmt.Errorf("dataset: a table of %d names for %d features", len(t.Columns), features)
	}
	size := len(t.Label) + 1
	for _, name := range t.Columns {
		size += len(name) + 1
	}
	if size > maxTableBytes {
		return fmt.Errorf("dataset: the names of the columns take %d bytes, more than %d", size,
			maxTableBytes)
	}
	seen := map[string]bool{t.Label: true}
	for _, name := range t.Columns {
		if seen[name] {
			return fmt.Errorf("dataset: two columns are called %q", escape.Cut(name))
		}
		seen[name] = true
	}
	return nil
}

// UnmarshalJSON reads a table, whose label is in the last column unless it says another.
func (t *Table) UnmarshalJSON(text []byte) error {
	type plain Table
	p := plain{LabelAt: -1}
	err := modelfile.Unmarshal(text, &p)
	*t = Table(p)
	return err
}

// columnName returns a cell of a header as a Table has it: JSON holds no other text.
func columnName(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// newTable returns the table of a file with these names, or nil for none, and that many columns,
// whose labels are in column label, if that is not -1. It is nil if there is nothing to say.
func newTable(names []string, label, columns int) *Table {
	t := &Table{LabelAt: label}
	if label == columns-1 {
		t.LabelAt = -1
	}
	if names != nil {
		t.Columns = make([]string, 0, columns)
		for i, name := range names {
			if i == label {
				t.Label = columnName(name)
			} else {
				t.Columns = append(t.Columns, columnName(name))
			}
		}
	}
	if t.Columns == nil && t.LabelAt < 0 {
		return nil
	}
	return t
}
