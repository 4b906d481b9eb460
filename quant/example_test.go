package quant_test

import (
	"fmt"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/quant"
)

func ExampleDot() {
	fmt.Println(quant.Dot([]int8{100, -100}, []int8{100, 100}))
	fmt.Println(quant.Dot([]uint8{255}, []uint8{255}))
	// Output:
	// 0
	// 65025
}

// The rows nearest to a query, all of them in a quarter of the memory.
func ExampleTop() {
	floats := []float32{
		1, 0,
		0, 1,
		.6, .8,
	}
	rows, query := make([]int8, len(floats)), make([]int8, 2)
	step := quant.Step(floats)
	quant.Quantize(rows, floats, step)
	quant.Quantize(query, []float32{.5, .5}, step)
	for _, hit := range quant.Top(make([]quant.Hit, 1), dense.ByDot, rows, 2, query) {
		fmt.Printf("row %d: about %.2f\n", hit.Row, float32(hit.Score)*step*step)
	}
	// Output: row 2: about 0.71
}
