package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

var evalCommand = command{help.Command{
	Name:      "eval",
	Arguments: "DATA... MODEL",
	Summary:   "measure how well a model predicts labeled data",
	Help: `Eval predicts the rows of DATA and compares the predictions with their labels. It prints
  - the accuracy, and for each class precision, recall, F1 and their plain means over the classes;
  - the area under the ROC curve and the average precision of the second class; for more than two
    classes, their means over the classes in DATA, each against the rest;
  - the log loss, if the model has probabilities (train -loss log or -proba);
  - for a linear model without -prior the objective of DATA at its lambda: penalty + mean loss,
    without -class-weight and -costs of the training;
  - the confusion matrix; -plot draws it, for up to 200 classes.
With more than 40 classes the text leaves out the figures of each class and the matrix. -json has
them, the matrix for up to 2048 classes.
For a model that predicts numbers it prints the root mean square error (RMSE), the mean absolute
error (MAE), R^2 and the objective. Labels that the model does not know count as mistakes. With such
labels there are no areas, average precisions, log loss and objective.

A warning appears if DATA are exactly the model's training rows, or these and the rows that -holdout
held out. The figures then tend to be better than on new rows.

With -weights, each row counts in these figures by its weight. Several DATA are read as one, as by
train; the last argument is MODEL.

Undefined figures are printed as "none", and are null with -json. Examples are the precision of a
class that was never predicted, and the recall of a class without rows. If only the precision or
only the recall of a class is undefined, its F1 is 0, and the means over the classes count the
undefined figure as 0. With -quiet only the first line is printed.

Examples:
  pegasimd eval test.svm a9a.model
  pegasimd eval -json - test.csv digits.model
  pegasimd eval -quiet -plot confusion.svg test.csv digits.model`,
}, runEval}

func runEval(c *call, args []string) error {
	if err := checkPicture(c.flags.Plot); err != nil {
		return err
	}
	jsonOut := c.writes("-json", c.flags.JSON, reportKind)
	plotOut := c.writes("-plot", c.flags.Plot, pictureKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	m, err := c.readPredictor(args[1])
	if err != nil {
		return err
	}
	if predictions.Numbers(m) && c.flags.Plot != "" {
		return flags.Usagef("-plot draws a confusion matrix, but the model predicts numbers")
	}
	reader := c.reader(args[0])
	s, err := reader.scoreLabeled(m)
	if err != nil {
		return err
	}
	if jsonOut != nil || !c.flags.Quiet { // warnings are printed, or part of the JSON
		if err := s.warnTrained(); err != nil {
			return err
		}
	}
	r := evaluate(s)
	r.Warnings = c.warnings
	if err := jsonOut.writeJSON(r); err != nil {
		return err
	}
	if plotOut != nil {
		of := count(r.Rows, "row")
		if r.Weight > 0 {
			of = "a weight of " + amount(r.Weight)
		}
		title := fmt.Sprintf("%s on %s: accuracy %.2f %% of %s", escape.Name(shortName(args[1])),
			escape.Name(shortName(reader.String())), 100*r.Accuracy, of)
		err := plotOut.write(func(w io.Writer) error {
			return writeConfusion(w, title, escape.Names(r.Labels), r.Confusion)
		})
		if err != nil {
			return err
		}
	}
	switch {
	case jsonOut.toStdout():
	case c.flags.Quiet:
		r.printFirst(c.stdout)
	default:
		s.reader.tell(s.Set)
		r.print(c.stdout)
	}
	return nil
}

// s has at least one row, and numeric labels if the model predicts numbers.
func evaluate(s *scoredSet) *evalReport {
	none := number(math.NaN())
	r := &evalReport{
		Accuracy: none, Error: none, ROCAUC: none, AveragePrecision: none, LogLoss: none,
		RMSE: none, MAE: none, R2: none, Objective: none, MeanLoss: none,
		Penalty: number(s.model.Penalty()), Lambda: s.model.run().Lambda,
		Rows: s.Rows(), Features: s.model.Cols(), Ignored: s.Ignored,
		ISA: asm.Active().String(), Layout: string(s.Layout()), ModelHash: s.model.Hash(),
	}
	for _, w := range s.weights {
		r.Weight += float64(w)
	}
	predicted, _, _ := s.predict() // no error: all scores are in memory
	of := &scored{s.model, s.Y, s.weights, s.scores, s.truth, predicted, len(s.names)}
	if predictions.Numbers(s.model) {
		r.RMSE, r.R2 = number(of.rmse()), number(of.r2())
		r.MAE = number(metrics.MAE(s.Y, s.scores, s.weights))
	} else {
		r.Labels = s.names
		r.classify(of)
		if r.unknown = len(s.names) > len(s.model.Head().Classes); r.unknown {
			return r // a label that the model does not know has no score
		}
		r.rank(of)
		if s.model.noProbabilities() == "" {
			r.LogLoss = number(of.logLoss())
		}
	}
	if m, linear := s.model.(linearModel); linear {
		if r.at = m.penaltyText(); m.Config.ClassWeight != "" {
			r.at += ", without -class-weight"
		}
	}
	r.MeanLoss = number(s.model.MeanLoss(s.scores, s.labels(), s.weights))
	r.Objective = r.Penalty + r.MeanLoss
	return r
}

func (r *evalReport) classify(of *scored) {
	accuracy := of.accuracy()
	r.Accuracy, r.Error = number(accuracy), number(1-accuracy)
	r.Confusion, r.right = of.confusion(), of.right()
	classes := of.each()
	for i, c := range classes {
		r.Classes = append(r.Classes, newClassReport(r.Labels[i], c))
	}
	macro := newClassReport("", metrics.Macro(classes))
	r.Macro = &macro
}

func (r *evalReport) rank(of *scored) {
	each, means, all := of.rankings()
	for k, class := range each {
		r.Classes[k].ROCAUC, r.Classes[k].AveragePrecision = class.auc, class.precision
	}
	r.Macro.ROCAUC, r.Macro.AveragePrecision = means.auc, means.precision
	r.ROCAUC, r.AveragePrecision = all.auc, all.precision
}

func newClassReport(label string, c metrics.Class) classReport {
	none := number(math.NaN())
	return classReport{
		label, number(c.Precision), number(c.Recall), number(c.F1), none, none, c.Support,
	}
}

func (r *evalReport) print(w io.Writer) {
	r.printFirst(w)
	if r.Labels == nil {
		r.printObjective(w)
		return
	}
	if r.unknown {
		fmt.Fprintln(w, "no objective, ROC-AUC, average precision or log loss: the data have "+
			"labels that the model does not know")
	} else {
		of := "of the score, for class " + escape.Name(r.Labels[1])
		if len(r.Labels) > 2 {
			of = "means over the classes for which they are defined, each against the rest"
		}
		fmt.Fprintf(w, "ROC-AUC %s, average precision %s (%s)\n", r.ROCAUC, r.AveragePrecision, of)
		if !math.IsNaN(float64(r.LogLoss)) {
			fmt.Fprintf(w, "log loss %s\n", r.LogLoss)
		}
		r.printObjective(w)
	}
	if len(r.Labels) > 40 {
		fmt.Fprintf(w, "macro precision %s, recall %s, F1 %s\n", r.Macro.Precision, r.Macro.Recall,
			r.Macro.F1)
		matrix := " and the confusion matrix"
		if r.Confusion == nil {
			matrix = fmt.Sprintf("; above %d classes there is no confusion matrix", maxConfusion)
		}
		fmt.Fprintf(w, "(%d classes: -json has the figures of each class%s)\n", len(r.Labels), matrix)
		return
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := "rows"
	if r.Weight > 0 {
		rows = "weight"
	}
	fmt.Fprintf(t, "class\tprecision\trecall\tF1\tROC-AUC\taverage precision\t%s\t\n", rows)
	for _, c := range append(r.Classes, *r.Macro) {
		label := "macro"
		if c.Label != "" {
			label = escape.Name(c.Label)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", label,
			c.Precision.short(), c.Recall.short(), c.F1.short(),
			c.ROCAUC.short(), c.AveragePrecision.short(), amount(c.Support))
	}
	t.Flush()
	r.printConfusion(w)
}

func (r *evalReport) printConfusion(w io.Writer) {
	names := escape.Names(r.Labels)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\ntrue \\ predicted\t%s\t\n", strings.Join(names, "\t"))
	for i, row := range r.Confusion {
		fmt.Fprintf(t, "%s\t", names[i])
		for _, n := range row {
			fmt.Fprintf(t, "%s\t", amount(n))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func (r *evalReport) printFirst(w io.Writer) {
	if r.Labels == nil {
		of := ""
		if r.Weight > 0 {
			of = " of the total weight " + amount(r.Weight)
		}
		fmt.Fprintf(w, "RMSE %s, MAE %s, R^2 %s on %s%s\n", r.RMSE, r.MAE, r.R2, count(r.Rows, "row"), of)
		return
	}
	all, unit := float64(r.Rows), ""
	if r.Weight > 0 {
		all, unit = r.Weight, "a weight of "
	}
	fmt.Fprintf(w, "accuracy %.4f %% (%s%s of %s), error %.4f %%\n", 100*r.Accuracy, unit,
		amount(r.right), amount(all), 100*r.Error)
}

// penaltyText names lambda, or C if one-vs-one with -c gives each pair its own lambda.
func (m linearModel) penaltyText() string {
	if m.Config.C != 0 && m.Config.Multiclass == pegasos.OneVsOne && len(m.Classes) > 2 {
		return fmt.Sprintf("C %.6g in each pair", m.Config.C)
	}
	return fmt.Sprintf("lambda %.6g", m.Lambda)
}

func (r *evalReport) printObjective(w io.Writer) {
	switch {
	case math.IsNaN(float64(r.Penalty)) && math.IsNaN(float64(r.MeanLoss)):
		// both are unknown for a kernel machine
	case math.IsNaN(float64(r.Penalty)):
		fmt.Fprintf(w, "mean loss %s; no objective: the model's file does not store the weights of its "+
			"-prior\n", r.MeanLoss)
	case math.IsNaN(float64(r.MeanLoss)):
		fmt.Fprintf(w, "penalty %s; no objective: two or more of the classes have no rows\n", r.Penalty)
	default:
		fmt.Fprintf(w, "objective %.8g = penalty %.8g + mean loss %.8g, at %s\n",
			r.Objective, r.Penalty, r.MeanLoss, r.at)
	}
}

type evalReport struct {
	Accuracy         number        `json:"accuracy"`
	Error            number        `json:"error"`
	ROCAUC           number        `json:"roc_auc"`
	AveragePrecision number        `json:"average_precision"`
	LogLoss          number        `json:"log_loss"`
	RMSE             number        `json:"rmse"`
	MAE              number        `json:"mae"`
	R2               number        `json:"r2"`
	Objective        number        `json:"objective"`
	Penalty          number        `json:"penalty"`
	MeanLoss         number        `json:"mean_loss"`
	Lambda           float64       `json:"lambda"`
	Rows             int           `json:"rows"`
	Weight           float64       `json:"weight,omitempty"` // sum; 0 without -weights
	Features         int           `json:"features"`
	Ignored          int64         `json:"ignored_values"`
	Macro            *classReport  `json:"macro"`
	Classes          []classReport `json:"classes"`
	Labels           []string      `json:"labels"`
	Confusion        [][]float64   `json:"confusion"` // by true, then predicted class
	ISA              string        `json:"isa"`
	Layout           string        `json:"layout"`
	ModelHash        string        `json:"model_hash"`
	Warnings         []string      `json:"warnings,omitempty"`

	unknown bool // the data have labels that the model does not know
	right   float64
	at      string // settings at which the objective is computed; empty for a kernel machine
}

type classReport struct {
	Label            string  `json:"label,omitempty"`
	Precision        number  `json:"precision"`
	Recall           number  `json:"recall"`
	F1               number  `json:"f1"`
	ROCAUC           number  `json:"roc_auc"`
	AveragePrecision number  `json:"average_precision"`
	Support          float64 `json:"support"`
}
