package form

import (
	"fmt"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/model/modelfile"
)

// Table describes the columns of a CSV or .npy file. dataset.Table documents the fields.
type Table struct {
	Columns []string `json:"columns,omitempty"`
	Label   string   `json:"label,omitempty"`
	LabelAt int      `json:"label_at"`
	Unnamed bool     `json:"-"`
}

// maxTableBytes bounds the bytes of a Table's names, counting one more for each.
const maxTableBytes = 1 << 22

func (t *Table) Check(features int) error {
	if t.LabelAt < -1 {
		return fmt.Errorf("dataset: the LabelAt of a table is %d, want -1 or more", t.LabelAt)
	}
	if t.Columns == nil {
		return nil
	}
	if len(t.Columns) != features {
		return fmt.Errorf("dataset: a table of %s for %s", plural.Count(len(t.Columns), "name"),
			plural.Count(features, "feature"))
	}
	size := len(t.Label) + 1
	for _, name := range t.Columns {
		size += len(name) + 1
	}
	if size > maxTableBytes {
		return fmt.Errorf("dataset: the names of the columns take %d bytes, counting one more for "+
			"each, want at most %d", size, maxTableBytes)
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

// UnmarshalJSON decodes a table. LabelAt is -1 if text does not set it.
func (t *Table) UnmarshalJSON(text []byte) error {
	type plain Table
	p := plain{LabelAt: -1}
	err := modelfile.Unmarshal(text, &p)
	*t = Table(p)
	return err
}

func (t *Table) FileColumn(i int) int {
	if t.LabelAt >= 0 && i >= t.LabelAt {
		return i + 1 // the label's column comes before
	}
	return i
}

// ColumnName returns the text of a header cell as valid UTF-8, which JSON requires.
func ColumnName(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// NewTable returns the table of a file with the given header (nil without one) and number of
// columns. label is the column of the labels, or -1. Without a header, the table is nil if label is
// -1 or the last column.
func NewTable(names []string, label, columns int) *Table {
	t := &Table{LabelAt: label}
	if label == columns-1 {
		t.LabelAt = -1
	}
	if names != nil {
		t.Columns = make([]string, 0, columns)
		for i, name := range names {
			if i == label {
				t.Label = ColumnName(name)
			} else {
				t.Columns = append(t.Columns, ColumnName(name))
			}
		}
	}
	if t.Columns == nil && t.LabelAt < 0 {
		return nil
	}
	return t
}
