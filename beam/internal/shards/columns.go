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
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// columns is the content of the file of column statistics: the largest magnitudes and, if the rows
// can be standardized, the moments.
type columns struct {
	MaxAbs   []float32 `json:"max_abs"`
	Mean     []float64 `json:"mean,omitempty"`
	Variance []float64 `json:"variance,omitempty"`
	Constant []bool    `json:"constant,omitempty"`
}

// Statistics reads the statistics of the columns and returns them with those of the rows.
func (m *Manifest) Statistics() (*scale.Statistics, error) {
	path := filepath.Join(m.dir, columnsName)
	if err := m.Columns.verify(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var c columns
	err = json.Unmarshal(text, &c)
	n := len(c.Mean)
	if err != nil || len(c.MaxAbs) != m.Cols || n != 0 && n != m.Cols || len(c.Variance) != n ||
		len(c.Constant) != n || slices.Min(c.MaxAbs) < 0 || n > 0 && slices.Min(c.Variance) < 0 {
		return nil, fmt.Errorf("%s: not the statistics of %d columns", escape.Name(path), m.Cols)
	}
	s := &scale.Statistics{Rows: m.Rows, Cols: m.Cols, Nonzeros: int64(m.Nonzeros),
		Dense: m.Layout == dataset.LayoutDense, Classes: m.Classes, MaxAbs: c.MaxAbs,
		Mean: c.Mean, Variance: c.Variance, Constant: c.Constant, Lengths: m.Values.Lengths,
		Sizes: map[scale.Kind]scale.RowSizes{scale.None: m.Values.RowSizes}}
	for _, n := range m.Count {
		s.Counts = append(s.Counts, int64(n))
	}
	maps.Copy(s.Sizes, m.Values.Scaled)
	return s, nil
}
