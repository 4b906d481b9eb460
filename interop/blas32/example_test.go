package blas32_test

import (
	"fmt"

	gonum "gonum.org/v1/gonum/blas/blas32"

	"github.com/pegasimd/pegasimd/interop/blas32"
)

func ExampleImplementation() {
	gonum.Use(blas32.Implementation{})
	x := gonum.Vector{N: 3, Inc: 1, Data: []float32{1, 2, 3}}
	y := gonum.Vector{N: 3, Inc: 1, Data: []float32{4, 5, 6}}
	fmt.Println(gonum.Dot(x, y))
	// Output: 32
}
