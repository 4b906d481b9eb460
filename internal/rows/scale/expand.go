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
	maxProductColumns = 12  // most columns with a term for each pair
	MaxCurvedColumns  = 256 // most columns for which there are terms
)

// Terms returns the terms of the given kind for the scaled rows x, not yet fitted. columns selects
// columns of x; nil means all. Constant columns, columns equal to an earlier one and rows of weight
// 0 do not count. Among Products, each remaining column with more than two values has its square
// and, if at most maxProductColumns columns remain, each pair its product. Among Pieces, each
// remaining column with more than two values has a piece for each distinct quartile of a sample of
// its rows. The result is nil if there are no terms, or if more than MaxCurvedColumns columns
// remain. Once stop returns true, the result is unusable.
func Terms(kind curves.Kind, x store.Rows, columns []int, weight []float64, stop func() bool,
) *curves.Expansion {
	if kind == curves.None {
		return nil
	}
	e := &curves.Expansion{Kind: kind}
	var values []float32
	kept := distinctColumns(x, columns, weight, stop)
	if len(kept) > MaxCurvedColumns {
		return nil
	}
	for k, a := range kept {
		if kind == curves.Pieces {
			if a.several && !stop() {
				values = addPieces(e, x, a.column, weight, values[:0])
			}
			continue
		}
		if a.several {
			e.Terms = append(e.Terms, curves.Term{a.column, a.column})
		}
		if len(kept) <= maxProductColumns {
			for _, b := range kept[k+1:] {
				e.Terms = append(e.Terms, curves.Term{a.column, b.column})
			}
		}
	}
	if len(e.Terms) == 0 {
		return nil
	}
	return e
}

// TooManyVary reports whether Terms returns nil because more than MaxCurvedColumns columns remain.
func TooManyVary(x store.Rows, columns []int, weight []float64, stop func() bool) bool {
	return len(distinctColumns(x, columns, weight, stop)) > MaxCurvedColumns
}

// values is an empty buffer; addPieces returns it for reuse.
func addPieces(e *curves.Expansion, x store.Rows, j int32, weight []float64, values []float32,
) []float32 {
	reader := newColumnReader(x, []int{int(j)})
	for i := 0; i < x.Rows(); i += sampleStep(x.Rows()) {
		if weight == nil || weight[i] != 0 {
			values = append(values, reader.row(i)[0])
		}
	}
	if len(values) == 0 {
		return values
	}
	last := float32(math.Inf(-1))
	for quarter := 1; quarter <= 3; quarter++ {
		if q := selectRank(values, quarter*len(values)/4); q > last {
			last = q
			e.Terms = append(e.Terms, curves.Term{j, j})
			e.Knots = append(e.Knots, q)
		}
	}
	return values
}

// FitTerms returns the terms of e without constant and nearly constant terms, with shifts and
// factors fitted to the scaled rows x. The result is nil if no terms are left. Once stop returns
// true, the result is unusable.
func FitTerms(e *curves.Expansion, x store.Rows, weight []float64, threads int, stop func() bool,
) *curves.Expansion {
	raw := &curves.Expansion{Kind: e.Kind, Terms: e.Terms, Knots: e.Knots,
		Shift: make([]float32, len(e.Terms)), Factor: slices.Repeat([]float32{1}, len(e.Terms))}
	terms := Measure(store.TermsOf(x, raw), weight, true, threads, stop)
	fitted := &curves.Expansion{Kind: e.Kind}
	for k, t := range e.Terms {
		f := floats.Inverse(math.Sqrt(terms.Variance[k]))
		if terms.Constant[k] || !(f <= maxFactor) {
			continue
		}
		fitted.Terms = append(fitted.Terms, t)
		if e.Knots != nil {
			fitted.Knots = append(fitted.Knots, e.Knots[k])
		}
		fitted.Shift = append(fitted.Shift, float32(terms.Mean[k]))
		fitted.Factor = append(fitted.Factor, f)
	}
	if len(fitted.Terms) == 0 {
		return nil
	}
	return fitted
}

type columnReader struct {
	x       store.Rows
	columns []int
	place   []int32 // index of a column in columns, plus 1; 0 for other columns
	values  []float32
}

func newColumnReader(x store.Rows, columns []int) *columnReader {
	r := &columnReader{x: x, columns: columns, place: make([]int32, x.Cols()),
		values: make([]float32, len(columns))}
	for k, j := range columns {
		r.place[j] = int32(k + 1)
	}
	return r
}

// The result is valid until the next call.
func (r *columnReader) row(i int) []float32 {
	index, values := r.x.Row(i)
	if index == nil {
		for k, j := range r.columns {
			r.values[k] = values[j]
		}
		return r.values
	}
	clear(r.values)
	for n, j := range index {
		if k := r.place[j]; k > 0 {
			r.values[k-1] = values[n]
		}
	}
	return r.values
}

type columnContent struct {
	column  int32
	several bool // there are more than two different values
	first   float32
	second  float32 // a value other than first, if differ is set
	differ  bool
	hash    uint64 // sum over the rows read of hashes of row number and value
}

// distinctColumns returns the columns that Terms keeps of the given ones; nil means all of x. It
// treats columns with equal 64-bit hashes as equal. Once more than MaxCurvedColumns columns differ,
// it skips the remaining rows, in which they could not become equal.
func distinctColumns(x store.Rows, columns []int, weight []float64, stop func() bool,
) []columnContent {
	if columns == nil {
		for j := range x.Cols() {
			columns = append(columns, j)
		}
	}
	all := make([]columnContent, len(columns))
	reader := newColumnReader(x, columns)
	seen := false
	for i := range x.Rows() {
		if i%scaleBlock == 0 && (stop() || len(columns) > MaxCurvedColumns &&
			len(distinct(all)) > MaxCurvedColumns) {
			break
		}
		if weight != nil && weight[i] == 0 {
			continue
		}
		key := murmur.Mix64(uint64(i)) | 1
		for k, v := range reader.row(i) {
			v, c := v+0, &all[k] // -0 becomes 0
			c.hash += murmur.Mix64(uint64(math.Float32bits(v)) ^ key)
			switch {
			case !seen:
				c.column, c.first = int32(columns[k]), v
			case v == c.first:
			case !c.differ:
				c.second, c.differ = v, true
			case v != c.second:
				c.several = true
			}
		}
		seen = true
	}
	return distinct(all)
}

func distinct(all []columnContent) (kept []columnContent) {
	hashes := map[uint64]bool{}
	for _, c := range all {
		if c.differ && !hashes[c.hash] {
			hashes[c.hash] = true
			kept = append(kept, c)
		}
	}
	return kept
}
