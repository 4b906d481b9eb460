package gram

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/parallel"
)

// Bytes adds up rows of bytes, exactly: element (i, j) is the sum of x[i]*x[j] over the rows that
// have been added and not removed, whatever their order. So rows can come and go.
type Bytes struct {
	dim    int
	stride int
	sum    []int64 // rows of columns; the upper triangle counts
	recent []int32 // what is to be added to it
	rows   int     // in recent
	a, b   panels[uint32]
}

// recentRows is how many rows recent holds at most: 255*255 times as many are below 2^31.
const recentRows = 1 << 15

// NewBytes returns the sum of no rows of dim columns.
func NewBytes(dim int) *Bytes {
	if dim < 0 {
		panic(fmt.Sprintf("gram: NewBytes(%d)", dim))
	}
	s := &Bytes{dim: dim, stride: up(dim, asm.TileCols), a: newPanels[uint32](dim, asm.TileRows),
		b: newPanels[uint32](dim, asm.TileCols)}
	n := up(dim, asm.TileRows) * s.stride
	s.sum, s.recent = make([]int64, n), make([]int32, n)
	s.a.reserve(1)
	s.b.reserve(1)
	return s
}

// Dim returns the number of columns.
func (s *Bytes) Dim() int { return s.dim }

// Reset makes s the sum of no rows.
func (s *Bytes) Reset() {
	clear(s.sum)
	clear(s.recent)
	s.rows = 0
}

// At returns element (i, j).
func (s *Bytes) At(i, j int) int64 {
	k := min(i, j)*s.stride + max(i, j)
	return s.sum[k] + int64(s.recent[k])
}

// Upper is what Matrix has it for.
func (s *Bytes) Upper(i int, dst []float64) {
	for j := i; j < s.dim; j++ {
		dst[j] = float64(s.At(i, j))
	}
}

// Diagonal is what Matrix has it for.
func (s *Bytes) Diagonal(dst []float64) {
	for i := range s.dim {
		dst[i] = float64(s.At(i, i))
	}
}

// Add adds n rows. Up to so many goroutines share the work and call row.
func (s *Bytes) Add(n int, row func(r int) []byte, threads int) { s.change(n, row, 1, threads) }

// Remove takes n rows away that have been added.
func (s *Bytes) Remove(n int, row func(r int) []byte, threads int) { s.change(n, row, -1, threads) }

// change adds n rows, times sign, in pairs of rows and a block of pairs at a time.
func (s *Bytes) change(n int, row func(r int) []byte, sign int16, threads int) {
	if s.dim == 0 {
		return
	}
	none := make([]byte, s.dim)
	for done := 0; done < n; done += 2 * asm.BlockRows {
		take := min(n-done, 2*asm.BlockRows)
		pairs := (take + 1) / 2
		parallel.For(threads, (pairs+chunk-1)/chunk, func(_, k int) {
			for p := k * chunk; p < min((k+1)*chunk, pairs); p++ {
				x, y := row(done + 2*p)[:s.dim], none
				if 2*p+1 < take {
					y = row(done + 2*p + 1)[:s.dim]
				}
				packPairs(&s.a, p, sign, x, y)
				packPairs(&s.b, p, 1, x, y)
			}
		})
		s.makeRoom(take)
		inStrips(s.dim, threads, func(first, end, j int) {
			b := s.b.rows(0, j, pairs)
			for i := first; i < end; i += asm.TileRows {
				asm.RankKPairs(s.recent[i*s.stride+j:], s.stride, s.a.rows(0, i, pairs), b)
			}
		})
	}
}

// makeRoom sees to it that recent holds so many rows more.
func (s *Bytes) makeRoom(rows int) {
	if s.rows+rows > recentRows {
		for i, v := range s.recent {
			s.sum[i] += int64(v)
		}
		clear(s.recent)
		s.rows = 0
	}
	s.rows += rows
}

// packPairs makes two rows, times sign, row r of p.
func packPairs(p *panels[uint32], r int, sign int16, x, y []byte) {
	dst := p.from(r)
	for j := 0; j < len(x); j += p.width {
		to := dst[j/p.width*p.step:][:min(p.width, len(x)-j)]
		x, y := x[j:][:len(to)], y[j:][:len(to)]
		for l := range to {
			to[l] = uint32(uint16(sign*int16(x[l]))) | uint32(uint16(sign*int16(y[l])))<<16
		}
	}
}
