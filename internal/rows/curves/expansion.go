// Package curves expands rows by functions of their columns, called terms, so that a linear model
// of the expanded rows is a curved function of the original ones. Its main type is Expansion.
package curves

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/plural"
)

// Kind is a kind of expansion, by its name in files and flags.
type Kind string

const (
	None Kind = "none"
	// Products appends the squares of columns and, if there are few columns, the product of each
	// pair.
	Products Kind = "products"
	// Pieces appends, for each knot, the amount by which a value exceeds the knot, or 0. The knots
	// are quartiles of columns. The model is a piecewise linear function of each column.
	Pieces Kind = "pieces"
)

// Clip is the magnitude at which terms cut scaled values off.
const Clip = 4

// Expansion describes the terms that are appended to scaled rows: the value of term k in a row with
// the scaled values z is (f - Shift[k])*Factor[k]. For Products f is c(z[a])*c(z[b]), for Pieces
// max(0, c(z[a]) - Knots[k]), where a, b are Terms[k] and c cuts values off at -Clip and Clip. A
// nil Expansion has no terms.
type Expansion struct {
	Kind   Kind      `json:"kind"`
	Terms  []Term    `json:"terms"`
	Knots  []float32 `json:"knots,omitempty"` // scaled knots, for Pieces; else nil
	Shift  []float32 `json:"-"`               // mean of each f in the training rows
	Factor []float32 `json:"-"`               // inverse of each f's standard deviation
}

// Term is the two columns of a product, the lower column first, or twice the column of a square or
// a piece.
type Term [2]int32

// UnmarshalJSON decodes an array of two numbers. Package json would accept any length.
func (t *Term) UnmarshalJSON(text []byte) error {
	var columns []int32
	if err := json.Unmarshal(text, &columns); err != nil {
		return err
	}
	if len(columns) != len(t) {
		return fmt.Errorf("a term has %s, want 2", plural.Count(len(columns), "column"))
	}
	copy(t[:], columns)
	return nil
}

func (e *Expansion) KindOf() Kind {
	if e == nil {
		return None
	}
	return e.Kind
}

func (e *Expansion) Len() int {
	if e == nil {
		return 0
	}
	return len(e.Terms)
}

func (e *Expansion) Check(cols int) error {
	if e == nil {
		return nil
	}
	knots := 0
	if e.Kind == Pieces {
		knots = len(e.Terms)
	}
	if e.Kind != Products && e.Kind != Pieces || len(e.Terms) == 0 || len(e.Knots) != knots ||
		floats.FirstNotFinite(e.Knots) >= 0 || len(e.Shift) != len(e.Terms) ||
		len(e.Factor) != len(e.Terms) || floats.FirstNotFinite(e.Shift) >= 0 ||
		floats.FirstNotFinite(e.Factor) >= 0 {
		return fmt.Errorf("the expansion %q with %s is not valid: want a known kind, 1 or more "+
			"terms, and a finite shift, factor and, for pieces alone, knot of each term", e.Kind,
			plural.Count(len(e.Terms), "term"))
	}
	for k, t := range e.Terms {
		ascends := k == 0 || slices.Compare(e.Terms[k-1][:], t[:]) < 0
		if e.Kind == Pieces {
			ascends = t[0] == t[1] && (ascends || e.Terms[k-1] == t && e.Knots[k-1] < e.Knots[k])
		}
		if t[0] < 0 || t[1] < t[0] || int(t[1]) >= cols || !ascends {
			if e.Kind == Pieces {
				return fmt.Errorf("the expansion %q: term %d is of columns %d and %d, with the "+
					"knot %v: want one column, twice, from 0 to %d, in ascending order, and the "+
					"knots of a column in strictly ascending order", e.Kind, k, t[0], t[1],
					e.Knots[k], cols-1)
			}
			return fmt.Errorf("the expansion %q: term %d is %d*%d: want two columns from 0 to %d, "+
				"the lower first, and terms in strictly ascending order", e.Kind, k, t[0], t[1],
				cols-1)
		}
		if !(e.Factor[k] > 0) {
			return fmt.Errorf("the expansion has the factor %v, want a number above 0", e.Factor[k])
		}
	}
	return nil
}

func (e *Expansion) Same(f *Expansion) bool {
	if e == nil || f == nil {
		return e == f
	}
	return e.Kind == f.Kind && slices.Equal(e.Terms, f.Terms) && slices.Equal(e.Knots, f.Knots) &&
		slices.Equal(e.Shift, f.Shift) && slices.Equal(e.Factor, f.Factor)
}

// Fill stores the values of all terms, computed in float64, in dst. z holds the scaled values of
// all columns.
func Fill[T float32 | float64](e *Expansion, dst []T, z []float32) {
	shift, factor := e.Shift[:len(e.Terms)], e.Factor[:len(e.Terms)]
	dst = dst[:len(e.Terms)]
	if e.Kind == Pieces {
		knots := e.Knots[:len(e.Terms)]
		for k, t := range e.Terms {
			f := max(0, float64(clip(z[t[0]]))-float64(knots[k]))
			dst[k] = T((f - float64(shift[k])) * float64(factor[k]))
		}
		return
	}
	for k, t := range e.Terms {
		f := float64(float64(clip(z[t[0]])) * float64(clip(z[t[1]]))) // exact
		dst[k] = T((f - float64(shift[k])) * float64(factor[k]))
	}
}

// Append32 appends the values of all terms to dst. z is as in Fill.
func (e *Expansion) Append32(dst, z []float32) []float32 {
	n := len(dst)
	dst = slices.Grow(dst, len(e.Terms))[:n+len(e.Terms)]
	Fill(e, dst[n:], z)
	return dst
}

func clip(v float32) float32 {
	switch {
	case v > Clip:
		return Clip
	case v < -Clip:
		return -Clip
	}
	return v
}

// Name returns the name of term k, such as "age*income". column returns the name of column j, and
// original formats the unscaled value for its scaled value z.
func (e *Expansion) Name(k int, column func(j int) string,
	original func(j int, z float64) string) string {
	a, b := int(e.Terms[k][0]), int(e.Terms[k][1])
	switch {
	case e.Kind == Pieces:
		return column(a) + " above " + original(a, float64(e.Knots[k]))
	case a == b:
		return column(a) + "^2"
	}
	return column(a) + "*" + column(b)
}
