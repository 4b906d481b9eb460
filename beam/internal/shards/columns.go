package shards

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/base/plural"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// Statistics reads the statistics of the columns, and adds the manifest's statistics of the rows.
func (m *Manifest) Statistics() (*scale.Statistics, error) {
	path := filepath.Join(m.dir, columnsName)
	if err := m.Columns.verify(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := scale.Columns{Rows: m.Rows, Nonzeros: m.Nonzeros, Squares: m.Values.Lengths[:], Bad: -1}
	err = json.Unmarshal(text, &c)
	n := len(c.Mean)
	if err != nil || len(c.MaxAbs) != m.Cols || n != 0 && n != m.Cols || len(c.Variance) != n ||
		len(c.Constant) != n || slices.Min(c.MaxAbs) < 0 || n > 0 && slices.Min(c.Variance) < 0 {
		return nil, fmt.Errorf("%s: not a file of statistics for %s: split the data again",
			escape.Name(path), plural.Count(m.Cols, "column"))
	}
	s := &scale.Statistics{Columns: c, Cols: m.Cols, Dense: m.Layout == dataset.LayoutDense,
		Classes: m.Classes,
		Sizes:   map[scale.Kind]scale.RowSizes{scale.None: m.Values.RowSizes}}
	for _, n := range m.Count {
		s.Counts = append(s.Counts, int64(n))
	}
	maps.Copy(s.Sizes, m.Values.Scaled)
	return s, nil
}
