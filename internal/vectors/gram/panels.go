package gram

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// panels stores blocks of asm.BlockRows rows. Panel p of a block holds columns p*width to
// (p+1)*width-1 of its rows, row after row. Columns beyond the last are never written to, and stay
// zero.
type panels[T float32 | uint32] struct {
	width int
	step  int // elements from panel to panel; a power of 2 would map the panels to few cache sets
	block int
	data  []T
}

func newPanels[T float32 | uint32](dim, width int) panels[T] {
	step := asm.BlockRows*width + 16
	return panels[T]{width: width, step: step, block: roundUp(dim, width) / width * step}
}

func roundUp(n, m int) int { return (n + m - 1) / m * m }

func (p *panels[T]) reserve(blocks int) {
	data := make([]T, blocks*p.block)
	copy(data, p.data)
	p.data = data
}

// r counts from the start of block 0.
func (p *panels[T]) from(r int) []T {
	return p.data[r/asm.BlockRows*p.block+r%asm.BlockRows*p.width:]
}

func (p *panels[T]) rows(block, j, k int) []T {
	return p.data[block*p.block+j/p.width*p.step:][:k*p.width]
}

// forTiles calls multiply, in up to threads goroutines, for pieces that cover the upper triangle of
// a matrix of dim rows. A piece is the rows start to end-1 of the panel that starts at column j.
// start is a multiple of the tile's height, and j of its width.
func forTiles(dim, threads int, multiply func(start, end, j int)) {
	const strip = 8 * asm.TileRows
	type job struct{ start, end, j int }
	var jobs []job
	for j := roundUp(dim, asm.TileCols) - asm.TileCols; j >= 0; j -= asm.TileCols { // longest first
		end := min(j+asm.TileCols, dim)
		for i := 0; i < end; i += strip {
			jobs = append(jobs, job{i, min(i+strip, end), j})
		}
	}
	parallel.For(threads, len(jobs), func(_, n int) {
		multiply(jobs[n].start, jobs[n].end, jobs[n].j)
	})
}
