package metrics_test

import (
	"fmt"

	"github.com/pegasimd/pegasimd/metrics"
)

func Example() {
	truth := []int{0, 0, 0, 1, 1}
	predicted := []int{0, 0, 1, 1, 1}
	fmt.Printf("accuracy %.2f\n", metrics.Accuracy(truth, predicted, nil))
	for k, c := range metrics.Classes(metrics.Confusion(truth, predicted, nil, 2)) {
		fmt.Printf("class %d: precision %.2f, recall %.2f, F1 %.2f, %v rows\n",
			k, c.Precision, c.Recall, c.F1, c.Support)
	}
	// Output:
	// accuracy 0.80
	// class 0: precision 1.00, recall 0.67, F1 0.80, 3 rows
	// class 1: precision 0.67, recall 1.00, F1 0.80, 2 rows
}

func ExampleROCAUC() {
	spam := []bool{false, false, true, true}
	scores := []float64{0.1, 0.4, 0.35, 0.8}
	fmt.Printf("%.2f\n", metrics.ROCAUC(spam, scores, nil))
	// Output: 0.75
}

func ExampleR2() {
	fmt.Printf("%.2f\n", metrics.R2([]float32{1, 2, 3}, []float64{1, 2, 4}, nil))
	// Output: 0.50
}
