package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/sparse"
)

// madeText makes rows of unit length with about so many nonzeros each. They fall on common columns
// more often than on rare ones, as words do, and a hidden w tells the rows apart, but for one row
// of twenty.
func madeText(rows, cols, nonzeros int) (*dataset.Set, error) {
	r := rand.New(rand.NewPCG(1, 2))
	hidden := make([]float32, cols)
	for j := range hidden {
		hidden[j] = 2*r.Float32() - 1
	}
	starts := []int64{0}
	var idx []int32
	var val, labels []float32
	for range rows {
		var row []int32
		for range nonzeros/2 + r.IntN(nonzeros) {
			row = append(row, int32(float64(cols)*r.Float64()*r.Float64()*r.Float64()))
		}
		slices.Sort(row)
		row = slices.Compact(row)
		var squares, score float32
		first := len(val)
		for _, j := range row {
			v := r.Float32() + 0.1
			val = append(val, v)
			squares += float32(v * v)
			score += float32(v * hidden[j])
		}
		for k := range val[first:] {
			val[first+k] /= float32(math.Sqrt(float64(squares)))
		}
		idx = append(idx, row...)
		starts = append(starts, int64(len(idx)))
		label := float32(-1)
		if (score > 0) != (r.IntN(20) == 0) {
			label = 1
		}
		labels = append(labels, label)
	}
	m, err := sparse.NewShared(cols, starts, idx, val)
	return &dataset.Set{Sparse: m, Y: labels}, err
}
