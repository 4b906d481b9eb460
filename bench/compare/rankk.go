package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/gram"
	"gonum.org/v1/gonum/blas"
)

// rankKOp adds the products of rows with themselves to a symmetric matrix: BLAS's ssyrk.
type rankKOp struct{}

// A symmetric is a matrix and the rows to be added.
type symmetric struct {
	dim, count int
	rows       []float32
	upper      []float32 // of the peers' matrix
	sum        *gram.Sum // ours
}

type rankKPeer struct {
	name string
	kind kind
	loop func(n int, m *symmetric)
}

func (p rankKPeer) describe() (string, kind) { return p.name, p.kind }

var rankKPeers = []rankKPeer{
	{"Pegasimd", ours, func(n int, m *symmetric) {
		for range n {
			m.sum.AddRows(m.rows, m.dim, nil, 1)
			sink = m.sum.At(0, 0)
		}
	}},
	{"gonum Syrk", goPeer, func(n int, m *symmetric) {
		for range n {
			blasGo.Ssyrk(blas.Upper, blas.Trans, m.dim, m.count, 1, m.rows, m.dim, 1, m.upper,
				m.dim)
		}
	}},
}

func (*rankKOp) flag() string { return "rankk" }

func (*rankKOp) cells(sizes []int) (cells []*cell) {
	if sizes == nil {
		sizes = []int{54, 123, 784, 2000}
	}
	const count = 1024
	for _, dim := range sizes {
		cells = append(cells, &cell{table: fmt.Sprintf("Rank-k update, %d rows (ns a row)", count),
			column: strconv.Itoa(dim), n: dim, per: count, setup: func() (cs []contender) {
				m := newSymmetric(count, dim)
				for _, p := range rankKPeers {
					cs = append(cs, contender{p.name, p.kind, func(calls int) { p.loop(calls, m) }})
				}
				return cs
			}})
	}
	return cells
}

func newSymmetric(count, dim int) *symmetric {
	m := &symmetric{dim: dim, count: count, rows: aligned(count * dim), upper: aligned(dim * dim),
		sum: gram.New(dim)}
	fill(m.rows, 5)
	clear(m.upper)
	return m
}

func (o *rankKOp) verify() (failed []string) {
	right := func(p rankKPeer) bool {
		for _, dim := range []int{1, 5, 12, 31, 33, 100} {
			for _, count := range []int{1, 7, 300} {
				if !o.right(p, count, dim) {
					return false
				}
			}
		}
		return true
	}
	rankKPeers, failed = keep("Rank-k update", rankKPeers, (rankKPeer).describe, right)
	return failed
}

func (*rankKOp) right(p rankKPeer, count, dim int) bool {
	m := newSymmetric(count, dim)
	p.loop(1, m)
	result := func() (all []float32) {
		for i := range dim {
			for j := i; j < dim; j++ {
				v := m.upper[i*dim+j]
				if p.kind == ours {
					v = m.sum.At(i, j)
				}
				all = append(all, v)
			}
		}
		return all
	}
	got := result()
	for i := range dim {
		for j := i; j < dim; j++ {
			var sum, size float64
			for r := range count {
				v := float64(m.rows[r*dim+i]) * float64(m.rows[r*dim+j])
				sum, size = sum+v, size+math.Abs(v)
			}
			if !near(got[0], sum, size) {
				return false
			}
			got = got[1:]
		}
	}
	return p.kind != ours || onEachPath(func() []float32 {
		m.sum.Reset()
		p.loop(1, m)
		return slices.Clone(result())
	})
}
