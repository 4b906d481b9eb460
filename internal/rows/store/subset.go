package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// An embedded field named Rows would clash with the method Rows.
type rows = Rows

// Row i of a subset is row at[i] of the base. Products and sums have the same bits as on copies,
// except for user-defined rows, whose copies may be sparse.
type subset struct {
	rows
	at     []uint32
	buffer []uint32
}

type subsetMatrix struct {
	subset
	matrix Matrix
}

// Subset returns the rows of x with the indices at, without copies. The result may retain at.
func Subset(x Rows, at []uint32) Rows {
	if of := subsetOf(x); of != nil {
		at, x = of.appendBase(make([]uint32, 0, len(at)), at), of.rows
	}
	p := subset{rows: x, at: at}
	if m, ok := x.(Matrix); ok {
		return &subsetMatrix{p, m}
	}
	return &p
}

func subsetOf(x Examples) *subset {
	switch x := x.(type) {
	case *subset:
		return x
	case *subsetMatrix:
		return &x.subset
	}
	return nil
}

func (p *subset) appendBase(dst, rows []uint32) []uint32 {
	for _, i := range rows {
		dst = append(dst, p.at[i])
	}
	return dst
}

func (p *subset) Clone() Rows { return Subset(p.rows.Clone(), p.at) }
func (p *subset) Rows() int   { return len(p.at) }

// Size estimates the subset's share of the base's Size.
func (p *subset) Size() int {
	return int(float64(p.rows.Size()) * float64(len(p.at)) / float64(max(1, p.rows.Rows())))
}

func (p *subset) Dot(i int, w []float32) float32     { return p.rows.Dot(int(p.at[i]), w) }
func (p *subset) Axpy(i int, a float32, w []float32) { p.rows.Axpy(int(p.at[i]), a, w) }
func (p *subset) SumSquares(i int) float32           { return p.rows.SumSquares(int(p.at[i])) }
func (p *subset) DotError(i int) float64             { return p.rows.DotError(int(p.at[i])) }
func (p *subset) Prefetch(i int)                     { p.rows.Prefetch(int(p.at[i])) }

func (p *subset) Row(i int) ([]int32, []float32)   { return p.rows.Row(int(p.at[i])) }
func (p *subset) Dot64(i int, w []float64) float64 { return p.rows.Dot64(int(p.at[i]), w) }

func (p *subset) WillNeed() matrices.WillNeed {
	ask := p.rows.WillNeed()
	if ask == nil {
		return nil
	}
	return func(first, end int) {
		if first == end {
			ask(0, 0)
		}
		for first < end {
			from := int(p.at[first])
			to := from
			for ; first < end && int(p.at[first]) == to; first++ {
				to++
			}
			ask(from, to)
		}
	}
}

func (p *subset) Take(rows []uint32) Rows {
	return p.rows.Take(p.appendBase(make([]uint32, 0, len(rows)), rows))
}

func (p *subset) Compact(int) (Rows, bool)    { return nil, false }
func (p *subset) Interleaved() *sparse.Matrix { return nil }
func (p *subset) Steps() *Stepper             { return nil }

func (p *subset) DotMany(dst []float32, rows []uint32, w []float32) {
	p.buffer = p.appendBase(p.buffer[:0], rows)
	p.rows.DotMany(dst, p.buffer, w)
}

func (p *subset) AxpyMany(a []float32, rows []uint32, w []float32) {
	p.buffer = p.appendBase(p.buffer[:0], rows)
	p.rows.AxpyMany(a, p.buffer, w)
}

func (p *subset) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	p.rows.DotVectors(dst, int(p.at[i]), vectors, first)
}

func (p *subset) AddTo(u []float64, s Sum) {
	s.base = p.at
	p.rows.AddTo(u, s)
}

// Dense returns the matrix of the base, with all of its rows; nil if the base is sparse.
func (p *subsetMatrix) Dense() *dense.Matrix { return p.matrix.Dense() }

func (p *subsetMatrix) Examples() Examples { return p.Take(upTo(len(p.at))).(Matrix).Examples() }

func upTo(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}
