package dense_test

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

// Scores of vectors stored in one slice, and the two nearest to a query.
func Example() {
	rows := []float32{0, 1, 1, 1, 1, 0, 2, 0, 1, 0, 3, 2} // four rows of three elements
	query := []float32{0, 1, 0.5}
	fmt.Println(dense.Dot(query, rows[:3]), dense.Cosine(query, rows[:3]))
	for _, hit := range dense.Top(make([]dense.Hit, 2), dense.ByCosine, rows, 3, query) {
		fmt.Println("row", hit.Row, "scores", hit.Score)
	}
	dense.Axpy(0.5, rows[:3], query) // query += 0.5 * row 0
	fmt.Println(query)
	// Output:
	// 1.5 0.9486833
	// row 3 scores 0.99227786
	// row 0 scores 0.9486833
	// [0 1.5 1]
}

func ExampleDot() {
	x := []float32{1, 2, 3}
	y := []float32{4, 5, 6}
	fmt.Println(dense.Dot(x, y))
	// Output: 32
}

func ExampleAxpy() {
	y := []float32{1, 1, 1}
	dense.Axpy(2, []float32{1, 2, 3}, y)
	fmt.Println(y)
	// Output: [3 5 7]
}

func ExampleAxpby() {
	y := []float32{1, 1, 1}
	dense.Axpby(2, []float32{1, 2, 3}, 10, y)
	fmt.Println(y)
	// Output: [12 14 16]
}

// The scores of stored vectors.
func ExampleDotRows() {
	rows := []float32{
		1, 0, 0,
		0, 1, 0,
		0, 0, 1,
	}
	scores := make([]float32, 3)
	dense.DotRows(scores, rows, 3, []float32{0.1, 0.7, 0.2})
	fmt.Println(scores)
	// Output: [0.1 0.7 0.2]
}

func ExampleTop() {
	rows := []float32{
		1, 0,
		0, 1,
		3, 4,
		4, 3,
	}
	for _, hit := range dense.Top(make([]dense.Hit, 2), dense.ByCosine, rows, 2, []float32{1, 1}) {
		fmt.Printf("row %d: %.3f\n", hit.Row, hit.Score)
	}
	// Output:
	// row 2: 0.990
	// row 3: 0.990
}

// The nearest of vectors in separate slices.
func ExampleTopSlices() {
	rows := [][]float32{{0, 0}, {5, 5}, {1, 0}}
	buf := make([]dense.Hit, 2) // reused for the next query
	fmt.Println(dense.TopSlices(buf, dense.ByDistance, rows, []float32{1, 1}))
	// Output: [{2 1} {0 2}]
}

// A step of a graph search: the nearest of a node's neighbors to the query.
func ExampleTopAt() {
	rows := []float32{1, 0, 0, 1, 3, 4, 4, 3}
	neighbors := []int32{3, 0}
	hits := make([]dense.Hit, 2)
	for _, hit := range dense.TopAt(hits, dense.ByDot, rows, 2, neighbors, []float32{1, 1}) {
		fmt.Println("row", hit.Row, "scores", hit.Score)
	}
	// Output:
	// row 3 scores 7
	// row 0 scores 1
}

// The scores of a node's neighbors in one call.
func ExampleDotRowsAt() {
	rows := []float32{1, 0, 0, 1, 3, 4, 4, 3}
	scores := make([]float32, 2)
	dense.DotRowsAt(scores, rows, 2, []int32{3, 0}, []float32{1, 1})
	fmt.Println(scores)
	// Output: [7 1]
}

// Squared distances to a node's neighbors, whose numbers are int32s or uint32s.
func ExampleSquaredDistanceRowsAt() {
	vectors := []float32{1, 0, 0, 1, 3, 4, 4, 3} // four vectors of two elements
	neighbors := []uint32{3, 0}
	distances := make([]float32, len(neighbors))
	dense.SquaredDistanceRowsAt(distances, vectors, 2, neighbors, []float32{1, 1})
	fmt.Println(distances)
	// Output: [13 1]
}

func ExampleTopMany() {
	rows := []float32{1, 0, 0, 1, 3, 4}
	queries := [][]float32{{1, 0}, {0, 1}}
	hits := [][]dense.Hit{make([]dense.Hit, 1), make([]dense.Hit, 2)}
	dense.TopMany(hits, dense.ByDot, rows, 2, queries, 0)
	fmt.Println(hits)
	// Output: [[{2 3}] [{2 4} {1 1}]]
}

func ExampleGemv() {
	a := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	y := make([]float32, 2)
	dense.Gemv(1, a, 3, []float32{1, 0, 1}, 0, y)
	fmt.Println(y)
	// Output: [4 10]
}

func ExampleGemvT() {
	a := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	y := make([]float32, 3)
	dense.GemvT(1, a, 3, []float32{1, 10}, 0, y)
	fmt.Println(y)
	// Output: [41 52 63]
}

func ExampleGer() {
	a := make([]float32, 2*3)
	dense.Ger(1, []float32{1, 10}, []float32{1, 2, 3}, a, 3)
	fmt.Println(a)
	// Output: [1 2 3 10 20 30]
}

// Softmax: the greatest number is subtracted first, so that nothing overflows.
func ExampleExp() {
	x := []float32{1000, 1000, 0}
	most := dense.Max(x)
	for i := range x {
		x[i] -= most
	}
	dense.Exp(x, x)
	dense.Scale(1/dense.Sum(x), x)
	fmt.Println(x)
	// Output: [0.5 0.5 0]
}

// A matrix times its own transpose.
func ExampleGemm() {
	a := dense.Factor{Data: []float32{1, 2, 3, 4, 5, 6}, Stride: 3}
	b := a
	b.Transposed = true
	c := make([]float32, 2*2)
	dense.Gemm(2, 2, 3, 1, a, b, 0, c, 2, 0)
	fmt.Println(c)
	// Output: [14 32 32 77]
}

func ExampleSquaredDistance() {
	fmt.Println(dense.SquaredDistance([]float32{0, 3}, []float32{4, 0}))
	// Output: 25
}

// The cosine, computed from the three sums of DotNorms.
func ExampleDotNorms() {
	xy, xx, yy := dense.DotNorms([]float32{3, 4}, []float32{4, 3})
	fmt.Printf("%.2f\n", float64(xy)/math.Sqrt(float64(xx)*float64(yy)))
	// Output: 0.96
}

func ExampleCosine() {
	fmt.Println(dense.Cosine([]float32{3, 4}, []float32{4, 3}))
	// Output: 0.96
}

// Replacements for handwritten functions that return 0 or an error if the lengths differ.
func ExampleCosine64() {
	similarity := func(a, b []float32) float64 {
		if len(a) != len(b) {
			return 0
		}
		return dense.Cosine64(a, b)
	}
	cosineSimilarity := func(a, b []float32) (float64, error) {
		if len(a) != len(b) {
			return 0, fmt.Errorf("vectors of %d and %d elements", len(a), len(b))
		}
		return dense.Cosine64(a, b), nil
	}
	fmt.Println(similarity([]float32{3, 4}, []float32{4, 3}), similarity(nil, []float32{1}))
	_, err := cosineSimilarity([]float32{1}, nil)
	fmt.Println(err)
	// Output:
	// 0.96 0
	// vectors of 1 and 0 elements
}

// The rows of a BLOB, viewed without a copy if possible.
func ExampleFloat32s() {
	blob := []byte{0, 0, 128, 63, 0, 0, 0, 64} // 1 and 2, little-endian
	v, ok := dense.Float32s(blob)
	if !ok {
		v = dense.AppendFloat32s(nil, blob)
	}
	fmt.Println(v, len(dense.TopBytes(make([]dense.Hit, 1), dense.ByDot, blob, 4, []float32{1})))
	// Output: [1 2] 1
}

func ExampleSoftmax() {
	logits := []float32{1, 2, 3}
	p := make([]float32, len(logits))
	dense.Softmax(p, logits)
	fmt.Printf("%.3f, log of the sum %.3f\n", p, dense.LogSumExp(logits))
	// Output: [0.090 0.245 0.665], log of the sum 3.408
}

// Cosines of vectors of float64.
func ExampleFromFloat64() {
	embedding, query := []float64{0.6, 0.8, 0}, []float64{1.2, 1.6, 0}
	x, y := make([]float32, 3), make([]float32, 3)
	dense.FromFloat64(x, embedding)
	dense.FromFloat64(y, query)
	fmt.Println(dense.Cosine(x, y))
	// Output: 1
}

func ExampleDistance() {
	fmt.Println(dense.Distance([]float32{0, 3}, []float32{4, 0}))
	// Output: 5
}

// The squares of these elements overflow float32.
func ExampleNorm() {
	fmt.Println(dense.Norm([]float32{3e30, 4e30}))
	// Output: 5e+30
}

// Dot products of vectors with length 1 are their cosines.
func ExampleNormalize() {
	x := []float32{3, 4}
	length := dense.Normalize(x, x)
	fmt.Println(length, x)
	// Output: 5 [0.6 0.8]
}

func ExampleArgMin() {
	x := []float32{float32(math.NaN()), 2, 1, 1}
	fmt.Println(dense.ArgMin(x), dense.Min(x), dense.ArgMax(x), dense.Max(x))
	// Output: 2 1 1 2
}

func ExampleL1Distance() {
	fmt.Println(dense.L1Distance([]float32{1, 2, 3}, []float32{3, 2, 0}))
	// Output: 5
}

func ExampleSumAbs() {
	x := []float32{1, -2, 3}
	fmt.Println(dense.Sum(x), dense.SumAbs(x))
	// Output: 2 6
}

// In float32 the product 1 would be lost beside 2^30.
func ExampleDot64() {
	fmt.Println(dense.Dot64([]float32{1 << 15, 1}, []float32{1 << 15, 1}))
	// Output: 1.073741825e+09
}

// The mean of two vectors, without changing either.
func ExampleAdd() {
	x, y := []float32{1, 2, 3}, []float32{3, 4, 5}
	mean := make([]float32, 3)
	dense.Add(mean, x, y)
	dense.ScaleTo(mean, 0.5, mean)
	fmt.Println(mean)
	// Output: [2 3 4]
}

// The point halfway from x to y.
func ExampleAxpyTo() {
	x, y := []float32{1, 2}, []float32{3, 6}
	way, middle := make([]float32, 2), make([]float32, 2)
	dense.Sub(way, y, x)
	dense.AxpyTo(middle, 0.5, way, x)
	fmt.Println(way, middle)
	// Output: [2 4] [2 4]
}

func ExampleMul() {
	x := []float32{1, 2, 3}
	dense.Mul(x, x, x)
	fmt.Println(x)
	// Output: [1 4 9]
}

func ExampleMatrix() {
	m, err := dense.FromSlice(2, 3, []float32{
		1, 2, 3,
		4, 5, 6,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := []float32{1, 0, 1}
	fmt.Println(m.Dot(0, w), m.Dot(1, w))
	// Output: 4 10
}
