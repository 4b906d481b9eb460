package dataset

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/sparse"
)

// A ScaleKind is a way to bring features to one scale.
type ScaleKind string

const (
	// ScaleMaxAbs divides each column by the largest magnitude in it: features are then in [-1, 1],
	// and zeros stay, so that sparse data stay sparse.
	ScaleMaxAbs ScaleKind = "max-abs"
	// ScaleStandard takes its mean off each column and divides by the standard deviation, that of
	// all rows (divided by their number, not by one less). It makes zeros other numbers: it is for
	// dense data only.
	ScaleStandard ScaleKind = "standard"
	// ScaleUnit divides each row by its Euclidean norm. Rows of zeros stay.
	ScaleUnit ScaleKind = "unit"
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

// FitScaler finds the scale of a set's columns. A column that is constant gets the factor 1, so
// that ScaleStandard makes it 0. It takes a pass over the rows, or two; sums are taken in float64
// in the rows' order.
func FitScaler(s *Set, kind ScaleKind) (*Scaler, error) {
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	c := &Scaler{Kind: kind}
	if kind != ScaleUnit && s.Rows() == 0 {
		return nil, fmt.Errorf("dataset: no rows to find the scale by")
	}
	switch kind {
	case ScaleUnit:
		return c, nil
	case ScaleMaxAbs:
		for _, largest := range largestMagnitudes(s) {
			c.Factor = append(c.Factor, scaling.Inverse(float64(largest)))
		}
	case ScaleStandard:
		if s.Dense == nil {
			return nil, fmt.Errorf("dataset: standard scaling takes the mean off and would fill "+
				"%d rows of %d features with numbers, of which %.2g%% are nonzero: use max-abs, "+
				"or the dense layout",
				s.Rows(), s.Cols(), 100*s.Fill())
		}
		c.fitStandard(s.Dense)
	default:
		return nil, fmt.Errorf("dataset: scale %q: want max-abs, standard or unit", kind)
	}
	return c, s.Err()
}

func (c *Scaler) fitStandard(x *dense.Matrix) {
	n := float64(x.Rows())
	mean, square := make([]float64, x.Cols()), make([]float64, x.Cols())
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			mean[j] += float64(v)
		}
	}
	for j := range mean {
		mean[j] /= n
	}
	for i := range x.Rows() {
		for j, v := range x.Row(i) {
			d := float64(v) - mean[j]
			square[j] += float64(d * d)
		}
	}
	c.Shift, c.Factor = make([]float32, x.Cols()), make([]float32, x.Cols())
	for j := range mean {
		c.Shift[j] = float32(mean[j])
		c.Factor[j] = scaling.Inverse(math.Sqrt(square[j] / n))
	}
}

// largestMagnitudes returns that of each column.
func largestMagnitudes(s *Set) []float32 {
	largest := make([]float32, s.Cols())
	for i := range s.Rows() {
		s.eachNonzero(i, func(j int, v float32) { largest[j] = max(largest[j], v, -v) })
	}
	return largest
}

// Check tells what is wrong with a scaler that was read from somewhere, for data with so many
// features.
func (c *Scaler) Check(features int) error {
	shift, factor := 0, features
	switch c.Kind {
	case ScaleUnit:
		factor = 0
	case ScaleStandard:
		shift = features
	case ScaleMaxAbs:
	default:
		return fmt.Errorf("dataset: scale %q: want max-abs, standard or unit", c.Kind)
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
	for j := range c.Factor {
		if !floats.IsFinite(c.Factor[j]) || c.Shift != nil && !floats.IsFinite(c.Shift[j]) {
			return fmt.Errorf("dataset: the scaler's numbers of column %d are not finite", j)
		}
	}
	return nil
}

// Apply returns the set with its features scaled, in memory; s stays as it is. The result has the
// layout of s, but is dense after ScaleStandard. It fails if the set has other columns than the
// scaler, or if a number gets too large for float32, naming row and column.
func (c *Scaler) Apply(s *Set) (*Set, error) { return c.apply(s, false) }

// ApplyInPlace is Apply for a set that is not used any more, not even after an error: dense
// features in memory are scaled where they are.
func (c *Scaler) ApplyInPlace(s *Set) (*Set, error) { return c.apply(s, true) }

func (c *Scaler) apply(s *Set, inPlace bool) (*Set, error) {
	if err := s.checkRows(); err != nil {
		return nil, err
	}
	if err := c.Check(s.Cols()); err != nil {
		return nil, err
	}
	t := *s
	if c.Kind == ScaleStandard {
		// Data like those that the scaler was fitted to may be just too thin to be dense.
		full, err := s.WithLayout(LayoutDense)
		if err != nil {
			return nil, err
		}
		t = *full
	}
	inPlace = inPlace && t.mapped == nil
	t.mapped = nil
	var err error
	if t.Dense != nil {
		to := t.Dense
		if !inPlace {
			to = dense.New(t.Rows(), t.Cols())
		}
		err = c.dense(to, t.Dense)
		t.Dense = to
	} else {
		t.Sparse, err = c.sparse(t.Sparse)
	}
	if err == nil {
		err = s.Err()
	}
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// dense writes the scaled rows of x to out, which may be x.
func (c *Scaler) dense(out, x *dense.Matrix) error {
	for i := range x.Rows() {
		row, to := x.Row(i), out.Row(i)
		norm := c.norm(row)
		for j, v := range row {
			w := c.one(j, v, norm)
			if !floats.IsFinite(w) {
				return badScale(i, j)
			}
			to[j] = w
		}
	}
	return nil
}

func (c *Scaler) sparse(x *sparse.Matrix) (*sparse.Matrix, error) {
	b := newRowBuilder(x.Rows(), x.NNZ())
	for i := range x.Rows() {
		idx, val := sparseRow(x, i)
		norm := c.norm(val)
		indices, values := b.indices, b.values // in registers
		for k, j := range idx {
			w := c.one(int(j), val[k], norm)
			if !floats.IsFinite(w) {
				return nil, badScale(i, int(j))
			}
			if w != 0 { // it may have become 0
				indices = append(indices, j)
				values = append(values, w)
			}
		}
		b.indices, b.values = indices, values
		b.endRow()
	}
	return b.matrix(x.Cols())
}

func badScale(row, col int) error {
	return fmt.Errorf("dataset: row %d, column %d: too large for float32 when it is scaled",
		row, col)
}

// norm returns what a row is divided by, if it is.
func (c *Scaler) norm(row []float32) float64 {
	if c.Kind != ScaleUnit {
		return 1
	}
	return scaling.Length(row)
}

// one scales a feature.
func (c *Scaler) one(j int, v float32, norm float64) float32 {
	if c.Kind == ScaleUnit {
		return float32(float64(v) / norm)
	}
	of := scaling.Scaler{Shift: c.Shift, Factor: c.Factor}
	return float32(of.At(j, v))
}

const (
	// warnRatio is how much larger the largest column may be than the smallest before Warnings says
	// so.
	warnRatio = 1000
	// warnNorm is the longest row that Warnings does not mind.
	warnNorm = 100
)

// Warnings tells what of the features' scale will make training slow or hopeless, in sentences for
// people; most sets have none. It takes a pass over the rows. It warns
//
//   - if the largest magnitude of one column is more than 1,000 times that of another, not counting
//     columns of zeros: the smaller one is all but ignored;
//   - if a row is longer than 100: the number of steps needed grows with the square of that.
func Warnings(s *Set) (warnings []string) {
	if s.checkRows() != nil {
		return nil
	}
	largest := largestMagnitudes(s)
	small, large := -1, -1
	for j, v := range largest {
		if v > 0 && (small < 0 || v < largest[small]) {
			small = j
		}
		if v > 0 && (large < 0 || v > largest[large]) {
			large = j
		}
	}
	if small >= 0 && float64(largest[large]) > warnRatio*float64(largest[small]) {
		warnings = append(warnings,
			fmt.Sprintf("the features differ in scale: the largest magnitude of feature %d "+
				"is %.4g, that of feature %d is %.4g; scale them (pegasimd scale)",
				large+s.IndexBase, largest[large], small+s.IndexBase, largest[small]))
	}
	longest, at := 0.0, 0
	for i := range s.Rows() {
		sum := 0.0
		s.eachNonzero(i, func(_ int, v float32) { sum += float64(float64(v) * float64(v)) })
		if sum > longest {
			longest, at = sum, i
		}
	}
	if longest > warnNorm*warnNorm {
		warnings = append(warnings,
			fmt.Sprintf("rows are long: row %d has the norm %.4g, and the steps needed grow "+
				"with its square; scale them (pegasimd scale)", at, math.Sqrt(longest)))
	}
	return warnings
}
