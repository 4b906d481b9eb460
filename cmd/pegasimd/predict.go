package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

var predictCommand = command{
	name:      "predict",
	arguments: "DATA MODEL [OUT]",
	summary:   "predict the labels of data",
	help: `Predict writes a label for each row of DATA, a line each, to OUT or to standard output. DATA has labels too, in
every format; if they are not known, give any. How many are predicted right is told on standard error.

With -scores a first line names the columns, and each label is followed by the row's scores, one for each class, or one
for the second of two classes: it is predicted where its score is above 0. With -multiclass ovo they are the votes of the
pairs, and less than a third of a vote more or less. Columns are separated by tabs. A model that predicts numbers writes
those; the root mean square error is told.

With -proba the columns are the probabilities of all classes. A model has them if it was trained with -loss log or with
-proba.

Examples:
  pegasimd predict test.svm a9a.model labels.txt
  pegasimd predict -scores test.csv digits.model | cut -f 1,2
  pegasimd predict -proba test.svm odds.model probabilities.tsv`,
	run: predict,
}

func predict(c *call) error {
	var data dataFlags
	var scores, proba bool
	data.define(c)
	c.flags.BoolVar(&scores, "scores", false, "write the scores beside the labels")
	c.flags.BoolVar(&proba, "proba", false, "write the classes' probabilities beside the labels")
	args, err := c.parse(2, 3)
	if err != nil {
		return err
	}
	if scores && proba {
		return usagef("only one of -scores and -proba can be given")
	}
	if m, err := kernelModel(args[1]); err != nil {
		return err
	} else if m != nil && proba {
		return usagef("-proba: %s has no probabilities: it has a kernel", args[1])
	} else if m != nil {
		return predictKernel(c, &data, args, m, scores)
	}
	set, m, err := data.readWithModel(c, args[0], args[1])
	if err != nil {
		return err
	}
	if proba && !m.HasProbabilities() {
		return usagef("-proba: %s has no probabilities: train it with -loss log or with -proba", args[1])
	}
	all, err := decide(m, set, args[0])
	if err != nil {
		return err
	}
	if m.Classes == nil {
		return predictNumbers(c, args, set, m, all, scores, data.quiet)
	}
	truth, _ := labels(set, m)
	right := 0
	write := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		k := len(m.Weights)
		columns := make([]float64, len(m.Classes))
		if scores && k == 1 {
			columns = columns[1:]
		}
		if scores || proba {
			names := classNames(m)
			fmt.Fprintf(b, "label\t%s\n", strings.Join(names[len(names)-len(columns):], "\t"))
		}
		for i := range set.Rows() {
			row := all[i*k:][:k]
			class := m.Class(row)
			if class == truth[i] {
				right++
			}
			b.WriteString(m.ClassName(class))
			switch {
			case proba:
				m.Probabilities(row, columns)
			case scores && k == 1:
				copy(columns, row)
			case scores:
				m.ClassScores(row, columns)
			}
			if scores || proba {
				for _, v := range columns {
					fmt.Fprintf(b, "\t%.9g", v)
				}
			}
			b.WriteByte('\n')
		}
		return b.Flush()
	}
	if err := writeTo(c, args, write); err != nil {
		return err
	}
	if !data.quiet {
		warnIgnored(c, set.Ignored)
		if n := set.Rows(); n > 0 {
			fmt.Fprintf(c.stderr, "accuracy %.4f %% (%d of %d)\n", 100*float64(right)/float64(n), right, n)
		}
	}
	return nil
}

// writeTo writes to the file that the third argument names, or to standard output.
func writeTo(c *call, args []string, write func(io.Writer) error) error {
	if len(args) == 3 {
		return replace.File(args[2], write)
	}
	return write(c.stdout)
}

func predictNumbers(c *call, args []string, set *dataset.Set, m *pegasos.Model, all []float64, scores, quiet bool) error {
	if scores {
		return usagef("-scores: the model predicts numbers, which are its scores")
	}
	err := writeTo(c, args, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		for _, z := range all {
			fmt.Fprintln(b, pegasos.FormatLabel(float32(z)))
		}
		return b.Flush()
	})
	if err != nil || quiet {
		return err
	}
	warnIgnored(c, set.Ignored)
	if n := set.Rows(); n > 0 && set.Names == nil {
		fmt.Fprintf(c.stderr, "RMSE %.6g on %d rows\n", metrics.RMSE(set.Y, all), n)
	}
	return nil
}

func warnIgnored(c *call, n int64) {
	if n > 0 {
		fmt.Fprintf(c.stderr, "ignored %d values of features that the model does not have\n", n)
	}
}
