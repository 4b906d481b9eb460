package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/sparse"
)

// A csr is sparse rows of equal lengths.
type csr struct {
	*sparse.Matrix // it has checked the indices
	nonzeros       int
	idx            []int32
	val            []float32
}

// newCSR returns rows whose nonzeros are spread evenly: one in each of nonzeros equal parts.
func newCSR(seed uint64, rows, cols, nonzeros int) *csr {
	m := &csr{nonzeros: nonzeros, idx: make([]int32, rows*nonzeros),
		val: make([]float32, rows*nonzeros)}
	r := rand.New(rand.NewPCG(seed, uint64(nonzeros)))
	starts, part := make([]int64, rows+1), cols/nonzeros
	for k := range m.idx {
		m.idx[k] = int32(k%nonzeros*part + r.IntN(part))
	}
	for i := range starts {
		starts[i] = int64(i * nonzeros)
	}
	fill(m.val, seed)
	var err error
	if m.Matrix, err = sparse.NewShared(cols, starts, m.idx, m.val); err != nil {
		log.Fatal(err)
	}
	return m
}

func (m *csr) row(i int) (idx []int32, val []float32) {
	return m.idx[i*m.nonzeros:][:m.nonzeros], m.val[i*m.nonzeros:][:m.nonzeros]
}

// text is rows that stay in the caches, for weights of a small vocabulary.
var text *csr

func prepareText(n, _ int) {
	text = newCSR(6, max(1, 2048/n), 47_000, n)
	y = memory{}.Floats(47_000)
	fill(y, 5)
}

func textRows() int { return text.Rows() }

// overText calls f with each row. It is inlined with f, as times is.
func overText(n int, f func(idx []int32, val []float32)) {
	for range n {
		for i := range text.Rows() {
			f(text.row(i))
		}
	}
}

var dotSparse = operation{
	name: "DotSparse, a row of", sizes: []int{8, 75, 500}, prepare: prepareText, per: textRows,
	got: sunk,
	want: func() (values, sizes []float64) {
		idx, val := text.row(text.Rows() - 1)
		return each(1, func(int) (value, size float64) {
			return sums(len(idx), func(k int) float64 {
				return float64(val[k]) * float64(y[idx[k]])
			})
		})
	},
	ways: []way{
		{name: ours, loop: func(n int) {
			times(n, func() {
				for i := range text.Rows() {
					sink = text.Dot(i, y)
				}
			})
		}},
		{name: ours + ", indices checked at each call", loop: func(n int) {
			overText(n, func(idx []int32, val []float32) { sink = sparse.Dot(idx, val, y) })
		}},
		{name: "Go loop", loop: func(n int) {
			overText(n, func(idx []int32, val []float32) { sink = loopDotSparse(idx, val, y) })
		}},
		{name: "Go loop, 4 sums", loop: func(n int) {
			overText(n, func(idx []int32, val []float32) { sink = fourDotSparse(idx, val, y) })
		}},
	},
}

var axpySparse = operation{
	name: "AxpySparse, a row of", sizes: []int{8, 75, 500}, prepare: prepareText, per: textRows,
	alpha: 1e-6, got: func() []float32 { return y },
	want: func() (values, sizes []float64) {
		values, sizes = each(len(y), func(j int) (value, size float64) { return float64(y[j]), 0 })
		for k, j := range text.idx {
			v := float64(alpha) * float64(text.val[k])
			values[j] += v
			sizes[j] += math.Abs(v) + math.Abs(float64(y[j]))
		}
		return values, sizes
	},
	ways: []way{
		{name: ours, loop: func(n int) {
			times(n, func() {
				for i := range text.Rows() {
					text.Axpy(i, alpha, y)
				}
			})
		}},
		{name: ours + ", indices checked at each call", loop: func(n int) {
			overText(n, func(idx []int32, val []float32) { sparse.Axpy(alpha, idx, val, y) })
		}},
		{name: "Go loop", loop: func(n int) {
			overText(n, func(idx []int32, val []float32) { loopAxpySparse(alpha, idx, val, y) })
		}},
	},
}
