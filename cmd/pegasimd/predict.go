package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/internal/replace"
	"github.com/pegasimd/pegasimd/pegasos"
)

var predictCommand = command{
	name:      "predict",
	arguments: "DATA MODEL [OUT]",
	summary:   "predict the labels of data",
	help: `Predict writes a label for each row of DATA, a line each, to OUT or to standard output. DATA has labels too, in
every format; if they are not known, give any. How many are predicted right is told on standard error.

With -scores a first line names the columns, and each label is followed by the row's scores, one for each class, or one
for the second of two classes: it is predicted where its score is above 0. Columns are separated by tabs.

Examples:
  pegasimd predict test.svm a9a.model labels.txt
  pegasimd predict -scores test.csv digits.model | cut -f 1,2`,
	run: predict,
}

func predict(c *call) error {
	var data dataFlags
	var scores bool
	data.define(c)
	c.flags.BoolVar(&scores, "scores", false, "write the scores beside the labels")
	args, err := c.parse(2, 3)
	if err != nil {
		return err
	}
	m, err := pegasos.ReadFile(args[1])
	if err != nil {
		return err
	}
	set, _, err := data.read(c, args[0], m)
	if err != nil {
		return err
	}
	all := m.DecisionAll(matrix(set))
	truth, _ := labels(set, m)
	right := 0
	write := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		k := len(m.Weights)
		if scores {
			names := classNames(m)
			fmt.Fprintf(b, "label\t%s\n", strings.Join(names[len(names)-k:], "\t"))
		}
		for i := range set.Rows() {
			row := all[i*k:][:k]
			class := m.Class(row)
			if class == truth[i] {
				right++
			}
			b.WriteString(m.ClassName(class))
			if scores {
				for _, s := range row {
					fmt.Fprintf(b, "\t%.9g", s)
				}
			}
			b.WriteByte('\n')
		}
		return b.Flush()
	}
	if len(args) == 3 {
		err = replace.File(args[2], write)
	} else {
		err = write(c.stdout)
	}
	if err != nil {
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

func warnIgnored(c *call, n int64) {
	if n > 0 {
		fmt.Fprintf(c.stderr, "ignored %d values of features that the model does not have\n", n)
	}
}
