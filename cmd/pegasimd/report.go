package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/app/htmlreport"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/text/tables"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

var reportCommand = command{help.Command{
	Name:      "report",
	Arguments: "MODEL DATA... [OUT]",
	Summary:   "write a page about a model and its predictions",
	Help: `Report writes a page of HTML. It shows how well the model predicts DATA, the most
important features of a linear model, a description of the training data's columns, the settings of
the training, and the bound on the objective that the model's file claims. The page is one file that
loads nothing else. It supports light and dark display, and printing. Without OUT, the page gets the
model's name with the ending .html, in the working folder. Several DATA are read as one, as by
train. Then OUT has to end in .html or .htm, or be -.

The page says which rows it measures. If DATA are exactly the model's training rows, figures tend to
be better than on new rows, and the page says so. Only the rows held out are measured if a run with
-holdout trained the model to its end, and DATA is its file. Give the same -weights. The page marks
accuracies and bounds that the model's file only claims.

Examples:
  pegasimd train -holdout 0.2 people.csv
  pegasimd report people.model people.csv
  pegasimd report -top 20 a9a.model a9a.t.svm page.html`,
}, runPage}

var pageKind = beginsWith("a page of pegasimd report", htmlreport.Mark)

func runPage(c *call, args []string) error {
	name, err := outputName(append(args, "")[2], args[0], ".html", "OUT")
	if err != nil {
		return err
	}
	out := c.writes("OUT", name, pageKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	m, err := c.readPredictor(args[0])
	if err != nil {
		return err
	}
	reader := c.reader(args[1])
	reader.likeTraining(m.data())
	encoder, err := predictions.Encoder(m.Head())
	if err == nil && encoder != nil { // the data are read several times
		err = reader.keepInput()
	}
	if err != nil {
		return err
	}
	s, err := reader.scoreLabeled(m)
	if err != nil {
		return err
	}
	defer s.Close()
	in := &htmlreport.Input{Model: escape.Name(shortName(args[0])),
		Data: escape.Name(shortName(reader.String())), Predictor: plainModel(m),
		FileRows: s.Rows(), Features: m.Cols()}
	for _, line := range append(slices.Clone(c.warnings), reader.oddities(s.Set)...) {
		in.Warnings = append(in.Warnings, escape.Text(line))
	}
	if s.Form != nil {
		in.Form = formText(s.Form)
	}
	if s, err = measured(in, s); err != nil {
		return err
	}
	in.Verify = verifyCommandLine(c, in, args)
	measure(in, s)
	if err := describePage(c, in, m, reader); err != nil {
		return err
	}
	if err := out.write(func(w io.Writer) error { return htmlreport.Write(w, in) }); err != nil {
		return err
	}
	if !c.flags.Quiet && !out.toStdout() {
		fmt.Fprintf(c.stdout, "wrote %s\n", escape.Name(name))
	}
	return nil
}

func plainModel(p predictor) modelio.Predictor {
	if m, is := p.(linearModel); is {
		return m.Model
	}
	return p.(kernelModel).Model
}

// measured returns the rows that training held out, if the data are these and the training rows,
// otherwise all rows. It sets the origin of the rows, or the reason why that is unknown.
func measured(in *htmlreport.Input, s *scoredSet) (*scoredSet, error) {
	if s.model.data() == "" {
		in.Reason = "its file does not say what rows it was trained on"
		return s, nil
	}
	trained, out, err := s.trainedOn()
	switch {
	case err != nil:
		return nil, err
	case !trained:
		in.Origin = htmlreport.Other
		return s, nil
	case out == nil:
		in.Origin = htmlreport.Training
		return s, nil
	}
	in.Origin = htmlreport.HeldOut
	held := &scoredSet{Set: s.Subset(out), reader: s.reader, model: s.model,
		weights: take(s.weights, out), names: s.names}
	n := s.model.Outputs()
	for _, i := range out {
		held.scores = append(held.scores, s.scores[i*n:][:n]...)
		if s.truth != nil {
			held.truth = append(held.truth, s.truth[i])
		}
	}
	return held, nil
}

func verifyCommandLine(c *call, in *htmlreport.Input, args []string) string {
	data := append([]string{args[1]}, c.more...)
	if in.Origin != htmlreport.Training && in.Origin != htmlreport.HeldOut {
		data = []string{"TRAINING-DATA"}
	}
	without := []string{"top", "force", "quiet", "strict"}
	words := append([]string{"verify"}, c.flags.Words(true, func(f *flags.Flag) bool {
		return !slices.Contains(without, f.Name)
	})...)
	if m, linear := in.Predictor.(*pegasos.Model); linear {
		if m.Prior != "" {
			words = append(words, "-prior", "PRIOR-MODEL")
		}
		if m.Start != "" && m.Table != nil {
			words = append(words, "-start", "START-MODEL")
		}
		for _, name := range []string{"-costs", "-weights"} {
			if trainedWith(m, name) && !slices.Contains(words, name) {
				words = append(words, name, "FILE")
			}
		}
	}
	return "pegasimd " + escape.Text(shellWords(append(append(words, args[0]), data...)))
}

// trainedWith reports whether the command in the model's file has the flag, which takes a file.
func trainedWith(m *pegasos.Model, flag string) bool {
	return strings.Contains(" "+m.Command+" ", " "+flag+" FILE ")
}

func measure(in *htmlreport.Input, s *scoredSet) {
	r := evaluate(s)
	in.Weights = s.weights
	in.Measures = htmlreport.Measures{Accuracy: float64(r.Accuracy), ROCAUC: float64(r.ROCAUC),
		AveragePrecision: float64(r.AveragePrecision), LogLoss: float64(r.LogLoss),
		RMSE: float64(r.RMSE), MAE: float64(r.MAE), R2: float64(r.R2)}
	if s.truth == nil {
		in.Y, in.Scores = s.Y, s.scores
		return
	}
	in.Classes, in.Known = escape.Names(s.names), len(s.model.Head().Classes)
	in.Truth = s.truth
	in.Predicted, _, _ = s.predict() // no error: all scores are in memory
	for _, k := range r.Classes {
		in.Measures.Classes = append(in.Measures.Classes, htmlreport.Class{
			Precision: float64(k.Precision), Recall: float64(k.Recall), F1: float64(k.F1),
			ROCAUC: float64(k.ROCAUC), AveragePrecision: float64(k.AveragePrecision), Rows: k.Support})
	}
	if r.unknown {
		return
	}
	n := s.model.Outputs()
	in.ClassScores = func(class int) []float64 {
		scores, all := make([]float64, s.Rows()), make([]float64, in.Known)
		for i := range scores {
			scores[i] = s.model.ClassScores(s.scores[i*n:][:n], all)[class]
		}
		return scores
	}
	if s.model.noProbabilities() == "" {
		in.Probability = func(row int, dst []float64) []float64 {
			return s.model.Probabilities(s.scores[row*n:][:n], dst)
		}
	}
}

func describePage(c *call, in *htmlreport.Input, m predictor, d *dataReader) error {
	r := &modelReport{Features: m.Cols(), IndexBase: m.Head().IndexBase, runReport: m.run()}
	if err := r.nameColumns(m.Head()); err != nil {
		return err
	}
	if r.Label != "" {
		in.Label = escape.Name(r.Label)
	}
	if e := r.Table; e != nil {
		for i := range e.Columns {
			in.Columns = append(in.Columns, reportColumn(e, i))
		}
	} else {
		for _, name := range r.Columns {
			in.Columns = append(in.Columns, htmlreport.Column{Name: escape.Name(name), Kind: "number"})
		}
	}
	switch m := m.(type) {
	case linearModel:
		r.addLinear(m, c.flags.Top)
	case kernelModel:
		r.addKernel(m)
	}
	if e := r.Table; e == nil || !slices.ContainsFunc(e.Columns, hasText) {
		d = nil // there are no n-grams to name
	}
	if err := r.nameWeights(d); err != nil {
		return err
	}
	spread := "about their standard deviation"
	if r.maxAbs {
		spread = "their largest magnitude"
	}
	in.Ranked = "The largest weights, each times the spread of the values that it multiplies (" +
		spread + r.before + "), so that columns in any units can be compared."
	if !r.scaled {
		in.Ranked = "The largest weights. The model does not scale its columns, so that weights of " +
			"columns in different units can't be compared."
	}
	weights := func(all []weight) (shown []htmlreport.Weight) {
		for _, w := range all {
			of := htmlreport.Weight{Name: escape.Name(w.Name), Value: w.Weight}
			switch {
			case w.Name == "":
				of.Name = fmt.Sprint("feature ", w.Feature)
			case r.Table != nil && !r.Table.Header:
				of.Name = "column " + of.Name
			}
			if v := float64(w.Effect); !math.IsNaN(v) {
				of.Value = v
			}
			shown = append(shown, of)
		}
		return shown
	}
	if r.Means != nil {
		in.Vectors = []htmlreport.Vector{{Title: fmt.Sprintf("Means of absolute weights over the %d "+
			"pairs of classes", len(r.Vectors)), Weights: weights(r.Means)}}
	} else {
		for _, v := range r.Vectors {
			of := htmlreport.Vector{For: escape.Name(v.For), Against: v.Against, Nonzero: v.Nonzero,
				Weights: weights(v.Heaviest)}
			if v.Against != "" {
				of.Against = escape.Name(v.Against)
			}
			in.Vectors = append(in.Vectors, of)
		}
	}
	in.Details = [][2]string{{"Model hash", m.Hash()}, {"Features", fmt.Sprintf("%d, counted from %d",
		r.Features, r.IndexBase)}}
	if r.Settings != "" {
		in.Details = append(in.Details, [2]string{"Settings", escape.Text(r.Settings)})
	}
	if r.Command != "" {
		in.Details = append(in.Details, [2]string{"Flags that train it again", escape.Text(r.Command)})
	}
	return nil
}

func reportColumn(e *tables.Encoder, i int) htmlreport.Column {
	c := &e.Columns[i]
	of := htmlreport.Column{Name: escape.Name(c.Name), Kind: string(c.Kind),
		Why: escape.Text(e.Describe(i)), Values: strings.TrimLeft(valuesOf(e, i), ":, ")}
	if !e.Header {
		of.Name = "column " + of.Name
	}
	if c.Gaps > 0 {
		of.Gaps = fmt.Sprintf("%d (%.2g %%)", c.Gaps, 100*float64(c.Gaps)/float64(max(e.Rows, 1)))
	}
	return of
}
