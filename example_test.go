package pegasimd_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Example_kernels finds the two stored vectors nearest to a query.
func Example_kernels() {
	rows := []float32{0, 1, 1, 1, 1, 0, 2, 0, 1, 0, 3, 2}
	query := []float32{0, 1, 0.5}
	for _, hit := range dense.Top(make([]dense.Hit, 2), dense.ByCosine, rows, 3, query) {
		fmt.Println("row", hit.Row, "scores", hit.Score)
	}
	// Output:
	// row 3 scores 0.99227786
	// row 0 scores 0.9486833
}

// Example_training trains on the embedded digits, and prints the bound on the model's distance from
// the optimum.
func Example_training() {
	set := dataset.Digits() // or dataset.Read("train.svm.gz", dataset.Options{})
	m, err := pegasos.Train(context.Background(), set.Examples(), set.Y, pegasos.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at most %.3g %% above the optimum\n", 100*m.Result.Gap)
	fmt.Println("a", set.Y[0], "is recognized as", m.Predict(set.Examples(), 0))
	// Output:
	// at most 0.703 % above the optimum
	// a 0 is recognized as 0
}
