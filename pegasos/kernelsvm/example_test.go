package kernelsvm_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

// No line separates these classes: a row belongs to the first class if its two values have the same
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

// A model file holds the support rows and their coefficients.
func ExampleRead() {
	x, err := dense.FromSlice(4, 2, []float32{1, 1, -1, -1, 1, -1, -1, 1})
	if err != nil {
		log.Fatal(err)
	}
	m, err := kernelsvm.Train(context.Background(), x, []float32{0, 0, 1, 1},
		kernelsvm.Config{Kernel: kernelsvm.Polynomial, Degree: 2})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		log.Fatal(err)
	}
	same, err := kernelsvm.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(same.PredictAll(x), same.Hash() == m.Hash())
	// Output: [0 0 1 1] true
}

// Scores of single rows, in a buffer that is reused.
func ExampleModel_Score() {
	x, err := dense.FromSlice(4, 2, []float32{1, 1, -1, -1, 1, -1, -1, 1})
	if err != nil {
		log.Fatal(err)
	}
	m, err := kernelsvm.Train(context.Background(), x, []float32{0, 0, 1, 1},
		kernelsvm.Config{Kernel: kernelsvm.RBF, Gamma: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	scores := make([]float64, m.Outputs())
	fmt.Println(m.Classes[m.Class(m.Score([]float32{.9, .8}, scores))])
	// Output: 0
}

// Choose gamma by cross-validation: each row is predicted by a model that was not trained on it.
func ExampleTrainer_CrossPredict() {
	var rows, y []float32
	for i := range 40 {
		a, b := float32(i%5+1), float32(i%7+1)
		rows = append(rows, a, b, -a, b)
		y = append(y, 0, 1)
	}
	x, err := dense.FromSlice(len(y), 2, rows)
	if err != nil {
		log.Fatal(err)
	}
	for _, gamma := range []float64{1000, 0.5} {
		tr := kernelsvm.Trainer{Config: kernelsvm.Config{Kernel: kernelsvm.RBF, Gamma: gamma}}
		predicted, err := tr.CrossPredict(context.Background(), x, y, 4)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("gamma %v: %.0f %%\n", gamma, 100*metrics.Accuracy(y, predicted, nil))
	}
	// Output:
	// gamma 1000: 60 %
	// gamma 0.5: 100 %
}
