// Package cholesky factors symmetric positive definite matrices in float32, and solves equations
// with the factor in float64.
//
// The matrix is scaled first, so that its diagonal lies between 1/2 and 2: by powers of two, which
// round nothing. Rows of raw data differ by orders of magnitude, and a factor in float32 bears that
// only so. See Higham, Accuracy and Stability of Numerical Algorithms, chapter 10.
package cholesky

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/floats"
	"github.com/pegasimd/pegasimd/internal/gram"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Factor is an upper triangular U with U'U = DAD for a matrix A, where D is diagonal.
type Factor struct {
	dim    int
	stride int       // of u
	u      []float32 // rows; below the diagonal is nothing of use
	scale  []float64 // D
	row    []float64
	a, b   []float32 // panels of rows that are subtracted
}

// step is the number of rows that are subtracted from the rest at a time: whole tiles in both
// directions.
const step = 8 * asm.TileRows

// New returns a factor of matrices with dim rows and columns.
func New(dim int) *Factor {
	f := &Factor{dim: dim}
	rows := up(dim, asm.TileRows)
	f.stride = up(rows, asm.TileCols)
	f.u = make([]float32, rows*f.stride)
	f.scale, f.row = make([]float64, dim), make([]float64, dim)
	f.a, f.b = make([]float32, step*rows), make([]float32, step*f.stride)
	return f
}

// up returns the least multiple of m that is not below n.
func up(n, m int) int { return (n + m - 1) / m * m }

// Decompose factors A = scale*m + add*I. It returns an error if A is not positive definite, as far
// as float32 can tell: f is of no use then. Up to threads goroutines share the work; the bits
// don't depend on their number.
func (f *Factor) Decompose(m gram.Matrix, add, scale float64, threads int) error {
	if m.Dim() != f.dim {
		panic(fmt.Sprintf("cholesky: a matrix of %d rows for a factor of %d", m.Dim(), f.dim))
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

// load makes u the upper half of DAD.
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
	return fmt.Errorf("cholesky: row %d of %d has pivot %v: the matrix is not positive definite", i,
		f.dim, pivot)
}

// rows finishes the rows from first to end-1, at most those of a tile: all rows above them have
// been subtracted.
func (f *Factor) rows(first, end int) error {
	var column [asm.TileRows]float32
	for r := first; r < end; r++ {
		for q := first; q < r; q++ {
			column[q-first] = f.u[q*f.stride+r]
		}
		row := f.u[r*f.stride+r:][:f.dim-r]
		asm.GemvT(-1, f.u[first*f.stride+r:], f.stride, column[:r-first], row)
		if !(row[0] > 0) || math.IsInf(float64(row[0]), 1) {
			return f.notDefinite(r, float64(row[0]))
		}
		asm.Scale(float32(1/math.Sqrt(float64(row[0]))), row)
	}
	return nil
}

// subtract subtracts rows from k0 to k1-1 of U, which are finished, from those from k1 to end-1.
func (f *Factor) subtract(k0, k1, end, threads int) {
	k := k1 - k0
	from, last := k1/asm.TileCols*asm.TileCols, up(f.dim, asm.TileCols)
	for r := range k {
		row := f.u[(k0+r)*f.stride:][:f.stride]
		asm.Pack(f.a[r*asm.TileRows:], asm.TileRows, k*asm.TileRows, -1,
			row[k1:k1+up(end-k1, asm.TileRows)])
		asm.Pack(f.b[r*asm.TileCols:], asm.TileCols, k*asm.TileCols, 1, row[from:last])
	}
	panels := (last - from) / asm.TileCols
	parallel.For(threads, panels, func(_, n int) {
		j := last - (n+1)*asm.TileCols // the longest first
		b := f.b[(j-from)*k:][:k*asm.TileCols]
		for i := k1; i < min(end, j+asm.TileCols); i += asm.TileRows {
			asm.RankK(f.u[i*f.stride+j:], f.stride, f.a[(i-k1)*k:][:k*asm.TileRows], b)
		}
	})
}

// Solve sets b to the solution x of Ax = b, in float64 and one fixed order.
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
