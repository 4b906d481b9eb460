// Package scaling implements the feature scaling that package dataset's Scaler and the trainer
// share: standardization, division by the maximum magnitude, and rows of unit length.
package scaling

import (
	"math"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// The kinds of scaling, by their names in files and flags.
const (
	None     = "none"
	Standard = "standard" // columns of mean 0 and standard deviation 1
	MaxAbs   = "max-abs"  // columns divided by their largest magnitude
	Unit     = "unit"     // rows divided by their length
)

// Scaler scales rows. With Standard or MaxAbs, the value x in column j becomes (x -
// Shift[j])*Factor[j]; if Shift is nil, it becomes x*Factor[j]. With Unit, each row is divided by
// its length.
type Scaler struct {
	Kind   string
	Shift  []float32 // one for each column if Kind is Standard, else nil
	Factor []float32 // one for each column if Kind is Standard or MaxAbs, else nil
}

// Inverse returns 1/x, or 1 if x is 0, and at most MaxFloat32.
func Inverse(x float64) float32 {
	if x == 0 {
		return 1
	}
	return float32(min(1/x, math.MaxFloat32))
}

// At returns the scaled value of v, an element of column j, in float64. The difference and the
// product are each rounded once, with relative errors of at most 2^-53.
func (s *Scaler) At(j int, v float32) float64 {
	if s.Shift == nil {
		return float64(float64(v) * float64(s.Factor[j]))
	}
	return float64((float64(v) - float64(s.Shift[j])) * float64(s.Factor[j]))
}

// Row scales the elements of one row in values, and stores them in dst, rounded to float32. columns
// has the column of each element; if it is nil, values has the elements of all columns. dst may be
// values. Kind must not be None.
func (s *Scaler) Row(dst []float32, columns []int32, values []float32) {
	dst = dst[:len(values)]
	switch {
	case s.Kind == Unit:
		length := Length(values)
		for k, v := range values {
			dst[k] = float32(float64(v) / length)
		}
	case columns != nil:
		for k, v := range values {
			dst[k] = float32(s.At(int(columns[k]), v))
		}
	case s.Shift != nil:
		shift, factor := s.Shift[:len(values)], s.Factor[:len(values)]
		for j, v := range values {
			dst[j] = float32((float64(v) - float64(shift[j])) * float64(factor[j]))
		}
	default:
		factor := s.Factor[:len(values)]
		for j, v := range values {
			dst[j] = float32(float64(v) * float64(factor[j]))
		}
	}
}

// Length returns the Euclidean norm of a row, whose zeros may be left out of values, and 1 for a
// row of zeros. The squares are added from left to right, in float64.
func Length(values []float32) float64 {
	sum := 0.0
	for _, v := range values {
		sum += float64(float64(v) * float64(v))
	}
	if sum == 0 {
		return 1
	}
	return math.Sqrt(sum)
}

// Check reports whether Shift and Factor have the lengths that the kind requires for cols columns,
// and all elements are finite.
func (s *Scaler) Check(cols int) bool {
	shift, factor := 0, 0
	switch s.Kind {
	case Standard:
		shift, factor = cols, cols
	case MaxAbs:
		factor = cols
	case Unit, None:
	default:
		return false
	}
	return len(s.Shift) == shift && len(s.Factor) == factor &&
		floats.FirstNotFinite(s.Shift) < 0 && floats.FirstNotFinite(s.Factor) < 0
}
