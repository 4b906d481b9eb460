package shards

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

// columns are what the file of the columns has of scale.Columns: the largest magnitudes and, if the
// rows can be standardised, the moments.
type columns struct {
	MaxAbs   []float32 `json:"max_abs"`
	Mean     []float64 `json:"mean,omitempty"`
	Variance []float64 `json:"variance,omitempty"`
	Constant []bool    `json:"constant,omitempty"`
}

func columnsOf(c *scale.Columns) columns {
	return columns{c.MaxAbs, c.Mean, c.Variance, c.Constant}
}

// ReadColumns reads the statistics of each column: MaxAbs and, if the rows can be standardised,
// Mean, Variance and Constant.
func (m *Manifest) ReadColumns() (*scale.Columns, error) {
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
	return &scale.Columns{Rows: m.Rows, Nonzeros: m.Nonzeros, Bad: -1, MaxAbs: c.MaxAbs,
		Mean: c.Mean, Variance: c.Variance, Constant: c.Constant}, nil
}
