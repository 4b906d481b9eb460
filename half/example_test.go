package half_test

import (
	"fmt"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/half"
)

// The nearest rows, in half of float32's memory.
func ExampleTop() {
	floats := []float32{
		1, 0,
		0, 1,
		.6, .8,
	}
	rows := make([]half.Float16, len(floats))
	half.Quantize(rows, floats)
	for _, hit := range half.Top(make([]dense.Hit, 2), dense.ByCosine, rows, 2, []float32{1, 2}) {
		fmt.Printf("row %d: %.4f\n", hit.Row, hit.Score)
	}
	// Output:
	// row 2: 0.9838
	// row 1: 0.8944
}

// One third, rounded to float16 and bfloat16.
func ExampleQuantize() {
	var f [1]half.Float16
	var b [1]half.Bfloat16
	third := []float32{1. / 3}
	half.Quantize(f[:], third)
	half.Quantize(b[:], third)
	fmt.Printf("%#04x %v\n%#04x %v\n", f[0], f[0].Float32(), b[0], b[0].Float32())
	// Output:
	// 0x3555 0.33325195
	// 0x3eab 0.33398438
}

// Rows that another package stores as uint16.
func ExampleOf() {
	rows := half.Of[half.Bfloat16]([]uint16{0x3f80, 0x4000})
	fmt.Println(half.Dot([]float32{3, 4}, rows))
	// Output: 11
}
