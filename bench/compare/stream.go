package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/internal/bandwidth"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
)

// streamOp is the dot product of one vector and the rows of a matrix that no cache holds: one after
// the other, or picked at random.
type streamOp struct{ gathered bool }

// large is the memory of that matrix: four times the last cache, from 256 MB to 4 GB.
var large = sync.OnceValue(func() []float32 {
	bytes := min(max(4*machine.Sizes().L3, 256<<20), 4<<30)
	v := aligned(bytes / 4)
	fill(v, 5)
	return v
})

// A stream is the rows of one call. Calls take turns over the matrix, whoever makes them, so that
// the rows of each were last read a matrix ago.
type stream struct {
	rows, x, dst []float32
	idx          [windows][]int32 // the picked rows of each call
	turn         int
}

// windows is how many calls go over the matrix.
const windows = 16

func newStream(n int) *stream {
	rows := large()
	count := len(rows) / n / windows
	s := &stream{rows: rows, x: aligned(n), dst: make([]float32, count)}
	fill(s.x, 4)
	r := rand.New(rand.NewPCG(1, 2))
	for w := range s.idx {
		s.idx[w] = make([]int32, count)
		for k := range s.idx[w] {
			s.idx[w][k] = int32(r.IntN(windows * count))
		}
	}
	return s
}

// next returns the memory and the picked rows of the next call.
func (s *stream) next() (rows []float32, idx []int32) {
	w := s.turn % windows
	s.turn++
	size := len(s.dst) * len(s.x)
	return s.rows[w*size:][:size], s.idx[w]
}

type streamPeer struct {
	name string
	kind kind
	call func(s *stream, rows []float32, idx []int32)
}

func (p streamPeer) describe() (string, kind) { return p.name, p.kind }

var streamPeers = []streamPeer{
	{"Pegasimd", ours, func(s *stream, rows []float32, _ []int32) {
		dense.DotRows(s.dst, rows, len(s.x), s.x)
	}},
	{"Pegasimd, a call per row", ours, func(s *stream, rows []float32, _ []int32) {
		for i, n := 0, len(s.x); i < len(s.dst); i++ {
			s.dst[i] = dense.Dot(rows[i*n:][:n], s.x)
		}
	}},
	{"vek32, a call per row", goPeer, func(s *stream, rows []float32, _ []int32) {
		for i, n := 0, len(s.x); i < len(s.dst); i++ {
			s.dst[i] = vek32.Dot(rows[i*n:][:n], s.x)
		}
	}},
	{"gonum Gemv", goPeer, func(s *stream, rows []float32, _ []int32) {
		blasGo.Sgemv(blas.NoTrans, len(s.dst), len(s.x), 1, rows, len(s.x), s.x, 1, 0, s.dst, 1)
	}},
}

var gatherPeers = []streamPeer{
	{"Pegasimd", ours, func(s *stream, _ []float32, idx []int32) {
		dense.DotRowsAt(s.dst, s.rows, len(s.x), idx, s.x)
	}},
	{"Pegasimd, 32 rows a call", ours, func(s *stream, _ []float32, idx []int32) {
		for i := 0; i < len(idx); i += 32 {
			end := min(i+32, len(idx))
			dense.DotRowsAt(s.dst[i:end], s.rows, len(s.x), idx[i:end], s.x)
		}
	}},
	{"Pegasimd, a call per row", ours, func(s *stream, _ []float32, idx []int32) {
		for k, i := range idx {
			s.dst[k] = dense.Dot(s.rows[int(i)*len(s.x):][:len(s.x)], s.x)
		}
	}},
	{"vek32, a call per row", goPeer, func(s *stream, _ []float32, idx []int32) {
		for k, i := range idx {
			s.dst[k] = vek32.Dot(s.rows[int(i)*len(s.x):][:len(s.x)], s.x)
		}
	}},
}

// limit reads the rows and does nothing with them.
var limit = streamPeer{"loop of loads, the limit", machineLimit,
	func(s *stream, rows []float32, _ []int32) { bandwidth.Run(bandwidth.Read, rows, nil) }}

func (o *streamOp) flag() string {
	if o.gathered {
		return "gather"
	}
	return "stream"
}

func (o *streamOp) peers() *[]streamPeer {
	if o.gathered {
		return &gatherPeers
	}
	return &streamPeers
}

// verify holds everyone against our single calls, which the dot products' verify has seen.
func (o *streamOp) verify() (failed []string) {
	right := func(p streamPeer) bool {
		for _, n := range []int{64, 1000} {
			s := &stream{rows: memory[:40*n], x: memory[50*n:][:n], dst: make([]float32, 40)}
			fill(s.rows, 3)
			fill(s.x, 4)
			idx := make([]int32, len(s.dst))
			for k := range idx {
				idx[k] = int32(k)
				if o.gathered {
					idx[k] = int32(k * 7 % len(idx))
				}
			}
			p.call(s, s.rows, idx)
			for k, i := range idx {
				row := s.rows[int(i)*n:][:n]
				if !near(s.dst[k], float64(dense.Dot(row, s.x)), float64(n)) {
					return false
				}
			}
		}
		return true
	}
	peers := o.peers()
	*peers, failed = keep(o.flag(), *peers, (streamPeer).describe, right)
	return failed
}

func (o *streamOp) cells(sizes []int) (cells []*cell) {
	if sizes == nil {
		sizes = []int{384, 512, 768, 1024, 1536}
	}
	title := "DotRows, streamed from memory (ns a row)"
	if o.gathered {
		title = "DotRowsAt, gathered from memory (ns a row)"
	}
	for _, n := range sizes {
		peers := *o.peers()
		if !o.gathered && bandwidth.Available() {
			peers = append(peers[:len(peers):len(peers)], limit)
		}
		cells = append(cells, &cell{
			table: fmt.Sprintf("%s, %d MB", title, len(large())>>18), column: strconv.Itoa(n), n: n,
			per: len(large()) / n / windows,
			setup: func() (cs []contender) {
				s := newStream(n)
				for _, p := range peers {
					cs = append(cs, contender{p.name, p.kind, func(calls int) {
						for range calls {
							rows, idx := s.next()
							p.call(s, rows, idx)
						}
					}})
				}
				return cs
			}})
	}
	return cells
}
