// Package gram adds up products of rows with themselves: the matrix of all c x x', where x is a row
// and c its coefficient. Newton's method needs it for its Hessian.
//
// Such a matrix is symmetric. Here element (i, j), where i <= j, is computed, and stands for (j, i)
// as well. Each is a sum of its own over the rows in their order, so that neither the path of the
// kernels nor the number of threads changes a bit of it.
package gram

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// A Matrix is symmetric, with Dim() rows and columns.
type Matrix interface {
	Dim() int
	// Upper sets dst[j] to element (i, j) for i <= j < Dim(), and leaves the others alone.
	Upper(i int, dst []float64)
	// Diagonal sets dst[i] to element (i, i).
	Diagonal(dst []float64)
}

// A Sum adds up dense rows in float32. Rows are taken in blocks of asm.BlockRows, counted from the
// first one that is added after Reset, or after an element is read. In a block, element (i, j) with
// i <= j is
//
//	for r := range rows {
//		block += float32(float32(c[r] * x[r][i]) * x[r][j])
//	}
//	sum += block
//
// in float32, both sums from +0: the rounding error of n rows is at most about (256 + n/256) 2^-24
// of the sum of magnitudes. Rows can't be taken away again: that would leave their rounding errors
// behind, which may be larger than what remains.
type Sum struct {
	dim    int
	stride int             // of sum
	sum    []float32       // rows of columns; the upper triangle counts
	a, b   panels[float32] // rows to be added, in a times their coefficients
	rows   int             // in a and b
	blocks int             // that fit a and b

	threads int // that added rows last
}

// New returns the sum of no rows of dim columns.
func New(dim int) *Sum {
	if dim < 0 {
		panic(fmt.Sprintf("gram: New(%d)", dim))
	}
	s := &Sum{dim: dim, a: newPanels[float32](dim, asm.TileRows),
		b: newPanels[float32](dim, asm.TileCols)}
	rows := up(dim, asm.TileRows)
	s.stride = up(dim, asm.TileCols)
	s.sum = make([]float32, rows*s.stride)
	return s
}

// Dim returns the number of columns.
func (s *Sum) Dim() int { return s.dim }

// Reset makes s the sum of no rows.
func (s *Sum) Reset() {
	clear(s.sum)
	s.rows = 0
}

// Upper implements Matrix.
func (s *Sum) Upper(i int, dst []float64) {
	s.flush()
	row := s.sum[i*s.stride:][:s.dim]
	for j := i; j < s.dim; j++ {
		dst[j] = float64(row[j])
	}
}

// Diagonal implements Matrix.
func (s *Sum) Diagonal(dst []float64) {
	s.flush()
	for i := range s.dim {
		dst[i] = float64(s.sum[i*s.stride+i])
	}
}

// AddRows adds the rows x[r*stride:][:Dim()] with coefficients c[r]. Up to threads goroutines
// share the work.
func (s *Sum) AddRows(x []float32, stride int, c []float32, threads int) {
	if stride < s.dim {
		panic(fmt.Sprintf("gram: AddRows: %d columns in rows that are %d apart", s.dim, stride))
	}
	s.AddEach(len(c), threads, func(_, r int) ([]float32, float32) {
		return x[r*stride:][:s.dim], c[r]
	})
}

// packedBytes is what the packed rows of several goroutines may take: with more of them each has
// something to do for longer.
const packedBytes = 4 << 20

// AddEach adds n rows, with coefficients: row gives number r to the goroutine of the number worker,
// which is done with it when it asks for its next one.
func (s *Sum) AddEach(n, threads int, row func(worker, r int) (x []float32, c float32)) {
	if s.dim == 0 || n == 0 {
		return
	}
	s.threads = threads
	s.reserve(threads)
	room := s.blocks * asm.BlockRows
	for done := 0; done < n; {
		take := min(n-done, room-s.rows)
		first := s.rows
		parallel.For(threads, (take+chunk-1)/chunk, func(worker, i int) {
			for r := i * chunk; r < min((i+1)*chunk, take); r++ {
				x, c := row(worker, done+r)
				asm.Pack(s.a.from(first+r), asm.TileRows, s.a.step, c, x)
				asm.Pack(s.b.from(first+r), asm.TileCols, s.b.step, 1, x)
			}
		})
		s.rows += take
		done += take
		if s.rows == room {
			s.flush()
		}
	}
}

// reserve makes room for the rows of as many blocks as keep the given number of goroutines busy.
func (s *Sum) reserve(threads int) {
	blocks := 1
	if threads > 1 {
		blocks = min(max(packedBytes/(4*(s.a.block+s.b.block)), 1), 8)
	}
	if blocks > s.blocks {
		s.blocks = blocks
		s.a.reserve(blocks)
		s.b.reserve(blocks)
	}
}

const chunk = 64 // rows that a goroutine packs at a time

// flush adds the rows that are packed, which ends their block.
func (s *Sum) flush() {
	if s.rows == 0 {
		return
	}
	inStrips(s.dim, s.threads, s.multiply)
	s.rows = 0
}

// multiply adds the rows to the elements of the panel of columns j and rows from first to end-1.
func (s *Sum) multiply(first, end, j int) {
	for done := 0; done < s.rows; done += asm.BlockRows {
		block, k := done/asm.BlockRows, min(s.rows-done, asm.BlockRows)
		b := s.b.rows(block, j, k)
		for i := first; i < end; i += asm.TileRows {
			asm.RankK(s.sum[i*s.stride+j:], s.stride, s.a.rows(block, i, k), b)
		}
	}
}
