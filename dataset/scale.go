package dataset

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/rows/scaling"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

// A ScaleKind is a way to bring features to one scale.
type ScaleKind string

const (
	// ScaleMaxAbs divides each column by the largest magnitude in it: features are then in [-1, 1],
	// and zeros stay, so that sparse data stay sparse.
	ScaleMaxAbs ScaleKind = scaling.MaxAbs
	// ScaleStandard takes its mean off each column and divides by the standard deviation, that of
	// all rows (divided by their number, not by one less). It makes zeros other numbers: it is for
	// dense data only.
	ScaleStandard ScaleKind = scaling.Standard
	// ScaleUnit divides each row by its Euclidean norm. Rows of zeros stay.
	ScaleUnit ScaleKind = scaling.Unit
)

// A Scaler scales features as those of the set that it was fitted to. Its fields are all there is
// to it: it can be stored as JSON, beside a model trained on scaled data, and scales other data the
// same way, to the bit, on every machine.
//
// Feature x of column j becomes
//
//	float32((float64(x) - float64(Shift[j])) * float64(Factor[j]))
//
// where no Shift is a shift of 0; with ScaleUnit, which has neither, float32(float64(x) / norm),
// where norm is the square root of the sum of the row's squares in float64, added from left to
// right.
type Scaler struct {
	Kind   ScaleKind `json:"kind"`
	Shift  []float32 `json:"shift,omitempty"`  // of each column, with ScaleStandard
	Factor []float32 `json:"factor,omitempty"` // of each column, unless it is ScaleUnit

	// Table, if not nil, says what the columns are: see Options. FitScaler leaves it nil.
	Table *Table `json:"table,omitempty"`
}

// FitScaler finds the scale of a set's columns, as training with that scale does. A column that is
// constant gets the factor 1, so that ScaleStandard makes it 0.
func FitScaler(s *Set, kind ScaleKind) (*Scaler, error) {
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	switch {
	case kind == ScaleUnit:
		return &Scaler{Kind: kind}, nil
	case kind != ScaleMaxAbs && kind != ScaleStandard:
		return nil, badKind(kind)
	case s.Rows() == 0:
		return nil, fmt.Errorf("dataset: no rows to find the scale by")
	case kind == ScaleStandard && s.Dense == nil:
		return nil, fmt.Errorf("dataset: standard scaling takes the mean off and would fill "+
			"%d rows of %d features with numbers, of which %.2g%% are nonzero: use max-abs, "+
			"or the dense layout",
			s.Rows(), s.Cols(), 100*s.Fill())
	}
	columns := store.Measure(store.Of(s.Examples()), nil, kind == ScaleStandard,
		parallel.Threads(0), func() bool { return false })
	if err := s.Err(); err != nil {
		return nil, err
	}
	if columns.Bad >= 0 {
		return nil, errNotFinite(columns.Bad)
	}
	fitted := columns.Scaler(string(kind))
	return &Scaler{Kind: kind, Shift: fitted.Shift, Factor: fitted.Factor}, nil
}

func badKind(kind ScaleKind) error {
	return fmt.Errorf("dataset: scale %q: want max-abs, standard or unit", kind)
}

// Check tells what is wrong with a scaler that was read from somewhere, for data with that
// many features.
func (c *Scaler) Check(features int) error {
	shift, factor := 0, features
	switch c.Kind {
	case ScaleUnit:
		factor = 0
	case ScaleStandard:
		shift = features
	case ScaleMaxAbs:
	default:
		return badKind(c.Kind)
	}
	if len(c.Shift) != shift || len(c.Factor) != factor {
		return fmt.Errorf("dataset: a %s scaler of %d shifts and %d factors for %d features",
			c.Kind, len(c.Shift), len(c.Factor), features)
	}
	if c.Table != nil && factor > 0 {
		if err := c.Table.Check(features); err != nil {
			return err
		}
	}
	if j := max(floats.FirstNotFinite(c.Factor), floats.FirstNotFinite(c.Shift)); j >= 0 {
		return fmt.Errorf("dataset: the scaler's numbers of column %d are not finite", j)
	}
	return nil
}

// Apply returns the set with its features scaled, in memory: dense ones where they are, unless they
// are mapped, others in a copy. s must not be used any more, not even after an error. The result
// has the layout of s, but is dense after ScaleStandard. It fails if the set has other columns than
// the scaler, or if a number gets too large for float32, naming row and column.
func (c *Scaler) Apply(s *Set) (*Set, error) {
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	if err := c.Check(s.Cols()); err != nil {
		return nil, err
	}
	t := s
	if c.Kind == ScaleStandard {
		// Data like those that the scaler was fitted to may be just too thin to be dense.
		var err error
		if t, err = s.WithLayout(LayoutDense); err != nil {
			return nil, err
		}
	}
	scaled, err := c.apply(t)
	if err == nil {
		err = s.Err()
	}
	return scaled, err
}

func (c *Scaler) apply(s *Set) (*Set, error) {
	scaler := scaling.Scaler{Kind: string(c.Kind), Shift: c.Shift, Factor: c.Factor}
	inPlace := s.Dense != nil && s.mapped == nil
	t := *s
	var b *rowBuilder
	if !inPlace {
		b = newRowBuilder(s.Rows(), s.Cols(), s.NNZ(), s.Layout())
	}
	row := make([]float32, s.Cols())
	for i := range s.Rows() {
		columns, values := s.row(i)
		to := row[:len(values)]
		if inPlace {
			to = values
		}
		scaler.Row(to, columns, values)
		if k := floats.FirstNotFinite(to); k >= 0 {
			if columns != nil {
				k = int(columns[k])
			}
			return nil, fmt.Errorf("dataset: row %d, column %d: too large for float32 when it is "+
				"scaled", i, k)
		}
		if !inPlace {
			b.add(stored(columns, to))
		}
	}
	if inPlace {
		return &t, nil
	}
	return &t, b.into(&t)
}

// stored returns the columns and values without those that have become 0.
func stored(columns []int32, values []float32) ([]int32, []float32) {
	if columns == nil || !slices.Contains(values, 0) {
		return columns, values
	}
	left := make([]int32, 0, len(columns))
	n := 0
	for k, v := range values {
		if v != 0 {
			left, values[n] = append(left, columns[k]), v
			n++
		}
	}
	return left, values[:n]
}
