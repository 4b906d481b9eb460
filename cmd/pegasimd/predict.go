package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/app/predictions"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/metrics"
)

var predictCommand = command{help.Command{
	Name:      "predict",
	Arguments: "DATA... MODEL [OUT]",
	Summary:   "predict the labels of data",
	Help: `Predict writes the predicted label of each row of DATA, one per line, to OUT or to
standard output. Rows that -missing drop leaves out have no line. If DATA also has labels, the
accuracy (of a regression, the RMSE) is printed on standard error, with a warning if exactly these
rows trained the model. -labels says whether DATA has labels, in place of detection. If the tables
of DATA and of training have a header, columns are matched by name. Cells that do not fit a column
of numbers or dates count as missing. A line says how many.

Several DATA are read one after the other, as by train. MODEL then has to end in .model. OUT may
follow MODEL.

A row with a score that is not finite is an error: its features are too large for float32. A class
name that has invisible characters, or begins with a quotation mark, is written as a quoted string of
Go. With -keep it is written as in CSV.

With -scores or -proba, but without -keep, a first line names the columns, which are separated by
tabs. -scores adds a score for each class. For two classes, kernel machines and
models of one weight vector have one score. If it is above 0, it predicts the second class. With
-multiclass ovo and more than two classes, the scores of a linear model are the pairs' votes, changed
by less than a third to break ties. A kernel machine then has a score for each pair. If the model was
trained with -loss log or -proba, -proba adds the probabilities of all classes. Scores still decide
the labels. Scores and probabilities have enough digits to be read back as the same float64.

-keep writes CSV, with tabs if OUT ends in .tsv or .tab. DATA must be a table. After a header, each
row has the named columns in the order of the list, and the column prediction. With -proba or
-scores, columns such as probability_yes or score_yes follow. If a kept column has one of these
names, _2 or a higher number is appended to the later name. Cells are written as text in UTF-8,
without blanks around them. Without a header, columns are called column 0, column 1 and so on. Rows
that -missing drop leaves out have an empty prediction.

Examples:
  pegasimd predict test.svm a9a.model labels.txt
  pegasimd predict -scores test.csv digits.model | cut -f 1,2
  pegasimd predict -proba test.svm odds.model probabilities.tsv
  pegasimd predict -keep id,name new.csv people.model predicted.csv`,
}, runPredict}

func runPredict(c *call, args []string) error {
	f := c.flags
	if err := checkPredict(f); err != nil {
		return err
	}
	out := c.writes("OUT", append(args, "-")[2], kind{})
	if err := c.openOutputs(); err != nil {
		return err
	}
	m, err := c.readPredictor(args[1])
	if err != nil {
		return err
	}
	if err := fitsPredict(f, m, args[1]); err != nil {
		return err
	}
	reader := c.reader(args[0])
	reader.opt.MissingLabels, reader.opt.KeepRows = dataset.MissingKeep, true
	var kept *keptColumns
	if f.Given("keep") {
		if kept, err = reader.keepColumns(m.Head(), f.Keep); err != nil {
			return err
		}
	}
	s, err := reader.score(m, "", predictions.Numbers(m)) // numbers are their own scores
	if err != nil {
		return err
	}
	predicted, right, err := s.predict()
	if err != nil {
		return fmt.Errorf("%s: %w", reader, err)
	}
	if !f.Quiet {
		if err := s.warnTrained(); err != nil {
			return err
		}
	}
	err = out.write(func(w io.Writer) error {
		if kept != nil {
			return kept.write(w, out.name, f, s, predicted)
		}
		return writePredictions(f, w, s, predicted)
	})
	if err == nil && !c.flags.Quiet {
		c.printFit(s, right)
	}
	return err
}

func checkPredict(f *flags.Set) error {
	switch {
	case f.Scores && f.Proba:
		return flags.Usagef("only one of -scores and -proba can be given")
	case f.Data.Labels == dataset.LabelsNo && f.Data.LabelColumn != "":
		return flags.Usagef("-label-column has no effect with -labels no: give only one of them")
	}
	return nil
}

func fitsPredict(f *flags.Set, m predictor, name string) error {
	if why := m.noProbabilities(); f.Proba && why != "" {
		return flags.Usagef("-proba: %s has no probabilities: %s", inputName(name), why)
	}
	if f.Scores && predictions.Numbers(m) {
		return flags.Usagef("-scores: the model predicts numbers, which are its scores")
	}
	return nil
}

func writePredictions(f *flags.Set, w io.Writer, s *scoredSet, predicted []int) error {
	b := bufio.NewWriter(w)
	if predictions.Numbers(s.model) {
		predictions.WriteNumbers(b, s.scores)
		return b.Flush()
	}
	names := escape.Names(predictions.ClassNames(s.model))
	headings, fill := s.furtherColumns(f)
	headings = escape.Names(headings)
	if headings != nil {
		fmt.Fprintf(b, "label\t%s\n", strings.Join(headings, "\t"))
	}
	columns := make([]float64, len(headings))
	for i, k := range predicted {
		b.WriteString(names[k])
		if headings != nil {
			scores, err := s.row(i)
			if err != nil {
				return err
			}
			fill(scores, columns)
		}
		for _, v := range columns {
			b.WriteByte('\t')
			b.Write(strconv.AppendFloat(b.AvailableBuffer(), v, 'g', -1, 64))
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

func (s *scoredSet) furtherColumns(f *flags.Set) (
	names []string, fill func(scores, columns []float64),
) {
	switch {
	case f.Proba:
		return predictions.ClassNames(s.model), func(scores, columns []float64) {
			s.model.Probabilities(scores, columns)
		}
	case f.Scores:
		return s.model.scoreNames(), s.model.showScores
	}
	return nil, func(scores, columns []float64) {}
}

func (c *call) printFit(s *scoredSet, right int) {
	s.reader.tell(s.Set)
	labels, scores := s.labeled()
	n := len(labels)
	if without := s.Rows() - n; without > 0 {
		fmt.Fprintf(c.stderr, "%s without labels\n", count(without, "row"))
	}
	switch {
	case n == 0:
	case !predictions.Numbers(s.model):
		if others := s.names[len(s.model.Head().Classes):]; len(others) > 0 {
			fmt.Fprintf(c.stderr, "labels that the model does not know, and whose rows "+
				"count as mistakes: %s\n", firstNames(others))
		}
		fmt.Fprintf(c.stderr, "accuracy %.4f %% (%d of %d)\n", 100*float64(right)/float64(n),
			right, n)
	case s.Names == nil:
		fmt.Fprintf(c.stderr, "RMSE %.6g on %s\n", metrics.RMSE(labels, scores, nil), count(n, "row"))
	}
}

func (s *scoredSet) labeled() (labels []float32, scores []float64) {
	for i, y := range s.Y {
		if y != y || s.Unlabelled {
			continue
		}
		labels = append(labels, y)
		if predictions.Numbers(s.model) {
			scores = append(scores, s.scores[i])
		}
	}
	return labels, scores
}
