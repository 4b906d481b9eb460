package sets

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/sparse"
)

// fromRows builds a sparse set. row adds the nonzeros of row i, in ascending order of the columns,
// and returns its label.
func fromRows(rows, cols int, row func(i int, add func(column int, v float64)) (label float32),
) *dataset.Set {
	starts, indices, values := make([]int64, 1), []int32(nil), []float32(nil)
	y := make([]float32, rows)
	for i := range y {
		y[i] = row(i, func(j int, v float64) {
			indices, values = append(indices, int32(j)), append(values, float32(v))
		})
		starts = append(starts, int64(len(values)))
	}
	m, err := sparse.NewShared(cols, starts, indices, values)
	if err != nil {
		panic(err) // row must add ascending columns
	}
	return &dataset.Set{Sparse: m, Y: y, IndexBase: 1}
}

// outliers generates normally distributed numbers. The label is the noisy sign of a random linear
// function. About one row in a hundred is multiplied by 100 to 1,000.
func outliers(rows, cols int) *dataset.Set {
	g := rand.New(rand.NewPCG(1, 2))
	normal := func() []float64 {
		v := make([]float64, cols)
		for j := range v {
			v[j] = g.NormFloat64()
		}
		return v
	}
	weights, x, signal, squares := normal(), make([][]float64, rows), make([]float64, rows), 0.
	for i := range x {
		x[i] = normal()
		for j, w := range weights {
			signal[i] += w * x[i][j]
		}
		if g.IntN(100) == 0 {
			length := math.Pow(10, 2+g.Float64())
			for j := range x[i] {
				x[i][j] *= length
			}
			signal[i] *= 5
		}
		squares += signal[i] * signal[i]
	}
	noise := .5 * math.Sqrt(squares/float64(rows))
	return fromRows(rows, cols, func(i int, add func(int, float64)) float32 {
		for j, v := range x[i] {
			add(j, v)
		}
		if signal[i]+noise*g.NormFloat64() > 0 {
			return 2
		}
		return 1
	})
}

// words generates texts of two classes, whose words follow Zipf's law. For up to a fifth of a
// text's words, the class decides which are frequent. One label in twenty is random.
func words(rows, cols int) *dataset.Set {
	const classes = 2
	g := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(g, 1.05, 16, uint64(cols-1))
	// words by rank, for each class, and last for both
	var orders [classes + 1][]int
	for k := range orders {
		orders[k] = g.Perm(cols)
	}
	row := make([]float64, cols)
	return fromRows(rows, cols, func(i int, add func(int, float64)) float32 {
		class, share, present := g.IntN(classes), .2*g.Float64(), []int(nil)
		for range max(5, int(60*math.Exp(g.NormFloat64()/2))) {
			rank, order := zipf.Uint64(), orders[classes]
			if g.Float64() < share {
				order = orders[class]
			}
			j := order[rank]
			if row[j] == 0 {
				present = append(present, j)
			}
			row[j] += math.Log(float64(cols+32) / float64(rank+16))
		}
		slices.Sort(present)
		for _, j := range present {
			add(j, row[j])
			row[j] = 0
		}
		if g.IntN(20) == 0 {
			class = g.IntN(classes)
		}
		return float32(class + 1)
	})
}
