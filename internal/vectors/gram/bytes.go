package gram

import (
	"fmt"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/parallel"
)

// Bytes is the exact Gram matrix of rows of bytes: element (i, j) is the sum of x[i]*x[j] over all
// rows x that were added and not removed.
type Bytes struct {
	dim    int
	stride int
	// The upper triangle, row-major. If sum is nil, the elements are in recent, as uint32;
	// otherwise they are sum plus recent.
	sum    []int64
	recent []int32
	rows   int // rows in s if sum is nil; otherwise rows added or removed since sum last changed
	buffer *Buffer
}

// Buffer holds the packed rows that a Bytes adds or removes. Several Bytes may share one if only
// one goroutine at a time adds or removes rows.
type Buffer struct {
	dim  int
	a, b panels[uint32]
}

func NewBuffer(dim int) *Buffer {
	r := &Buffer{dim, newPanels[uint32](dim, asm.TileRows), newPanels[uint32](dim, asm.TileCols)}
	r.a.reserve(1)
	r.b.reserve(1)
	return r
}

// The sums of so many rows fit into recent: 255*255*smallRows is below 2^32, and 255*255*recentRows
// below 2^31.
const (
	smallRows  = 1 << 16
	recentRows = 1 << 15
)

func NewBytes(dim int) *Bytes {
	if dim < 0 {
		panic(fmt.Sprintf("gram: NewBytes(%d): want 0 or more columns", dim))
	}
	s := &Bytes{dim: dim, stride: roundUp(dim, asm.TileCols)}
	s.recent = make([]int32, roundUp(dim, asm.TileRows)*s.stride)
	return s
}

func (s *Bytes) SetBuffer(buffer *Buffer) {
	if buffer.dim != s.dim {
		panic(fmt.Sprintf("gram: a buffer for rows of %d columns in a sum of rows of %d",
			buffer.dim, s.dim))
	}
	s.buffer = buffer
}

func (s *Bytes) Dim() int { return s.dim }

func (s *Bytes) Reset() {
	s.sum = nil
	clear(s.recent)
	s.rows = 0
}

func (s *Bytes) At(i, j int) int64 {
	k := min(i, j)*s.stride + max(i, j)
	if s.sum == nil {
		return int64(uint32(s.recent[k]))
	}
	return s.sum[k] + int64(s.recent[k])
}

func (s *Bytes) Upper(i int, dst []float64) { s.UpperScaled(1, i, dst[:s.dim]) }

// UpperScaled sets dst[j] to c times element (i, j) for i <= j < len(dst).
func (s *Bytes) UpperScaled(c float64, i int, dst []float64) {
	recent := s.recent[i*s.stride:][:len(dst)]
	if s.sum == nil {
		for j := i; j < len(dst); j++ {
			dst[j] = float64(c * float64(uint32(recent[j])))
		}
		return
	}
	sum := s.sum[i*s.stride:][:len(dst)]
	for j := i; j < len(dst); j++ {
		dst[j] = float64(c * float64(sum[j]+int64(recent[j])))
	}
}

func (s *Bytes) Diagonal(dst []float64) {
	for i := range s.dim {
		dst[i] = float64(s.At(i, i))
	}
}

// Add adds n rows. It calls row in up to threads goroutines.
func (s *Bytes) Add(n int, row func(r int) []byte, threads int) { s.change(n, row, 1, threads) }

// Remove subtracts n rows that have been added.
func (s *Bytes) Remove(n int, row func(r int) []byte, threads int) { s.change(n, row, -1, threads) }

// A sign of 1 adds the rows, -1 removes them.
func (s *Bytes) change(n int, row func(r int) []byte, sign int16, threads int) {
	if s.dim == 0 {
		return
	}
	if s.buffer == nil {
		s.buffer = NewBuffer(s.dim)
	}
	pa, pb := &s.buffer.a, &s.buffer.b
	none := make([]byte, s.dim)
	for done := 0; done < n; done += 2 * asm.BlockRows {
		take := min(n-done, 2*asm.BlockRows)
		pairs := (take + 1) / 2
		parallel.For(threads, (pairs+packRows-1)/packRows, func(_, k int) {
			for p := k * packRows; p < min((k+1)*packRows, pairs); p++ {
				x, y := row(done + 2*p)[:s.dim], none
				if 2*p+1 < take {
					y = row(done + 2*p + 1)[:s.dim]
				}
				packPairs(pa, p, sign, x, y)
				packPairs(pb, p, 1, x, y)
			}
		})
		s.flush(take, sign)
		forTiles(s.dim, threads, func(start, end, j int) {
			b := pb.rows(0, j, pairs)
			for i := start; i < end; i += asm.TileRows {
				asm.RankKPairs(s.recent[i*s.stride+j:], s.stride, pa.rows(0, i, pairs), b)
			}
		})
	}
}

// flush must be called before n rows are added (sign 1) or removed (sign -1). If these rows could
// overflow the 32-bit sums in recent, it moves the sums to sum.
func (s *Bytes) flush(n int, sign int16) {
	if s.sum == nil {
		if all := s.rows + n*int(sign); all <= smallRows {
			s.rows = all
			return
		}
		s.sum = make([]int64, len(s.recent))
		for i, v := range s.recent {
			s.sum[i] = int64(uint32(v))
		}
		clear(s.recent)
		s.rows = 0
	}
	if s.rows+n > recentRows {
		for i, v := range s.recent {
			s.sum[i] += int64(v)
		}
		clear(s.recent)
		s.rows = 0
	}
	s.rows += n
}

// packPairs stores two rows x and y, times sign, as row r of p: in each element, x in the low 16
// bits and y in the high 16 bits.
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
