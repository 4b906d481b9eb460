package main

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/table"
	"github.com/pegasimd/pegasimd/pegasos"
)

var evalCommand = command{
	name:      "eval",
	arguments: "DATA MODEL",
	summary:   "measure how well a model predicts labelled data",
	help: `Eval predicts the rows of DATA and compares with their labels: accuracy, the confusion matrix, and the objective
that DATA has with the model's lambda. Of a model that predicts numbers it tells the root mean square error instead.

Examples:
  pegasimd eval test.svm a9a.model
  pegasimd eval -json - test.csv digits.model`,
	run: eval,
}

// evalReport is what -json writes.
type evalReport struct {
	Accuracy  number   `json:"accuracy"`
	Error     number   `json:"error"`
	RMSE      number   `json:"rmse"`
	Objective number   `json:"objective"`
	Lambda    float64  `json:"lambda"`
	Rows      int      `json:"rows"`
	Features  int      `json:"features"`
	Ignored   int64    `json:"ignored_values"`
	Labels    []string `json:"labels"`
	Confusion [][]int  `json:"confusion"` // rows true, columns predicted
	ISA       string   `json:"isa"`
	Layout    string   `json:"layout"`
	ModelHash string   `json:"model_hash"`
}

func eval(c *call) error {
	var data dataFlags
	var report string
	data.define(c)
	c.flags.StringVar(&report, "json", "", "write the numbers to `file`, or - for standard output instead of the table")
	args, err := c.parse(2, 2)
	if err != nil {
		return err
	}
	if m, err := kernelModel(args[1]); err != nil {
		return err
	} else if m != nil {
		return evalKernel(c, &data, args, m, report)
	}
	set, m, err := data.readWithModel(c, args[0], args[1])
	if err != nil {
		return err
	}
	if set.Rows() == 0 {
		return fmt.Errorf("%s: no rows to evaluate", args[0])
	}
	if m.Classes == nil {
		return evalNumbers(c, args[0], set, m, report, data.quiet)
	}
	truth, names := labels(set, m)
	confusion := make([][]int, len(names))
	for i := range confusion {
		confusion[i] = make([]int, len(names))
	}
	all, err := decide(m, set, args[0])
	if err != nil {
		return err
	}
	right, k := 0, len(m.Weights)
	for i, class := range truth {
		predicted := m.Class(all[i*k:][:k])
		confusion[class][predicted]++
		if predicted == class {
			right++
		}
	}
	accuracy := float64(right) / float64(len(truth))
	objective := math.NaN()
	if len(names) == len(m.Classes) { // every label is one of the model's
		objective = m.Objective(all, truth)
	}
	out := evalReport{
		Accuracy: number(accuracy), Error: number(1 - accuracy), RMSE: number(math.NaN()), Objective: number(objective), Lambda: m.Lambda,
		Rows: set.Rows(), Features: m.Cols(), Ignored: set.Ignored, Labels: names, Confusion: confusion,
		ISA: asm.Active().String(), Layout: string(set.Layout()), ModelHash: m.Hash(),
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if data.quiet || report == "-" {
		return nil
	}
	warnIgnored(c, set.Ignored)
	w := c.stdout
	fmt.Fprintf(w, "accuracy %.4f %% (%d of %d), error %.4f %%\n", 100*accuracy, right, len(truth), 100*(1-accuracy))
	if objective == objective {
		fmt.Fprintf(w, "objective %.8g at lambda %.6g\n", objective, m.Lambda)
	} else if len(names) > len(m.Classes) {
		fmt.Fprintf(w, "no objective: the data have labels that the model does not know\n")
	} else if m.Prior != "" {
		fmt.Fprintf(w, "no objective: the model had a prior, which is not at hand\n")
	} else {
		fmt.Fprintf(w, "no objective: two of the classes have no rows\n")
	}
	if len(names) <= 40 {
		fmt.Fprintf(w, "\n%s", table.Confusion(names, confusion))
	} else {
		fmt.Fprintf(w, "(%d classes: -json has the confusion matrix)\n", len(names))
	}
	return nil
}

func evalNumbers(c *call, name string, set *dataset.Set, m *pegasos.Model, report string, quiet bool) error {
	if set.Names != nil {
		return fmt.Errorf("%s: the labels are names, the model predicts numbers", name)
	}
	all, err := decide(m, set, name)
	if err != nil {
		return err
	}
	rmse, objective := m.RMSE(all, set.Y), m.ObjectiveNumbers(all, set.Y)
	out := evalReport{
		Accuracy: number(math.NaN()), Error: number(math.NaN()), RMSE: number(rmse), Objective: number(objective),
		Lambda: m.Lambda, Rows: set.Rows(), Features: m.Cols(), Ignored: set.Ignored, ISA: asm.Active().String(),
		Layout: string(set.Layout()), ModelHash: m.Hash(),
	}
	if err := c.writeJSON(report, out); err != nil {
		return err
	}
	if quiet || report == "-" {
		return nil
	}
	warnIgnored(c, set.Ignored)
	fmt.Fprintf(c.stdout, "RMSE %.6g on %d rows\nobjective %.8g with lambda %.6g\n", rmse, set.Rows(), objective, m.Lambda)
	return nil
}
