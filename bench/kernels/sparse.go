package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/sparse"
)

// A csr is a sparse matrix whose rows have equal numbers of nonzeros.
type csr struct {
	*sparse.Matrix // with checked indices
	nonzeros       int
	idx            []int32
	val            []float32
}

// newCSR returns rows whose nonzeros are spread evenly: one in each of several equal parts of the
// columns.
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

// text is a matrix that stays in the caches, for weights of a small vocabulary.
var text *csr

func prepareText(n, _ int) {
	text = newCSR(6, max(1, 2048/n), 47_000, n)
	y = memory{}.Floats(47_000)
	fill(y, 5)
}

func onText(name string, got func() []float32, want func() (values, sizes []float64)) operation {
	return operation{name: name + ", a row of", sizes: []int{8, 75, 500},
		prepare: prepareText, per: func() int { return text.Rows() }, alpha: 1e-6, got: got, want: want}
}

var dotSparse = onText("DotSparse", func() []float32 { return []float32{sink} },
	func() (values, sizes []float64) {
		idx, val := text.row(text.Rows() - 1)
		return each(1, func(int) (value, size float64) {
			return sums(len(idx), func(k int) float64 {
				return float64(val[k]) * float64(y[idx[k]])
			})
		})
	})

var axpySparse = onText("AxpySparse", func() []float32 { return y },
	func() (values, sizes []float64) {
		values, sizes = each(len(y), func(j int) (value, size float64) { return float64(y[j]), 0 })
		for k, j := range text.idx {
			v := float64(alpha) * float64(text.val[k])
			values[j] += v
			sizes[j] += math.Abs(v) + math.Abs(float64(y[j]))
		}
		return values, sizes
	})
