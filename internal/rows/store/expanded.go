package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// expanded is scaled rows with the terms of an Expansion appended. Stored and computed terms have
// the same bits.
type expanded struct {
	rows
	e       *curves.Expansion
	cols    int
	stored  *dense.Matrix // terms of all rows; nil if they are computed
	z       []float32     // last sparse row as a dense vector; nil for dense rows
	nonzero []int32       // columns of z that may differ from 0
	terms   []float32     // terms of row last
	last    int           // -1 if terms has not been computed
	index   []int32
	values  []float32
	exact   []float64 // buffer of exactTerms
	places  []int32   // columns of the terms
}

// in bytes; also limits the copies that flatten returns
const maxStoredTerms = 64 << 20

// Expand returns the rows of x, which are scaled, with the terms of e appended. The terms are
// stored if they take at most min(room, maxStoredTerms) bytes.
func Expand(x Rows, e *curves.Expansion, room float64) Rows {
	r := newExpanded(x, e)
	if 4*float64(x.Rows())*float64(e.Len()) > min(room, maxStoredTerms) {
		return r
	}
	stored := (*dense.Matrix)(matrices.NewNarrow(x.Rows(), e.Len()))
	for i := range x.Rows() {
		copy(stored.Row(i), r.termsOf(i))
	}
	r.stored = stored
	return r
}

func newExpanded(x Rows, e *curves.Expansion) *expanded {
	r := &expanded{rows: x, e: e, cols: x.Cols(), terms: make([]float32, e.Len()), last: -1,
		exact: make([]float64, e.Len())}
	for k := range e.Terms {
		r.places = append(r.places, int32(r.cols+k))
	}
	return r
}

// flatten copies the given rows of x, terms included, into a dense matrix. Dot64 and AddTo of the
// copies use values rounded to float32. flatten returns nil unless x is expanded and dense, and the
// copies take at most maxStoredTerms.
func flatten(x Rows, rows []uint32) Rows {
	r, ok := x.(*expanded)
	if !ok || Kind(r) != "dense" || 4*len(rows)*r.Cols() > maxStoredTerms {
		return nil
	}
	d := (*dense.Matrix)(matrices.NewNarrow(len(rows), r.Cols()))
	for k, i := range rows {
		_, values := r.Row(int(i))
		copy(d.Row(k), values)
	}
	return newDenseRows(d)
}

// The result is valid until the next call.
func (r *expanded) scaled(i int) []float32 {
	index, values := r.rows.Row(i)
	if index == nil {
		return values
	}
	if r.z == nil {
		r.z = make([]float32, r.cols)
	}
	for _, j := range r.nonzero {
		r.z[j] = 0
	}
	r.nonzero = append(r.nonzero[:0], index...)
	for k, j := range index {
		r.z[j] = values[k]
	}
	return r.z
}

// The result is valid until the next call.
func (r *expanded) termsOf(i int) []float32 {
	if r.stored != nil {
		return r.stored.Row(i)
	}
	if i != r.last { // a step visits its row twice
		curves.Fill(r.e, r.terms, r.scaled(i))
		r.last = i
	}
	return r.terms
}

// The result is valid until the next call.
func (r *expanded) exactTerms(i int) []float64 {
	curves.Fill(r.e, r.exact, r.scaled(i))
	return r.exact
}

func (r *expanded) Cols() int { return r.cols + r.e.Len() }

func (r *expanded) Size() int {
	if r.stored == nil {
		return r.rows.Size()
	}
	return r.rows.Size() + 4*r.rows.Rows()*r.e.Len()
}

func (r *expanded) Clone() Rows {
	c := newExpanded(r.rows.Clone(), r.e)
	c.stored = r.stored
	return c
}

func (r *expanded) Take(rows []uint32) Rows {
	c := newExpanded(r.rows.Take(rows), r.e)
	if r.stored != nil {
		c.stored = r.stored.Take(rows)
	}
	return c
}

func (r *expanded) Dot(i int, w []float32) float32 {
	z := r.rows.Dot(i, w[:r.cols])
	return z + asm.Dot(r.termsOf(i), w[r.cols:])
}

func (r *expanded) Axpy(i int, a float32, w []float32) {
	r.rows.Axpy(i, a, w[:r.cols])
	asm.Axpy(a, r.termsOf(i), w[r.cols:])
}

func (r *expanded) SumSquares(i int) float32 {
	return r.rows.SumSquares(i) + dense.SumSquares(r.termsOf(i))
}

func (r *expanded) Row(i int) (index []int32, values []float32) {
	terms := r.termsOf(i)
	index, values = r.rows.Row(i)
	r.values = append(append(r.values[:0], values...), terms...)
	if index == nil {
		return nil, r.values
	}
	r.index = append(append(r.index[:0], index...), r.places...)
	return r.index, r.values
}

func (r *expanded) DotMany(dst []float32, rows []uint32, w []float32) { dotMany(r, dst, rows, w) }
func (r *expanded) AxpyMany(a []float32, rows []uint32, w []float32)  { axpyMany(r, a, rows, w) }

func (r *expanded) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	dotVectors(r, dst, i, vectors, first)
}

func (r *expanded) FastBatches() bool           { return false }
func (r *expanded) Compact(int) (Rows, bool)    { return nil, false }
func (r *expanded) Interleaved() *sparse.Matrix { return nil }
func (r *expanded) Steps() *Stepper             { return nil }

// DotError includes the rounding of the terms and the weights to float32, and of the sum of the two
// dot products.
func (r *expanded) DotError(i int) float64 {
	return max(r.rows.DotError(i), denseError(r.e.Len())+1.01*0x1p-23) + 1.01*0x1p-24
}

func (r *expanded) Dot64(i int, w []float64) float64 {
	z := r.rows.Dot64(i, w[:r.cols])
	return z + floats.Dot(r.exactTerms(i), w[r.cols:])
}

func (r *expanded) AddTo(u []float64, s Sum) {
	r.rows.AddTo(u[:r.cols], s)
	u = u[r.cols:]
	for k := range s.Len() {
		i, a := s.Term(k)
		if a == 0 {
			continue
		}
		terms := r.exactTerms(i)
		u := u[:len(terms)]
		for k, v := range terms {
			u[k] += float64(a * v)
		}
	}
}

// TermsOf returns the terms of e for the rows of x, which are scaled. Only Row may read the terms.
func TermsOf(x Rows, e *curves.Expansion) Rows { return &termRows{newExpanded(x, e)} }

type termRows struct{ *expanded }

func (r *termRows) Cols() int                                   { return r.e.Len() }
func (r *termRows) Clone() Rows                                 { return TermsOf(r.rows.Clone(), r.e) }
func (r *termRows) Row(i int) (index []int32, values []float32) { return nil, r.termsOf(i) }

// Unexpanded returns the scaled rows of x if x is expanded, otherwise x itself.
func Unexpanded(x Rows) Rows {
	if r, ok := x.(*expanded); ok {
		return r.rows
	}
	return x
}
