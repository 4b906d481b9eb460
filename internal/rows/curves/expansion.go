// Package curves expands rows by products of their columns, so that a linear model of the expanded
// rows is a curved function of the original ones. Expansion is its main type: it lists the appended
// columns, called terms, and computes their values from a scaled row. Package scale stores an
// Expansion in a Scale, and package choose decides by cross-validation whether rows are expanded.
package curves

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
)

// Kind is a kind of expansion, by its name in files and flags.
type Kind string

const (
	None Kind = "none" // rows are not expanded
	// Products appends the square of each column and, if there are at most MaxProductColumns
	// columns of numbers, the product of each pair of columns.
	Products Kind = "products"
)

// Clip is the magnitude at which values are cut off before they are multiplied, in standard
// deviations of their column.
const Clip = 4

// Expansion describes the terms that are appended to scaled rows: the value of term k in a row with
// the scaled values z is (c(z[a])*c(z[b]) - Shift[k])*Factor[k], where a, b are Terms[k] and c cuts
// values off at -Clip and Clip. Shift and Factor give each term mean 0 and standard deviation 1 in
// the training rows. A nil Expansion has no terms.
type Expansion struct {
	Kind   Kind      `json:"kind"`
	Terms  []Term    `json:"terms"`
	Shift  []float32 `json:"-"` // mean of each product in the training rows
	Factor []float32 `json:"-"` // inverse of each product's standard deviation
}

// Term is a product of two columns, the lower one first. If both are equal, it is a square.
type Term [2]int32

// KindOf returns e.Kind, or None if e is nil.
func (e *Expansion) KindOf() Kind {
	if e == nil {
		return None
	}
	return e.Kind
}

// Len returns the number of terms.
func (e *Expansion) Len() int {
	if e == nil {
		return 0
	}
	return len(e.Terms)
}

// Check returns an error if e is not a valid expansion of rows with cols columns.
func (e *Expansion) Check(cols int) error {
	if e == nil {
		return nil
	}
	if e.Kind != Products || len(e.Terms) == 0 || len(e.Shift) != len(e.Terms) ||
		len(e.Factor) != len(e.Terms) || floats.FirstNotFinite(e.Shift) >= 0 ||
		floats.FirstNotFinite(e.Factor) >= 0 {
		return fmt.Errorf("the expansion %q with %d terms is not valid", e.Kind, len(e.Terms))
	}
	for k, t := range e.Terms {
		if t[0] < 0 || t[1] < t[0] || int(t[1]) >= cols || k > 0 &&
			slices.Compare(e.Terms[k-1][:], t[:]) >= 0 {
			return fmt.Errorf("the expansion has the term %d*%d after %d terms, want ascending pairs "+
				"of %d columns", t[0], t[1], k, cols)
		}
		if !(e.Factor[k] > 0) {
			return fmt.Errorf("the expansion has the factor %v, want a number above 0", e.Factor[k])
		}
	}
	return nil
}

// Same reports whether e and f append the same terms.
func (e *Expansion) Same(f *Expansion) bool {
	if e == nil || f == nil {
		return e == f
	}
	return e.Kind == f.Kind && slices.Equal(e.Terms, f.Terms) && slices.Equal(e.Shift, f.Shift) &&
		slices.Equal(e.Factor, f.Factor)
}

// At returns the value of term k in float64, given the scaled values of its two columns. The
// product of two float32 values is exact in float64; the difference and the second product are each
// rounded once.
func (e *Expansion) At(k int, a, b float32) float64 {
	p := float64(float64(clip(a)) * float64(clip(b))) // exact
	return (p - float64(e.Shift[k])) * float64(e.Factor[k])
}

// Append32 appends the values of all terms, rounded to float32, to dst. z has the scaled values of
// all columns.
func (e *Expansion) Append32(dst, z []float32) []float32 {
	shift, factor := e.Shift[:len(e.Terms)], e.Factor[:len(e.Terms)]
	for k, t := range e.Terms {
		p := float64(float64(clip(z[t[0]])) * float64(clip(z[t[1]]))) // exact
		dst = append(dst, float32((p-float64(shift[k]))*float64(factor[k])))
	}
	return dst
}

// clip returns v cut off at -Clip and Clip.
func clip(v float32) float32 { return max(-Clip, min(Clip, v)) }

// Name returns the name of a term, given the names of the original columns, such as "age^2" or
// "age*income".
func (t Term) Name(column func(j int) string) string {
	if t[0] == t[1] {
		return column(int(t[0])) + "^2"
	}
	return column(int(t[0])) + "*" + column(int(t[1]))
}
