package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

var predictCommand = command{
	name:      "predict",
	arguments: "DATA MODEL [OUT]",
	summary:   "predict the labels of data",
	help: `Predict writes a label for each row of DATA, a line each, to OUT or to standard output.
DATA has labels too, in every format; if they are not known, give any. How many are predicted
right is printed on standard error.

With -scores a first line names the columns, and each label is followed by the row's scores, one for
each class, or one for the second of two classes: it is predicted where its score is above 0. With
-multiclass ovo they are the votes of the pairs, and less than a third of a vote more or less.
Columns are separated by tabs. A model that predicts numbers writes those; the root mean square
error is printed.

With -proba the columns are the probabilities of all classes. A model has them if it was trained
with -loss log or with -proba.

Examples:
  pegasimd predict test.svm a9a.model labels.txt
  pegasimd predict -scores test.csv digits.model | cut -f 1,2
  pegasimd predict -proba test.svm odds.model probabilities.tsv`,
	run: predict,
}

func predict(c *call) error {
	var f predictFlags
	args, err := c.parse(&f, 2, 3)
	if err != nil {
		return err
	}
	if f.scores && f.proba {
		return usagef("only one of -scores and -proba can be given")
	}
	m, err := readPredictor(args[1])
	if err != nil {
		return err
	}
	if err := f.fit(m, args[1]); err != nil {
		return err
	}
	s, err := c.reader(f.data).score(args[0], m)
	if err != nil {
		return err
	}
	predicted, right := s.predict()
	write := func(w io.Writer) error { return f.write(w, s, predicted) }
	if len(args) == 3 {
		err = replace.WriteFile(args[2], write)
	} else {
		err = write(c.stdout)
	}
	if err == nil && !f.data.quiet {
		c.printFit(s, right)
	}
	return err
}

// fit returns an error if the model of that name does not have what the flags ask for.
func (f *predictFlags) fit(m predictor, name string) error {
	if why := m.noProbabilities(); f.proba && why != "" {
		return usagef("-proba: %s has no probabilities: %s", name, why)
	}
	if f.scores && predictsNumbers(m) {
		return usagef("-scores: the model predicts numbers, which are its scores")
	}
	return nil
}

// write writes a line for each row, and one of headings if there are further columns.
func (f *predictFlags) write(w io.Writer, s *scoredSet, predicted []int) error {
	b := bufio.NewWriter(w)
	if predictsNumbers(s.model) {
		for _, z := range s.scores {
			fmt.Fprintln(b, pegasos.FormatLabel(float32(z)))
		}
		return b.Flush()
	}
	var headings []string
	fill := func(scores, columns []float64) {}
	switch {
	case f.proba:
		headings = classNames(s.model)
		fill = func(scores, columns []float64) { s.model.Probabilities(scores, columns) }
	case f.scores:
		headings, fill = s.model.scoreNames(), s.model.showScores
	}
	if headings != nil {
		fmt.Fprintf(b, "label\t%s\n", strings.Join(headings, "\t"))
	}
	columns := make([]float64, len(headings))
	for i, class := range predicted {
		b.WriteString(s.model.ClassName(class))
		fill(s.row(i), columns)
		for _, v := range columns {
			fmt.Fprintf(b, "\t%.9g", v)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// printFit prints how good the predictions are.
func (c *call) printFit(s *scoredSet, right int) {
	c.warn(s.Set, false)
	n := s.Rows()
	switch {
	case n == 0:
	case !predictsNumbers(s.model):
		fmt.Fprintf(c.stderr, "accuracy %.4f %% (%d of %d)\n", 100*float64(right)/float64(n),
			right, n)
	case s.Names == nil:
		fmt.Fprintf(c.stderr, "RMSE %.6g on %d rows\n", metrics.RMSE(s.Y, s.scores), n)
	}
}
