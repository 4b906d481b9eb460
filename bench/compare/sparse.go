package main

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strconv"

	"github.com/pegasimd/pegasimd/sparse"
)

// A sparseOp is done for each row of a sparse matrix and one dense vector w.
type sparseOp struct {
	name, title string
	writes      bool
	peers       []sparsePeer
}

// sparseRows is a matrix in CSR form.
type sparseRows struct {
	starts []int64
	idx    []int32
	val    []float32
	matrix *sparse.Matrix // over the same memory
}

func (m *sparseRows) row(i int) (idx []int32, val []float32) {
	start, end := m.starts[i], m.starts[i+1]
	return m.idx[start:end], m.val[start:end]
}

// A sparsePeer's loop makes n passes over all rows.
type sparsePeer struct {
	name string
	kind kind
	loop func(n int, m *sparseRows, w []float32)
}

func (p sparsePeer) describe() (string, kind) { return p.name, p.kind }

var sparseDot = sparseOp{name: "sparsedot", title: "DotSparse", peers: []sparsePeer{
	{"Pegasimd", ours, func(n int, m *sparseRows, w []float32) {
		for range n {
			for i := range m.matrix.Rows() {
				sink = m.matrix.Dot(i, w)
			}
		}
	}},
	{"Pegasimd, indices checked at each call", ours, func(n int, m *sparseRows, w []float32) {
		for range n {
			for i := range len(m.starts) - 1 {
				idx, val := m.row(i)
				sink = sparse.Dot(idx, val, w)
			}
		}
	}},
	{"Go loop", goPeer, func(n int, m *sparseRows, w []float32) {
		for range n {
			for i := range len(m.starts) - 1 {
				idx, val := m.row(i)
				sink = loopDotSparse(idx, val, w)
			}
		}
	}},
	{"Go loop, 4 sums", goPeer, func(n int, m *sparseRows, w []float32) {
		for range n {
			for i := range len(m.starts) - 1 {
				idx, val := m.row(i)
				sink = fourDotSparse(idx, val, w)
			}
		}
	}},
}}

var sparseAxpy = sparseOp{name: "sparseaxpy", title: "AxpySparse", writes: true,
	peers: []sparsePeer{
		{"Pegasimd", ours, func(n int, m *sparseRows, w []float32) {
			for range n {
				for i := range m.matrix.Rows() {
					m.matrix.Axpy(i, alpha, w)
				}
			}
		}},
		{"Pegasimd, indices checked at each call", ours, func(n int, m *sparseRows, w []float32) {
			for range n {
				for i := range len(m.starts) - 1 {
					idx, val := m.row(i)
					sparse.Axpy(alpha, idx, val, w)
				}
			}
		}},
		{"Go loop", goPeer, func(n int, m *sparseRows, w []float32) {
			for range n {
				for i := range len(m.starts) - 1 {
					idx, val := m.row(i)
					loopAxpySparse(alpha, idx, val, w)
				}
			}
		}},
		{"Go loop, 4 at a time", goPeer, func(n int, m *sparseRows, w []float32) {
			for range n {
				for i := range len(m.starts) - 1 {
					idx, val := m.row(i)
					fourAxpySparse(alpha, idx, val, w)
				}
			}
		}},
	}}

func (o *sparseOp) flag() string { return o.name }

func (o *sparseOp) cells(sizes []int) (cells []*cell) {
	if sizes == nil {
		sizes = []int{8, 75, 500}
	}
	for _, cols := range []int{47_000, 1 << 20} {
		table := fmt.Sprintf("%s, w of %d floats (ns a row)", o.title, cols)
		// few rows, that stay in the caches, or many, that stream
		for _, nonzeros := range []int{2048, 1_500_000} {
			which := "hot"
			if nonzeros > 2048 {
				which = "streamed"
			}
			for _, nnz := range sizes {
				if nnz > cols {
					continue
				}
				rows := max(1, nonzeros/nnz)
				cells = append(cells, &cell{table: table, column: strconv.Itoa(nnz) + " " + which,
					n: nnz, per: rows, setup: func() (cs []contender) {
						m := newSparseRows(rows, nnz, cols)
						w := memory[:cols:cols]
						fill(w, 5)
						alpha = 1e-6
						for _, p := range o.peers {
							cs = append(cs,
								contender{p.name, p.kind, func(calls int) { p.loop(calls, m, w) }})
						}
						return cs
					}})
			}
		}
	}
	return cells
}

// newSparseRows returns rows of nnz nonzeros, spread evenly over the columns: one in each of nnz
// equal parts.
func newSparseRows(rows, nnz, cols int) *sparseRows {
	m := &sparseRows{starts: make([]int64, rows+1), idx: make([]int32, rows*nnz),
		val: make([]float32, rows*nnz)}
	r := rand.New(rand.NewPCG(6, uint64(nnz)))
	part := cols / nnz
	for i := range rows {
		m.starts[i+1] = int64((i + 1) * nnz)
		for k := range nnz {
			m.idx[i*nnz+k] = int32(k*part + r.IntN(part))
		}
	}
	fill(m.val, 7)
	var err error
	if m.matrix, err = sparse.NewShared(cols, m.starts, m.idx, m.val); err != nil {
		log.Fatal(err)
	}
	return m
}
