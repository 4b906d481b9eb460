package quant_test

import (
	"fmt"
	"math/rand/v2"

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

// The rows nearest to a query, in a quarter of float32's memory.
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

// A float query and rows of bytes that were quantized with an offset.
func ExampleDotFloat() {
	floats, query := []float32{-1, 0, 0.5, 1.55}, []float32{1, 2, 3, 4}
	const offset, step = -1, 0.01
	row := make([]uint8, len(floats))
	quant.QuantizeUint8(row, floats, offset, step)
	about := offset*dense.Sum(query) + step*quant.DotFloat(query, row)
	fmt.Println(row)
	fmt.Printf("about %.2f, exactly %.2f\n", about, dense.Dot(query, floats))
	// Output:
	// [0 100 150 255]
	// about 6.70, exactly 6.70
}

// A search in two steps: bits of signs find candidates, and the floats rank them.
func ExampleTopHamming() {
	rows := []float32{ // four rows of three elements
		1, 2, -1,
		-1, -1, 1,
		.9, 1, -3,
		-2, 1, 1,
	}
	bits := make([]uint64, 4) // one word for each row
	for i := range bits {
		quant.Signs(bits[i:i+1], rows[3*i:][:3])
	}
	query, word := []float32{1, 1, -2}, make([]uint64, 1)
	quant.Signs(word, query)
	var candidates []int32
	for _, hit := range quant.TopHamming(make([]quant.Hit, 2), bits, 1, word) {
		candidates = append(candidates, int32(hit.Row))
	}
	best := dense.TopAt(make([]dense.Hit, 1), dense.ByCosine, rows, 3, candidates, query)
	fmt.Println("candidates", candidates, "best", best[0].Row)
	// Output: candidates [0 2] best 2
}

// Bits in a BLOB of any length.
func ExampleHammingBytes() {
	fmt.Println(quant.HammingBytes([]byte{0b1100, 0xff, 1}, []byte{0b0110, 0, 1}))
	// Output: 10
}

func ExampleSquaredDistance() {
	fmt.Println(quant.SquaredDistance([]int8{-128, 0}, []int8{127, 1}))
	// Output: 65026
}

// The nearest rows for many queries.
func ExampleTopMany() {
	rows := []int8{1, 0, 0, 1, 3, 4}
	hits := [][]quant.Hit{make([]quant.Hit, 1), make([]quant.Hit, 1)}
	quant.TopMany(hits, dense.ByDistance, rows, 2, [][]int8{{1, 1}, {3, 3}}, 1)
	for q, best := range hits {
		fmt.Println("query", q, "row", best[0].Row)
	}
	// Output:
	// query 0 row 0
	// query 1 row 2
}

// The hits of dense.Top.
func ExampleIndex() {
	const count, n = 2000, 100
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]float32, count*n)
	for i := range rows {
		rows[i] = float32(r.NormFloat64())
	}
	query := rows[42*n:][:n]

	index := quant.NewIndex(rows, n, n, 0) // once
	for _, hit := range index.Top(make([]dense.Hit, 2), dense.ByCosine, query) {
		fmt.Printf("row %d: %.4f\n", hit.Row, hit.Score)
	}
	fmt.Println(dense.Top(make([]dense.Hit, 2), dense.ByCosine, rows, n, query))
	// Output:
	// row 42: 1.0000
	// row 1792: 0.3192
	// [{42 1} {1792 0.31919825}]
}
