package main

import (
	"log"
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/sparse"
)

// Rows of text have equally many nonzeros.
var text struct {
	*sparse.Matrix
	nonzeros int // of a row
	idx      []int32
	val      []float32
}

func textRow(i int) (idx []int32, val []float32) {
	return text.idx[i*text.nonzeros:][:text.nonzeros], text.val[i*text.nonzeros:][:text.nonzeros]
}

// prepareText generates rows with a nonzero in each of n equal parts of the columns.
func prepareText(n, _ int) {
	const cols = 47_000
	rows, part := max(1, 2048/n), cols/n
	text.nonzeros, text.idx, text.val = n, make([]int32, rows*n), make([]float32, rows*n)
	r, starts := rand.New(rand.NewPCG(6, uint64(n))), make([]int64, rows+1)
	for k := range text.idx {
		text.idx[k] = int32(k%n*part + r.IntN(part))
	}
	for i := range starts {
		starts[i] = int64(i * n)
	}
	fill(text.val, 6)
	var err error
	if text.Matrix, err = sparse.NewShared(cols, starts, text.idx, text.val); err != nil {
		log.Fatal(err)
	}
	y = memory{}.Floats(cols)
	fill(y, 5)
}

func onText(name string, got func() []float32, want func() (values, sizes []float64)) *operation {
	return &operation{name: name + ", a row of", sizes: []int{8, 75, 500},
		prepare: prepareText, per: func() int { return text.Rows() }, alpha: 1e-6, got: got, want: want}
}

var dotSparse = onText("DotSparse", func() []float32 { return []float32{sink} },
	func() (values, sizes []float64) {
		idx, val := textRow(text.Rows() - 1)
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
