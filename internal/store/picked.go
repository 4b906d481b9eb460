package store

import (
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/matrices"
)

// picked is some rows of others, in any order, without copies: row i is row at[i] of the others.
// All results are the bits of copies.
type picked struct {
	rows
	at     []uint32
	buffer []uint32 // numbers for a call of DotMany or AxpyMany
}

// pickedMatrix is picked for rows of a Matrix.
type pickedMatrix struct {
	picked
	matrix Matrix
}

// Pick returns the given rows of x, in the given order, without copying them. It keeps at.
func Pick(x Rows, at []uint32) Rows {
	if of := pickedOf(x); of != nil {
		at, x = of.among(make([]uint32, 0, len(at)), at), of.rows
	}
	p := picked{rows: x, at: at}
	if m, ok := x.(Matrix); ok {
		return &pickedMatrix{p, m}
	}
	return &p
}

// pickedOf returns x if it is picked rows, else nil.
func pickedOf(x Examples) *picked {
	switch x := x.(type) {
	case *picked:
		return x
	case *pickedMatrix:
		return &x.picked
	}
	return nil
}

// among appends the numbers that the given rows have among the others.
func (p *picked) among(to, rows []uint32) []uint32 {
	for _, i := range rows {
		to = append(to, p.at[i])
	}
	return to
}

func (p *picked) ForWorker() Rows { return Pick(p.rows.ForWorker(), p.at) }
func (p *picked) Rows() int       { return len(p.at) }

// Size is the share of these rows in the size of all, as that of copies would be.
func (p *picked) Size() int {
	return int(float64(p.rows.Size()) * float64(len(p.at)) / float64(max(1, p.rows.Rows())))
}

func (p *picked) Dot(i int, w []float32) float32     { return p.rows.Dot(int(p.at[i]), w) }
func (p *picked) Axpy(i int, a float32, w []float32) { p.rows.Axpy(int(p.at[i]), a, w) }
func (p *picked) SumSquares(i int) float32           { return p.rows.SumSquares(int(p.at[i])) }
func (p *picked) DotError(i int) float64             { return p.rows.DotError(int(p.at[i])) }
func (p *picked) Fetch(i int)                        { p.rows.Fetch(int(p.at[i])) }

func (p *picked) WideDot(i int, w []float64) float64 { return p.rows.WideDot(int(p.at[i]), w) }

// WillNeed asks for rows side by side in the file together.
func (p *picked) WillNeed() matrices.WillNeed {
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

func (p *picked) Take(rows []uint32) Rows {
	return p.rows.Take(p.among(make([]uint32, 0, len(rows)), rows))
}

func (p *picked) Compact(int) (Rows, bool) { return nil, false }
func (p *picked) Interleaved() Interleaved { return nil }
func (p *picked) Steps() *Stepper          { return nil }

func (p *picked) DotMany(dst []float32, rows []uint32, w []float32) {
	p.buffer = p.among(p.buffer[:0], rows)
	p.rows.DotMany(dst, p.buffer, w)
}

func (p *picked) AxpyMany(a []float32, rows []uint32, w []float32) {
	p.buffer = p.among(p.buffer[:0], rows)
	p.rows.AxpyMany(a, p.buffer, w)
}

func (p *picked) DotVectors(dst []float32, i int, vectors *dense.Matrix, first int) {
	p.rows.DotVectors(dst, int(p.at[i]), vectors, first)
}

func (p *picked) AddTo(u []float64, s Sum) {
	s.picked = p.at
	p.rows.AddTo(u, s)
}

// Row returns the columns and values of row i: see Matrix.
func (p *pickedMatrix) Row(i int) (index []int32, values []float32) {
	return p.matrix.Row(int(p.at[i]))
}

// Dense returns the dense matrix that holds all rows, or nil if that is sparse. Callers use it only to
// tell how the rows are held.
func (p *pickedMatrix) Dense() *dense.Matrix { return p.matrix.Dense() }

// Examples returns copies of the rows, as the caller's package has them.
func (p *pickedMatrix) Examples() Examples { return p.Take(every(len(p.at))).(Matrix).Examples() }

// every returns the numbers from 0 to n-1.
func every(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

// pickedNonzeros reads picked rows by their nonzeros.
type pickedNonzeros struct {
	of Nonzeros
	at []uint32
}

func (r pickedNonzeros) Nonzeros(i int) (index []int32, values []float32) {
	return r.of.Nonzeros(int(r.at[i]))
}
