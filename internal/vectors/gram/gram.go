// Package gram computes weighted Gram matrices: the sum of c x x' over rows x with coefficients c.
// Sum adds dense rows in float32, SparseSum sparse rows in float64, Bytes 8-bit rows exactly.
//
// Only the upper triangles of these symmetric matrices are computed.
package gram

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Matrix is a symmetric matrix with Dim() rows and columns.
type Matrix interface {
	Dim() int
	// Upper sets dst[j] to element (i, j) for i <= j < Dim(), and leaves other elements alone.
	Upper(i int, dst []float64)
	Diagonal(dst []float64)
}

// Sum is a Gram matrix of dense rows in float32. Rows are added in blocks of asm.BlockRows. Reset
// and reading an element end a block. A block adds to element (i, j), i <= j,
//
//	for r := range rows {
//		block += float32(float32(c[r] * x[r][i]) * x[r][j])
//	}
//	sum += block
//
// in float32, with both sums starting at +0. For n rows in full blocks the rounding error is at
// most about (256 + n/256) 2^-24 of the sum of magnitudes.
type Sum struct {
	dim    int
	stride int
	sum    []float32       // row-major; only the upper triangle is used
	a, b   panels[float32] // packed rows; in a they are multiplied by their coefficients
	rows   int
	blocks int // capacity of a and b, in blocks of rows

	threads int // number of goroutines of the last AddEach
}

func New(dim int) *Sum {
	if dim < 0 {
		panic(fmt.Sprintf("gram: New(%d): want 0 or more columns", dim))
	}
	s := &Sum{dim: dim, a: newPanels[float32](dim, asm.TileRows),
		b: newPanels[float32](dim, asm.TileCols)}
	rows := roundUp(dim, asm.TileRows)
	s.stride = roundUp(dim, asm.TileCols)
	s.sum = make([]float32, rows*s.stride)
	return s
}

func (s *Sum) Dim() int { return s.dim }

func (s *Sum) Reset() {
	clear(s.sum)
	s.rows = 0
}

func (s *Sum) Upper(i int, dst []float64) {
	s.flush()
	row := s.sum[i*s.stride:][:s.dim]
	for j := i; j < s.dim; j++ {
		dst[j] = float64(row[j])
	}
}

func (s *Sum) Diagonal(dst []float64) {
	s.flush()
	for i := range s.dim {
		dst[i] = float64(s.sum[i*s.stride+i])
	}
}

// AddRows adds the rows x[r*stride:][:Dim()] with coefficients c[r], in up to threads goroutines.
func (s *Sum) AddRows(x []float32, stride int, c []float32, threads int) {
	if stride < s.dim {
		panic(fmt.Sprintf("gram: AddRows: %d columns in rows that are %d apart", s.dim, stride))
	}
	s.AddEach(len(c), threads, func(_, r int) ([]float32, float32) {
		return x[r*stride:][:s.dim], c[r]
	})
}

// maxPackedBytes limits the packed rows of a Sum that several goroutines share, unless one block is
// larger.
const maxPackedBytes = 4 << 20

// AddEach adds n rows with coefficients, in up to threads goroutines. row returns row r and its
// coefficient to goroutine worker, and may reuse the slice at its next call in that goroutine.
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
		parallel.For(threads, (take+packRows-1)/packRows, func(worker, i int) {
			for r := i * packRows; r < min((i+1)*packRows, take); r++ {
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

func (s *Sum) reserve(threads int) {
	blocks := 1
	if threads > 1 {
		blocks = min(max(maxPackedBytes/(4*(s.a.block+s.b.block)), 1), 8)
	}
	if blocks > s.blocks {
		s.blocks = blocks
		s.a.reserve(blocks)
		s.b.reserve(blocks)
	}
}

const packRows = 64 // rows packed by a goroutine at a time

// flush adds the packed rows to sum, and ends their block.
func (s *Sum) flush() {
	if s.rows == 0 {
		return
	}
	forTiles(s.dim, s.threads, s.multiply)
	s.rows = 0
}

// start and end are rows of sum; j is the first column of a panel.
func (s *Sum) multiply(start, end, j int) {
	for done := 0; done < s.rows; done += asm.BlockRows {
		block, k := done/asm.BlockRows, min(s.rows-done, asm.BlockRows)
		b := s.b.rows(block, j, k)
		for i := start; i < end; i += asm.TileRows {
			asm.RankK(s.sum[i*s.stride+j:], s.stride, s.a.rows(block, i, k), b)
		}
	}
}
