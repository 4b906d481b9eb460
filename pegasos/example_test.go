package pegasos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

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

// With a zero Config the trainer chooses the settings from the data. Result.Gap bounds how far the
// objective is above the optimum, as a share of the optimum.
func Example() {
	set := dataset.Digits() // or dataset.Read("train.svm.gz", dataset.Options{})
	m, err := pegasos.Train(context.Background(), set.Examples(), set.Y, pegasos.Config{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("at most %.3g %% above the optimum\n", 100*m.Result.Gap)
	fmt.Println("a", set.Y[0], "is recognised as", m.Predict(set.Examples(), 0))
	fmt.Println(m.Hash()[:16], "on every machine")
	// Output:
	// at most 0.703 % above the optimum
	// a 0 is recognised as 0
	// 662d5fd1dbf0f218 on every machine
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

// Several goroutines may use one model at once, each with its own buffer for the scores.
func ExampleModel_Score() {
	x, y := points()
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 100}
	model, err := pegasos.Train(context.Background(), x, y, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	var buf [1]float64 // one score for each weight vector
	scores := model.Score([]float32{1, 3}, buf[:])
	fmt.Printf("score %.2f, label %v\n", scores[0], model.Classes[model.Class(scores)])
	// Output: score 0.79, label 1
}

func ExampleTrainer_Verify() {
	x, y := points()
	model, err := pegasos.Train(context.Background(), x, y, pegasos.Config{Tol: 0.01})
	if err != nil {
		fmt.Println(err)
		return
	}
	var trainer pegasos.Trainer
	v, err := trainer.Verify(context.Background(), model, x, y,
		pegasos.VerifyOptions{Passes: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Verdict, v.Gap < 0.01)
	// Output: confirmed true
}

func ExampleModel_ScoreSparse() {
	model := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, 0, -2}}}
	var buf [1]float64 // one score for each weight vector
	fmt.Println(model.ScoreSparse([]int32{0, 2}, []float32{5, 1}, buf[:]))
	// Output: [0.5]
}

func ExampleModel_PredictDense() {
	model := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, 0, -2}}}
	fmt.Println(model.PredictDense([]float32{5, 0, 1}))
	// Output: 1
}

// The settings of Paper run the algorithm of the paper's Fig. 1, here for 1000 steps.
func ExamplePaper() {
	x, y := points()
	cfg := pegasos.Paper()
	cfg.Lambda, cfg.Epochs, cfg.Steps = 0.1, 0, 1000
	model, err := pegasos.Train(context.Background(), x, y, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.Result.Steps, model.PredictAll(x))
	// Output: 1000 [1 -1 1 -1]
}

func ExampleModel_PredictSparse() {
	model := &pegasos.Model{Classes: []float32{-1, 1}, Weights: [][]float32{{0.5, 0, -2}}}
	fmt.Println(model.PredictSparse([]int32{0, 2}, []float32{5, 1}))
	fmt.Println(model.PredictSparse([]int32{2}, []float32{1}))
	// Output:
	// 1
	// -1
}

// A model trained with the loss Log returns probabilities. Other classifiers need
// [pegasos.Config.Calibrate].
func ExampleModel_Probabilities() {
	x, y := points()
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 100, Loss: pegasos.Log}
	model, err := pegasos.Train(context.Background(), x, y, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := model.Probabilities(model.Score([]float32{1, 3}, nil), nil)
	fmt.Printf("of the label %v: %.2f\n", model.Classes[1], p[1])
	// Output: of the label 1: 0.80
}

func ExampleNewPartial() {
	x, y := points()
	partial, err := pegasos.NewPartial(pegasos.Config{Lambda: 0.1}, []float32{-1, 1}, x.Cols())
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 { // chunks, here all with the same rows
		if err := partial.Fit(x, y); err != nil {
			fmt.Println(err)
			return
		}
	}
	model, err := partial.Model()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(model.PredictAll(x))
	// Output: [1 -1 1 -1]
}

// A run that is paused and resumed gives the model of a run without a pause, to the bit.
func ExampleTrainer_resume() {
	x, y := points()
	cfg := pegasos.Config{Lambda: 0.1, Epochs: 10}
	first := pegasos.Trainer{Config: cfg, Pause: 20, KeepState: true}
	half, err := first.Train(context.Background(), x, y)
	if !errors.Is(err, pegasos.ErrPaused) {
		fmt.Println(err)
		return
	}
	second := pegasos.Trainer{Config: cfg, Resume: half}
	model, err := second.Train(context.Background(), x, y)
	if err != nil {
		fmt.Println(err)
		return
	}
	whole, err := pegasos.Train(context.Background(), x, y, cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(half.Result.Steps, model.Result.Steps, model.Hash() == whole.Hash())
	// Output: 20 40 true
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
