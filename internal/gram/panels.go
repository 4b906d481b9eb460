package gram

import (
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// panels are blocks of asm.BlockRows rows. Panel p of a block has columns p*width to
// (p+1)*width-1 of all its rows, one row behind the other. Behind the last column are zeros, for
// nothing is ever stored there.
type panels[T float32 | uint32] struct {
	width int
	step  int // between panels; no power of two, whose lines would be few in the caches
	block int // elements of a block
	data  []T
}

func newPanels[T float32 | uint32](dim, width int) panels[T] {
	step := asm.BlockRows*width + 16
	return panels[T]{width: width, step: step, block: up(dim, width) / width * step}
}

// up returns the least multiple of m that is not below n.
func up(n, m int) int { return (n + m - 1) / m * m }

// reserve makes room for the given number of blocks, and keeps the present ones.
func (p *panels[T]) reserve(blocks int) {
	data := make([]T, blocks*p.block)
	copy(data, p.data)
	p.data = data
}

// from returns the data from the first element of row r on, counted from the first block's first.
func (p *panels[T]) from(r int) []T {
	return p.data[r/asm.BlockRows*p.block+r%asm.BlockRows*p.width:]
}

// rows returns the first k rows of the panel of a block that begins with column j.
func (p *panels[T]) rows(block, j, k int) []T {
	return p.data[block*p.block+j/p.width*p.step:][:k*p.width]
}

// inStrips calls multiply for all tiles of the upper triangle: those of rows from first to end-1
// and the panel of columns j, first and j being multiples of a tile's sides. Up to threads
// goroutines share the work.
func inStrips(dim, threads int, multiply func(first, end, j int)) {
	const strip = 8 * asm.TileRows
	type job struct{ first, end, j int }
	var jobs []job
	for j := up(dim, asm.TileCols) - asm.TileCols; j >= 0; j -= asm.TileCols { // the longest first
		end := min(j+asm.TileCols, dim)
		for i := 0; i < end; i += strip {
			jobs = append(jobs, job{i, min(i+strip, end), j})
		}
	}
	parallel.For(threads, len(jobs), func(_, n int) {
		multiply(jobs[n].first, jobs[n].end, jobs[n].j)
	})
}
