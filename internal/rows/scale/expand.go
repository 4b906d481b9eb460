package scale

import (
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/murmur"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/rows/store"
)

const (
	maxProductColumns = 12  // largest number of columns of which all pairs are multiplied
	maxSquareColumns  = 256 // largest number of columns that are squared
)

// Terms returns the terms of the given kind for the scaled rows of x. They are made of the given
// columns, nil for all, without columns that are constant or equal to an earlier column: the squares
// of those with more than two values and, of up to maxProductColumns columns, the products of each
// pair. Only rows whose weight is positive count. There are none of more than maxSquareColumns
// columns. Once stop returns true, the result is unusable.
func Terms(kind curves.Kind, x store.Rows, columns []int, weight []float64, stop func() bool,
) (terms []curves.Term) {
	if columns == nil {
		for j := range x.Cols() {
			columns = append(columns, j)
		}
	}
	if kind == curves.None || len(columns) > maxSquareColumns {
		return nil
	}
	distinct := distinctColumns(x, columns, weight, stop)
	for k, a := range distinct {
		if a.several {
			terms = append(terms, curves.Term{a.column, a.column})
		}
		if len(distinct) <= maxProductColumns {
			for _, b := range distinct[k+1:] {
				terms = append(terms, curves.Term{a.column, b.column})
			}
		}
	}
	return terms
}

// FitTerms returns the expansion with the given terms, without those that are constant. Its shifts
// and factors are fitted to the rows of x, which are scaled, by Measure. The result is nil if there
// are no terms. Once stop returns true, it is unusable.
func FitTerms(kind curves.Kind, terms []curves.Term, x store.Rows, weight []float64, threads int,
	stop func() bool) *curves.Expansion {
	raw := &curves.Expansion{Kind: kind, Terms: terms, Shift: make([]float32, len(terms)),
		Factor: slices.Repeat([]float32{1}, len(terms))}
	products := Measure(store.TermsOf(x, raw), weight, true, threads, stop)
	e := &curves.Expansion{Kind: kind}
	for k, t := range terms {
		f := floats.Inverse(math.Sqrt(products.Variance[k]))
		if products.Constant[k] || !(f <= maxFactor) {
			continue
		}
		e.Terms = append(e.Terms, t)
		e.Shift = append(e.Shift, float32(products.Mean[k]))
		e.Factor = append(e.Factor, f)
	}
	if len(e.Terms) == 0 {
		return nil
	}
	return e
}

// columnContent summarizes the values of a column.
type columnContent struct {
	column  int32
	several bool // there are more than two different values
	first   float32
	second  float32 // a value other than first, if differ is set
	differ  bool
	hash    uint64 // sum of hashes of the values, each with the number of its row
}

// distinctColumns returns the given columns without those that are constant or equal to an earlier
// column, by their values in the rows of x whose weight is positive. Columns count as equal if
// their 64-bit hashes are.
func distinctColumns(x store.Rows, columns []int, weight []float64, stop func() bool,
) (distinct []columnContent) {
	all := make([]columnContent, len(columns))
	reader := columnWorker{x: x, maxBits: make([]uint32, x.Cols())}
	seen := false
	for i := range x.Rows() {
		if weight != nil && weight[i] == 0 {
			continue
		}
		if i%scaleBlock == 0 && stop() {
			return nil
		}
		row := reader.denseRow(x.Row(i))
		key := murmur.Mix64(uint64(i)) | 1
		for k, j := range columns {
			v, c := row[j]+0, &all[k] // -0 becomes 0
			c.hash += murmur.Mix64(uint64(math.Float32bits(v)) ^ key)
			switch {
			case !seen:
				c.column, c.first = int32(j), v
			case v == c.first:
			case !c.differ:
				c.second, c.differ = v, true
			case v != c.second:
				c.several = true
			}
		}
		seen = true
	}
	hashes := map[uint64]bool{}
	for _, c := range all {
		if c.differ && !hashes[c.hash] {
			hashes[c.hash] = true
			distinct = append(distinct, c)
		}
	}
	return distinct
}
