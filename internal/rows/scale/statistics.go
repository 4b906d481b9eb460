package scale

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// Statistics describes the rows of a problem that are divided among several processes.
type Statistics struct {
	// Squares holds three numbers: the least, the median and the largest squared length of the rows
	// of positive length.
	Columns
	Cols    int
	Dense   bool
	Classes []float32 // labels, ascending
	Counts  []int64
	// Sizes has an entry for each applicable kind of scaling; None must be among the kinds.
	Sizes map[Kind]RowSizes
}

type RowSizes struct {
	MaxSquare  float64 `json:"max_square"`
	MeanSquare float64 `json:"mean_square"`
}

func (s *Statistics) Check() error {
	counted := int64(0)
	for _, n := range s.Counts {
		counted += max(n, 0)
	}
	switch {
	case s.Rows < 1 || s.Cols < 1:
		return fmt.Errorf("pegasos: statistics of %d rows and %d columns: want 1 or more of "+
			"each", s.Rows, s.Cols)
	case len(s.Classes) < 2:
		return fmt.Errorf("pegasos: the rows have %s: want two or more",
			plural.Count(len(s.Classes), "class"))
	case len(s.Counts) != len(s.Classes) || counted != int64(s.Rows):
		return fmt.Errorf("pegasos: statistics: %d counts of %d rows: want one count for each of "+
			"%d classes, and %d rows", len(s.Counts), counted, len(s.Classes), s.Rows)
	case len(s.MaxAbs) != s.Cols || len(s.Variance) != len(s.Mean) ||
		len(s.Constant) != len(s.Mean) || s.Mean != nil && len(s.Mean) != s.Cols:
		return fmt.Errorf("pegasos: statistics: want %d values, one for each column, in "+
			"MaxAbs and, unless all are nil, in Mean, Variance and Constant", s.Cols)
	}
	if _, ok := s.Sizes[None]; !ok {
		return fmt.Errorf("pegasos: statistics: want the squared lengths of the unscaled rows in "+
			"Sizes[%q]", None)
	}
	return nil
}
