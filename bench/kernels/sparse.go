package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/sparse"
)

const sparseCols = 47_000

// A csr is sparse rows of equal lengths.
type csr struct {
	starts []int64
	idx    []int32
	val    []float32
	matrix *sparse.Matrix // over the same memory; it has checked the indices
}

// newCSR returns rows whose nonzeros are spread evenly: one in each of as many equal parts.
func newCSR(rows, nonzeros int) *csr {
	m := &csr{starts: make([]int64, rows+1), idx: make([]int32, rows*nonzeros),
		val: make([]float32, rows*nonzeros)}
	r := rand.New(rand.NewPCG(6, uint64(nonzeros)))
	part := sparseCols / nonzeros
	for k := range m.idx {
		m.idx[k] = int32(k%nonzeros*part + r.IntN(part))
	}
	for i := range m.starts {
		m.starts[i] = int64(i * nonzeros)
	}
	fill(m.val, 7)
	var err error
	if m.matrix, err = sparse.NewShared(sparseCols, m.starts, m.idx, m.val); err != nil {
		log.Fatal(err)
	}
	return m
}

// each calls f with the indices and values of each row.
func (m *csr) each(f func(idx []int32, val []float32)) {
	for i := range len(m.starts) - 1 {
		from, to := m.starts[i], m.starts[i+1]
		f(m.idx[from:to], m.val[from:to])
	}
}

// sparseOf is of rows that have so many nonzeros in all: few that stay in the caches, or many.
func sparseOf(name string, all int) *operation {
	var m *csr
	o := &operation{name: fmt.Sprintf("%s, %d nonzeros in all, a row of", name, all), alpha: 1e-6,
		sizes: []int{8, 75, 500}, got: sunk}
	o.per = func() int { return len(m.starts) - 1 }
	o.prepare = func(n, _ int) {
		m = newCSR(max(1, all/n), n)
		y = aligned(sparseCols)
		fill(y, 5)
	}
	if name == "DotSparse" {
		o.want = func() (values, sizes []float64) {
			last := m.starts[len(m.starts)-2]
			v, size := sums(len(m.idx)-int(last), func(k int) float64 {
				return float64(m.val[int(last)+k]) * float64(y[m.idx[int(last)+k]])
			})
			return []float64{v}, []float64{size}
		}
		o.ways = []way{
			{name: ours, loop: func(n int) {
				times(n, func() {
					for i := range m.matrix.Rows() {
						sink = m.matrix.Dot(i, y)
					}
				})
			}},
			{name: ours + ", indices checked at each call", loop: func(n int) {
				times(n, func() {
					m.each(func(idx []int32, val []float32) { sink = sparse.Dot(idx, val, y) })
				})
			}},
			{name: "Go loop", loop: func(n int) {
				times(n, func() {
					m.each(func(idx []int32, val []float32) { sink = loopDotSparse(idx, val, y) })
				})
			}},
			{name: "Go loop, 4 sums", loop: func(n int) {
				times(n, func() {
					m.each(func(idx []int32, val []float32) { sink = fourDotSparse(idx, val, y) })
				})
			}},
		}
		return o
	}
	o.got = func() []float32 { return y }
	o.want = func() (values, sizes []float64) {
		values, sizes = make([]float64, len(y)), make([]float64, len(y))
		for j, v := range y {
			values[j], sizes[j] = float64(v), math.Abs(float64(v))
		}
		for k, j := range m.idx {
			v := float64(alpha) * float64(m.val[k])
			values[j] += v
			sizes[j] += math.Abs(v)
		}
		return values, sizes
	}
	o.ways = []way{
		{name: ours, loop: func(n int) {
			times(n, func() {
				for i := range m.matrix.Rows() {
					m.matrix.Axpy(i, alpha, y)
				}
			})
		}},
		{name: ours + ", indices checked at each call", loop: func(n int) {
			times(n, func() {
				m.each(func(idx []int32, val []float32) { sparse.Axpy(alpha, idx, val, y) })
			})
		}},
		{name: "Go loop", loop: func(n int) {
			times(n, func() {
				m.each(func(idx []int32, val []float32) { loopAxpySparse(alpha, idx, val, y) })
			})
		}},
	}
	return o
}
