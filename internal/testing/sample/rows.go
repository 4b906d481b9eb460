// Package sample provides data for the tests of the trainers, and helpers for tests of files.
package sample

import (
	"math"
	"math/rand/v2"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/sparse"
)

// Pair holds the same rows twice, as a dense and as a sparse matrix, and their labels.
type Pair struct {
	Dense  *dense.Matrix
	Sparse *sparse.Matrix
	Y      []float32
}

// Random returns random rows and labels, the same on every machine. The values are multiples of
// 1/7, so that sums are rounded. About 16/17*fill of them are nonzero. The labels 0 to classes-1
// depend on the rows, but about one in ten is random.
func Random(seed uint64, rows, cols, classes int, fill float64) Pair {
	g := rand.New(rand.NewPCG(seed, 1))
	d := dense.New(rows, cols)
	y := make([]float32, rows)
	truth := make([]int64, classes*cols)
	for j := range truth {
		truth[j] = g.Int64N(17) - 8
	}
	for i := range rows {
		row := d.Row(i)
		for j := range row {
			if g.Uint64()>>11 < uint64(fill*(1<<53)) {
				row[j] = float32(g.Int64N(17)-8) / 7
			}
		}
		best := int64(math.MinInt64)
		for c := range classes {
			var score int64
			for j, v := range row {
				score += truth[c*cols+j] * int64(math.Round(float64(v)*7))
			}
			if score > best {
				best, y[i] = score, float32(c)
			}
		}
		if g.Int64N(10) == 0 {
			y[i] = float32(g.Int64N(int64(classes)))
		}
	}
	return Pair{d, ToSparse(d), y}
}

// UserRows returns x as a type that package store does not know.
func UserRows(x store.Examples) store.Examples { return struct{ store.Examples }{x} }

func ToSparse(d *dense.Matrix) *sparse.Matrix {
	starts := []int64{0}
	var idx []int32
	var val []float32
	for i := range d.Rows() {
		for j, v := range d.Row(i) {
			if v != 0 {
				idx, val = append(idx, int32(j)), append(val, v)
			}
		}
		starts = append(starts, int64(len(idx)))
	}
	s, err := sparse.NewShared(d.Cols(), starts, idx, val)
	if err != nil {
		panic(err)
	}
	return s
}

// ZerosAndOnes sets every nonzero of p.Dense to 1, and returns it with a sparse copy and p.Y.
func ZerosAndOnes(p Pair) Pair {
	for i := range p.Dense.Rows() {
		for j, v := range p.Dense.Row(i) {
			if v != 0 {
				p.Dense.Row(i)[j] = 1
			}
		}
	}
	return Pair{p.Dense, ToSparse(p.Dense), p.Y}
}

func Norm(w []float32) float64 {
	var sum float64
	for _, v := range w {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

func Distance(a, b []float32) float64 {
	var sum float64
	for j := range a {
		d := float64(a[j]) - float64(b[j])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// NearlyEqual returns rows whose columns are nearly equal, and labels from 0 to classes-1, for at
// most 3 classes. The labels depend on the columns' small differences. Without signal, chance
// outweighs these.
func NearlyEqual(seed uint64, rows, cols, classes int, signal bool) (*dense.Matrix, []float32) {
	g := rand.New(rand.NewPCG(seed, 77))
	x, y := dense.New(rows, cols), make([]float32, rows)
	for i := range rows {
		row, z := x.Row(i), [3]float64{}
		common := 5 * g.NormFloat64()
		for j := range row {
			d := 0.02 * g.NormFloat64()
			row[j] = float32(common + d)
			z[j%classes] += d
		}
		if !signal {
			z[0] = g.NormFloat64()
		}
		for k, v := range z[:classes] {
			if v > z[int(y[i])] {
				y[i] = float32(k)
			}
		}
	}
	return x, y
}
