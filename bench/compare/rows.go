package main

import (
	"fmt"
	"log"
	"strconv"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/tphakala/simd/f32"
	"github.com/viterin/vek/vek32"
	"gonum.org/v1/gonum/blas"
)

// rowsOp is the dot product of every row of a matrix and one vector.
type rowsOp struct{}

// A matrix has its rows one after the other with nothing between them, as most programs have them.
type matrix struct {
	dst, rows, x []float32
	slices       [][]float32   // the rows, for those who want them so
	padded       *dense.Matrix // a copy whose rows begin at multiples of 64 bytes
}

type rowsPeer struct {
	name string
	kind kind
	loop func(n int, m *matrix)
}

func (p rowsPeer) describe() (string, kind) { return p.name, p.kind }

var rowsPeers = []rowsPeer{
	{"Pegasimd", ours, func(n int, m *matrix) {
		for range n {
			dense.DotRows(m.dst, m.rows, len(m.x), m.x)
		}
	}},
	{"Pegasimd, padded rows", ours, func(n int, m *matrix) {
		for range n {
			m.padded.DotRows(m.dst, 0, m.x)
		}
	}},
	{"Pegasimd, a call per row", ours, func(n int, m *matrix) {
		for range n {
			for i, row := range m.slices {
				m.dst[i] = dense.Dot(row, m.x)
			}
		}
	}},
	{"gonum Gemv", goPeer, func(n int, m *matrix) {
		for range n {
			blasGo.Sgemv(blas.NoTrans, len(m.dst), len(m.x), 1, m.rows, len(m.x), m.x, 1, 0,
				m.dst, 1)
		}
	}},
	{"vek32, a call per row", goPeer, func(n int, m *matrix) {
		for range n {
			for i, row := range m.slices {
				m.dst[i] = vek32.Dot(row, m.x)
			}
		}
	}},
	{"tphakala Batch", goPeer, func(n int, m *matrix) {
		for range n {
			f32.DotProductBatch(m.dst, m.slices, m.x)
		}
	}},
	{"tphakala Strided", goPeer, func(n int, m *matrix) {
		for range n {
			f32.DotProductStrided(m.dst, m.rows, m.x, len(m.dst), len(m.x), len(m.x))
		}
	}},
	{"Go loop", goPeer, func(n int, m *matrix) {
		for range n {
			for i, row := range m.slices {
				m.dst[i] = loopDot(row, m.x)
			}
		}
	}},
	{"Go loop, 4 sums", goPeer, func(n int, m *matrix) {
		for range n {
			for i, row := range m.slices {
				m.dst[i] = fourDot(row, m.x)
			}
		}
	}},
}

func (*rowsOp) flag() string { return "rows" }

func (*rowsOp) cells(sizes []int) (cells []*cell) {
	for _, count := range []int{64, 1024, 16384} {
		lengths := sizes
		if sizes == nil {
			lengths = []int{16, 54, 100, 128, 300, 784}
			if count == 16384 {
				lengths = []int{784}
			}
		}
		for _, n := range lengths {
			if n > len(memory)/count/2 {
				continue
			}
			table := fmt.Sprintf("DotRows, %d rows (ns a row)", count)
			cells = append(cells, &cell{table: table, column: strconv.Itoa(n), n: n, per: count,
				setup: func() (cs []contender) {
					m := newMatrix(count, n)
					for _, p := range rowsPeers {
						cs = append(cs,
							contender{p.name, p.kind, func(calls int) { p.loop(calls, m) }})
					}
					return cs
				}})
		}
	}
	return cells
}

func newMatrix(count, n int) *matrix {
	m := &matrix{dst: make([]float32, count), rows: memory[: count*n : count*n],
		slices: make([][]float32, count)}
	m.x = aligned(n)
	fill(m.rows, 3)
	fill(m.x, 4)
	for i := range m.slices {
		m.slices[i] = m.rows[i*n:][:n:n]
	}
	var err error
	if m.padded, err = dense.FromSlice(count, n, m.rows); err != nil {
		log.Fatal(err)
	}
	return m
}
