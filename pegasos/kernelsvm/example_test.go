package kernelsvm_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// Points that no line tells apart: a row is of the first class if its two values have the same
// sign.
func ExampleTrain() {
	x, err := dense.FromSlice(4, 2, []float32{1, 1, -1, -1, 1, -1, -1, 1})
	if err != nil {
		log.Fatal(err)
	}
	y := []float32{0, 0, 1, 1}
	m, err := kernelsvm.Train(context.Background(), x, y, kernelsvm.Config{Kernel: kernelsvm.RBF,
		Gamma: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.PredictAll(x), m.SupportRows().Rows())
	// Output: [0 0 1 1] 4
}
