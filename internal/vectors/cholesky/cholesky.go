// Package cholesky factors symmetric positive definite matrices in float32, and solves linear
// systems with the factor, in float64.
//
// The matrix is first scaled by powers of two so that its diagonal lies between 1/2 and 2: see
// Higham, Accuracy and Stability of Numerical Algorithms, chapter 10.
package cholesky

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
	"github.com/pegasimd/pegasimd/internal/vectors/gram"
)

// Factor is an upper triangular U with U'U = DAD for a matrix A and a diagonal D.
type Factor struct {
	dim    int
	stride int
	u      []float32 // row-major; elements below the diagonal are undefined
	scale  []float64 // the diagonal of D
	row    []float64 // buffer: the diagonal or a row of the matrix
	a, b   []float32 // panels into which subtract packs rows of U
}

// Decompose subtracts the products of step rows of U from later rows at a time. step is a multiple
// of the tile's height and width.
const step = 8 * asm.TileRows

func New(dim int) *Factor {
	f := &Factor{dim: dim}
	rows := roundUp(dim, asm.TileRows)
	f.stride = roundUp(rows, asm.TileCols)
	f.u = make([]float32, rows*f.stride)
	f.scale, f.row = make([]float64, dim), make([]float64, dim)
	f.a, f.b = make([]float32, step*rows), make([]float32, step*f.stride)
	return f
}

func roundUp(n, m int) int { return (n + m - 1) / m * m }

// Decompose factors A = scale*m + add*I, in up to threads goroutines. It returns an error, and
// leaves f unusable, if A is not positive definite in float32.
func (f *Factor) Decompose(m gram.Matrix, add, scale float64, threads int) error {
	if m.Dim() != f.dim {
		panic(fmt.Sprintf("cholesky: a matrix of %d rows for a factor of %d rows", m.Dim(), f.dim))
	}
	if err := f.load(m, add, scale); err != nil {
		return err
	}
	for k0 := 0; k0 < f.dim; k0 += step {
		k1 := min(k0+step, f.dim)
		for q0 := k0; q0 < k1; q0 += asm.TileRows {
			q1 := min(q0+asm.TileRows, k1)
			if err := f.rows(q0, q1); err != nil {
				return err
			}
			if q1 < k1 {
				f.subtract(q0, q1, k1, threads)
			}
		}
		if k1 < f.dim {
			f.subtract(k0, k1, f.dim, threads)
		}
	}
	return nil
}

// load stores the upper triangle of DAD in f.u, and the diagonal of D in f.scale. It returns an
// error if a diagonal element of A is not positive and finite.
func (f *Factor) load(m gram.Matrix, add, scale float64) error {
	m.Diagonal(f.row)
	for i, v := range f.row {
		v = float64(scale*v) + add
		if !(v > 0) || math.IsInf(v, 1) {
			return f.notDefinite(i, v)
		}
		_, exponent := math.Frexp(v)
		f.scale[i] = math.Ldexp(1, -(exponent >> 1))
	}
	for i := range f.dim {
		m.Upper(i, f.row)
		row := f.u[i*f.stride:][:f.dim]
		c := float64(scale * f.scale[i])
		from, by := f.row[:len(row)], f.scale[:len(row)]
		for j := i; j < len(row); j++ {
			row[j] = float32(c * from[j] * by[j])
		}
		row[i] = float32((float64(scale*f.row[i]) + add) * f.scale[i] * f.scale[i])
	}
	return nil
}

func (f *Factor) notDefinite(i int, pivot float64) error {
	return fmt.Errorf("cholesky: row %d of %d has pivot %v: the matrix is not positive definite "+
		"in float32", i, f.dim, pivot)
}

// rows computes rows start to end-1 of U, at most asm.TileRows. The products of all earlier rows of
// U must have been subtracted from these rows.
func (f *Factor) rows(start, end int) error {
	var column [asm.TileRows]float32
	for r := start; r < end; r++ {
		for q := start; q < r; q++ {
			column[q-start] = f.u[q*f.stride+r]
		}
		row := f.u[r*f.stride+r:][:f.dim-r]
		asm.GemvT(-1, f.u[start*f.stride+r:], f.stride, column[:r-start], row)
		if !(row[0] > 0) || math.IsInf(float64(row[0]), 1) {
			return f.notDefinite(r, float64(row[0]))
		}
		asm.Scale(float32(1/math.Sqrt(float64(row[0]))), row)
	}
	return nil
}

// subtract subtracts the sum of U(k, i)*U(k, j), k0 <= k < k1, from each element (i, j) of f.u with
// k1 <= i < end and i <= j.
func (f *Factor) subtract(k0, k1, end, threads int) {
	k := k1 - k0
	from, last := k1/asm.TileCols*asm.TileCols, roundUp(f.dim, asm.TileCols)
	for r := range k {
		row := f.u[(k0+r)*f.stride:][:f.stride]
		asm.Pack(f.a[r*asm.TileRows:], asm.TileRows, k*asm.TileRows, -1,
			row[k1:k1+roundUp(end-k1, asm.TileRows)])
		asm.Pack(f.b[r*asm.TileCols:], asm.TileCols, k*asm.TileCols, 1, row[from:last])
	}
	panels := (last - from) / asm.TileCols
	parallel.For(threads, panels, func(_, n int) {
		j := last - (n+1)*asm.TileCols // longest jobs first
		b := f.b[(j-from)*k:][:k*asm.TileCols]
		for i := k1; i < min(end, j+asm.TileCols); i += asm.TileRows {
			asm.RankK(f.u[i*f.stride+j:], f.stride, f.a[(i-k1)*k:][:k*asm.TileRows], b)
		}
	})
}

// Solve replaces b by the solution x of Ax = b for the A of Decompose, in float64 and in a fixed
// order of operations.
func (f *Factor) Solve(b []float64) {
	b = b[:f.dim]
	for i := range b {
		b[i] *= f.scale[i]
	}
	for i := range b {
		row := f.u[i*f.stride:][:f.dim]
		b[i] /= float64(row[i])
		asm.Axpy64(-b[i], row[i+1:], b[i+1:])
	}
	for i := len(b) - 1; i >= 0; i-- {
		row := f.u[i*f.stride:][:f.dim]
		b[i] = (b[i] - floats.Dot(row[i+1:], b[i+1:])) / float64(row[i])
	}
	for i := range b {
		b[i] *= f.scale[i]
	}
}
