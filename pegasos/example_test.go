package pegasos_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Four points: is the second number the larger one?
func points() (*dense.Matrix, []float32) {
	x, err := dense.FromSlice(4, 2, []float32{
		0, 2,
		3, 1,
		1, 4,
		2, 0,
	})
	if err != nil {
		panic(err)
	}
	return x, []float32{1, -1, 1, -1}
}

func ExampleTrain() {
	x, y := points()
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 100}
	model, err := pegasos.Train(context.Background(), x, y, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("labels:", model.PredictAll(x))
	fmt.Printf("objective %.3f, at most %.1f %% above the optimum\n",
		model.Result.Objective, 100*model.Result.Gap)
	// Output:
	// labels: [1 -1 1 -1]
	// objective 0.043, at most 8.3 % above the optimum
}

func ExampleTrainer() {
	x, y := points()
	trainer := pegasos.Trainer{
		Config: pegasos.Config{Lambda: 0.1, Epochs: 3, Bias: pegasos.BiasAugmented},
		Progress: func(p pegasos.Progress) {
			fmt.Printf("epoch %d: step %d of %d\n", p.Epoch, p.Steps, p.TotalSteps)
		},
	}
	if _, err := trainer.Train(context.Background(), x, y); err != nil {
		fmt.Println(err)
	}
	// Output:
	// epoch 1: step 4 of 12
	// epoch 2: step 8 of 12
	// epoch 3: step 12 of 12
}

func ExampleModel_Write() {
	x, y := points()
	model, err := pegasos.Train(context.Background(), x, y, pegasos.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	model.Names = []string{"first", "second"}
	var file bytes.Buffer // or model.WriteFile
	if err := model.Write(&file); err != nil {
		fmt.Println(err)
		return
	}
	same, err := pegasos.Read(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores := same.Decision(x, 0, nil)
	fmt.Println("the larger number is the", same.Names[same.Class(scores)])
	fmt.Println(same.Hash() == model.Hash())
	// Output:
	// the larger number is the second
	// true
}
