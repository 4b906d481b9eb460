package dataset

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/internal/modelfile"
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

// columnName is a cell of a header as a Table has it: JSON holds no other text.
func columnName(cell string) string { return strings.ToValidUTF8(cell, "\ufffd") }

// A csvHeader is the first row of a CSV file that names the columns.
type csvHeader struct {
	at    map[string]int
	twice map[string]bool
}

func newCSVHeader(cells []string) *csvHeader {
	h := &csvHeader{map[string]int{}, map[string]bool{}}
	for i, c := range cells {
		name := columnName(c)
		if _, found := h.at[name]; found {
			h.twice[name] = true
		}
		h.at[name] = i
	}
	return h
}

// newTable returns the table of a file whose first row is this, a header or not, and whose labels
// are in a column of that number, if it is not -1. It is nil if there is nothing to say.
func newTable(cells []string, label int, header bool) *Table {
	t := &Table{LabelAt: label}
	if label == len(cells)-1 {
		t.LabelAt = -1
	}
	if header {
		t.Columns = make([]string, 0, len(cells))
		for i, c := range cells {
			if i == label {
				t.Label = columnName(c)
			} else {
				t.Columns = append(t.Columns, columnName(c))
			}
		}
	}
	if t.Columns == nil && t.LabelAt < 0 {
		return nil
	}
	return t
}

// hasAll tells whether the cells have all of the names.
func hasAll(cells, names []string) bool {
	if len(cells) < len(names) {
		return false
	}
	h := newCSVHeader(cells)
	for _, name := range names {
		if !h.has(name) {
			return false
		}
	}
	return true
}

func (h *csvHeader) has(name string) bool {
	_, found := h.at[name]
	return found
}

// find returns the number of the column of that name.
func (h *csvHeader) find(name string) (int, error) {
	i, found := h.at[name]
	switch {
	case !found:
		return 0, fmt.Errorf("no column is called %q in the header", escape.Cut(name))
	case h.twice[name]:
		return 0, fmt.Errorf("two columns are called %q", escape.Cut(name))
	}
	return i, nil
}

// others returns the names of the columns that are none of those taken, in the file's order.
func others(cells []string, taken []bool) (names []string) {
	for i, c := range cells {
		if !taken[i] {
			names = append(names, columnName(c))
		}
	}
	return names
}
