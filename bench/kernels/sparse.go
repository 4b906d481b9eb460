package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/sparse"
)

// A csr is sparse rows of equal lengths.
type csr struct {
	starts []int64
	idx    []int32
	val    []float32
	matrix *sparse.Matrix // over the same memory; it has checked the indices
}

// newCSR returns rows whose nonzeros are spread evenly: one in each of as many equal parts.
func newCSR(seed uint64, rows, cols, nonzeros int) *csr {
	m := &csr{starts: make([]int64, rows+1), idx: make([]int32, rows*nonzeros),
		val: make([]float32, rows*nonzeros)}
	r := rand.New(rand.NewPCG(seed, uint64(nonzeros)))
	part := cols / nonzeros
	for k := range m.idx {
		m.idx[k] = int32(k%nonzeros*part + r.IntN(part))
	}
	for i := range m.starts {
		m.starts[i] = int64(i * nonzeros)
	}
	fill(m.val, seed)
	var err error
	if m.matrix, err = sparse.NewShared(cols, m.starts, m.idx, m.val); err != nil {
		log.Fatal(err)
	}
	return m
}

// each calls f, with which it is inlined, with the indices and values of each row.
func (m *csr) each(f func(idx []int32, val []float32)) {
	for i := range len(m.starts) - 1 {
		from, to := m.starts[i], m.starts[i+1]
		f(m.idx[from:to], m.val[from:to])
	}
}

var text *csr

// overText is of rows that have so many nonzeros in all: few, that stay in the caches, or many.
func overText(name string, nonzeros int, ways []way) *operation {
	return &operation{
		name: name + ", a row of", sizes: []int{8, 75, 500}, alpha: 1e-6, ways: ways,
		per: func() int { return text.matrix.Rows() },
		prepare: func(n, _ int) {
			text = newCSR(6, max(1, nonzeros/n), 47_000, n)
			y, sink = aligned(47_000), 0
			fill(y, 5)
		},
		got: func() []float32 { return append(y[:len(y):len(y)], sink) },
		want: func() (values, sizes []float64) {
			values, sizes = make([]float64, len(y)+1), make([]float64, len(y)+1)
			dots := name[0] == 'D'
			for j, v := range y {
				values[j] = float64(v)
			}
			last := values[len(y):]
			text.each(func(idx []int32, val []float32) {
				if dots {
					last[0], sizes[len(y)] = sums(len(idx), func(k int) float64 {
						return float64(val[k]) * float64(y[idx[k]])
					})
					return
				}
				for k, j := range idx {
					v := float64(alpha) * float64(val[k])
					values[j] += v
					sizes[j] += math.Abs(v) + math.Abs(float64(y[j]))
				}
			})
			return values, sizes
		},
	}
}

var dotSparse = []way{
	{name: ours, loop: func(n int) {
		times(n, func() {
			for i := range text.matrix.Rows() {
				sink = text.matrix.Dot(i, y)
			}
		})
	}},
	{name: ours + ", indices checked at each call", loop: func(n int) {
		times(n, func() { text.each(func(i []int32, v []float32) { sink = sparse.Dot(i, v, y) }) })
	}},
	{name: "Go loop", loop: func(n int) {
		times(n, func() { text.each(func(i []int32, v []float32) { sink = loopDotSparse(i, v, y) }) })
	}},
	{name: "Go loop, 4 sums", loop: func(n int) {
		times(n, func() { text.each(func(i []int32, v []float32) { sink = fourDotSparse(i, v, y) }) })
	}},
}

var axpySparse = []way{
	{name: ours, loop: func(n int) {
		times(n, func() {
			for i := range text.matrix.Rows() {
				text.matrix.Axpy(i, alpha, y)
			}
		})
	}},
	{name: ours + ", indices checked at each call", loop: func(n int) {
		times(n, func() { text.each(func(i []int32, v []float32) { sparse.Axpy(alpha, i, v, y) }) })
	}},
	{name: "Go loop", loop: func(n int) {
		times(n, func() { text.each(func(i []int32, v []float32) { loopAxpySparse(alpha, i, v, y) }) })
	}},
}
