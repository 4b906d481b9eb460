package dense_test

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dense"
)

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

// The nearest of a few stored vectors, as a vector search does it.
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

// The two stored vectors that are nearest to a query.
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

// Vectors that are stored one by one, as most programs have them.
func ExampleTopSlices() {
	rows := [][]float32{{0, 0}, {5, 5}, {1, 0}}
	buf := make([]dense.Hit, 2) // to be used again for the next query
	fmt.Println(dense.TopSlices(buf, dense.ByDistance, rows, []float32{1, 1}))
	// Output: [{2 1} {0 2}]
}

func ExampleTopMany() {
	rows := []float32{1, 0, 0, 1, 3, 4}
	queries := [][]float32{{1, 0}, {0, 1}}
	hits := [][]dense.Hit{make([]dense.Hit, 1), make([]dense.Hit, 2)}
	dense.TopMany(hits, dense.ByDot, rows, 2, queries, 0)
	fmt.Println(hits)
	// Output: [[{2 3}] [{2 4} {1 1}]]
}

func ExampleSquaredDistance() {
	fmt.Println(dense.SquaredDistance([]float32{0, 3}, []float32{4, 0}))
	// Output: 25
}

// The cosine of the angle between two vectors.
func ExampleDotNorms() {
	xy, xx, yy := dense.DotNorms([]float32{3, 4}, []float32{4, 3})
	fmt.Printf("%.2f\n", float64(xy)/math.Sqrt(float64(xx)*float64(yy)))
	// Output: 0.96
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
