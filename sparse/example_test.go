package sparse_test

import (
	"fmt"

	"github.com/pegasimd/pegasimd/sparse"
)

func ExampleDot() {
	w := []float32{10, 20, 30, 40}
	fmt.Println(sparse.Dot([]int32{1, 3}, []float32{0.5, 2}, w))
	// Output: 90
}

func ExampleAxpy() {
	w := []float32{10, 20, 30, 40}
	sparse.Axpy(2, []int32{1, 3}, []float32{0.5, 2}, w)
	fmt.Println(w)
	// Output: [10 21 30 44]
}

func ExampleNew() {
	// Two rows: 0.5 in column 1; 2 in column 0 and 3 in column 2.
	m, err := sparse.New(3, []int64{0, 1, 3}, []int32{1, 0, 2}, []float32{0.5, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := []float32{1, 10, 100}
	fmt.Println(m.Dot(0, w), m.Dot(1, w))

	_, err = sparse.New(3, []int64{0, 2}, []int32{2, 3}, []float32{1, 1})
	fmt.Println(err)
	// Output:
	// 5 302
	// sparse: row 0: column 3 after 2: want strictly ascending columns from 0 and below 3
}

// A row times eight weight vectors at once, whose weights of a feature are adjacent.
func ExampleDotK() {
	w := make([]float32, 3*8)
	for c := range 8 {
		w[0*8+c], w[2*8+c] = float32(c), 1
	}
	dst := make([]float32, 8)
	sparse.DotK(dst, []int32{0, 2}, []float32{10, 5}, w)
	fmt.Println(dst)
	// Output: [5 15 25 35 45 55 65 75]
}
