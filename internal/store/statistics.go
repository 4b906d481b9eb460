package store

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/scaling"
)

// Statistics are what has to be known of all rows of a problem where no process has all of them:
// they choose what a Config leaves open, and bound the sums of rounds.
type Statistics struct {
	Rows, Cols int
	Nonzeros   int64
	Dense      bool      // the rows are held as dense ones
	Classes    []float32 // the labels, ascending
	Counts     []int64   // the rows of each class

	// Of each column: the largest magnitude, the mean and the variance, and whether all rows have
	// the same value in it. Without the moments, which are nil then, nothing can be standardised.
	MaxAbs         []float32
	Mean, Variance []float64
	Constant       []bool

	// Lengths are the least, the median and the largest squared length of a row that is above 0.
	Lengths [3]float64
	// Sizes has those of the rows as each kind of scaling that is possible makes them, scaling.None
	// among them.
	Sizes map[string]RowSizes
}

// RowSizes are the largest and the mean of the rows' squared lengths.
type RowSizes struct {
	MaxSquare  float64 `json:"max_square"`
	MeanSquare float64 `json:"mean_square"`
}

// Check returns an error unless the numbers can be those of rows.
func (s *Statistics) Check() error {
	counted := int64(0)
	for _, n := range s.Counts {
		counted += max(n, 0)
	}
	switch {
	case s.Rows < 1 || s.Cols < 1:
		return fmt.Errorf("pegasos: statistics of %d rows and %d columns", s.Rows, s.Cols)
	case len(s.Classes) < 2:
		return fmt.Errorf("pegasos: the rows have %d classes: want two or more", len(s.Classes))
	case len(s.Counts) != len(s.Classes) || counted != int64(s.Rows):
		return fmt.Errorf("pegasos: statistics: the classes have %d rows of %d", counted, s.Rows)
	case len(s.MaxAbs) != s.Cols || len(s.Variance) != len(s.Mean) ||
		len(s.Constant) != len(s.Mean) || s.Mean != nil && len(s.Mean) != s.Cols:
		return fmt.Errorf("pegasos: statistics: want those of %d columns", s.Cols)
	}
	if _, ok := s.Sizes[scaling.None]; !ok {
		return fmt.Errorf("pegasos: statistics: the rows' lengths are not there")
	}
	return nil
}

// Columns returns what of them Measure finds.
func (s *Statistics) Columns() *Columns {
	return &Columns{
		Rows: s.Rows, Nonzeros: int(s.Nonzeros), MaxAbs: s.MaxAbs, Mean: s.Mean,
		Variance: s.Variance, Constant: s.Constant, Bad: -1,
		Squares: s.Lengths[:],
	}
}
