package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

const (
	maxNumericClasses = 20 // distinct whole numbers above which labels are targets if one is rare
	maxFractions      = 10 // distinct numbers, some with fractions, above which labels are targets
	minRowsRarest     = 5  // rows below which a whole number is rare
)

func looksNumeric(labels []float32, rows []int) (like float32, yes bool) {
	n, total := len(labels), 0
	for _, r := range rows {
		total += r
	}
	fraction := slices.IndexFunc(labels, func(y float32) bool {
		return float64(y) != math.Trunc(float64(y))
	})
	switch {
	case fraction >= 0:
		return labels[fraction], n > maxFractions || n > 2 && 2*n > total
	case n > maxNumericClasses && slices.Min(rows) < minRowsRarest:
		return labels[n/2], true
	}
	return 0, false
}

// If no flag chooses the task and the labels look like regression targets, readTraining sets
// cfg.Loss for regression and calls recheck.
func (d *dataReader) readTraining(cfg *pegasos.Config, recheck func() error) (
	set *dataset.Set, took time.Duration, err error,
) {
	d.opt.RoundLabels = true
	if set, took, err = d.read(nil); err != nil {
		return nil, 0, err
	}
	if err = d.checkWeights(set); err != nil {
		return nil, 0, err
	}
	if d.encoder != nil && !d.encoder.Raw && cfg.Scale == "" {
		cfg.Scale = pegasos.ScaleNone // the encoder scales columns
	}
	c := d.call
	labels, rows := labelCounts(set, d.skip)
	like, numeric := looksNumeric(labels, rows)
	classes := c.flags.GivenAny(flags.ForClasses) || set.Names != nil
	open := !classes && cfg.Loss == "" && cfg.Multiclass == "" && !c.flags.Given("kernel")
	if numeric && open {
		cfg.Loss = pegasos.Squared
		if !d.call.flags.Quiet {
			fmt.Fprintf(c.stderr, "%s: the labels are taken for regression targets: there are %d "+
				"distinct ones, such as %v; if they are classes, give -multiclass ovr\n",
				escape.Name(shortName(d.String())), len(labels), like)
		}
		if err := recheck(); err != nil {
			return nil, 0, err
		}
	}
	numbers := cfg.Loss.Regression()
	if numbers && !c.flags.Given("loss") {
		d.chosen = []string{"-loss", string(cfg.Loss)}
	}
	if err := d.checkNumbers(set, cfg.Loss); err != nil {
		return nil, 0, err
	}
	if numbers {
		d.doubtRoundedLabels(set)
	}
	d.describeSet(set, numbers, took)
	if !numbers {
		if numeric && !classes {
			counted := 0
			for _, n := range rows {
				counted += n
			}
			return nil, 0, fmt.Errorf("%s: the labels look like regression targets, not like classes: "+
				"%s%s have %d distinct ones, such as %v; predict numbers with -loss squared (and "+
				"without -kernel), or say that they are classes with -multiclass",
				d, count(counted, "row"), d.ofWeight(), len(labels), like)
		}
		err = d.checkClasses(set, labels, rows)
		if open && len(labels) > maxNumericClasses {
			d.manyClasses = true
			d.doubts = append(d.doubts, dataset.Doubt{About: "task", Flag: "-loss squared",
				Text: fmt.Sprintf("the labels, %d different whole numbers, are taken for classes, not for "+
					"regression targets", len(labels))})
		}
	}
	if err == nil {
		err = d.settle(true)
	}
	return set, took, err
}

// ofWeight qualifies a number of rows in a message, if rows of weight 0 may be left out.
func (d *dataReader) ofWeight() string {
	if d.skip == nil {
		return ""
	}
	return " of a weight above 0"
}

func (d *dataReader) checkClasses(
	set *dataset.Set, labels []float32, rows []int,
) error {
	switch {
	case set.Rounded > 0:
		return fmt.Errorf("%s: %s of a magnitude above 2^24 would be rounded to the nearest "+
			"float32, which could merge classes: give classes smaller numbers, or predict numbers with "+
			"-loss squared (and without -kernel)", d, count(set.Rounded, "label"))
	case len(labels) == 1:
		return fmt.Errorf("%s: all labels are %s (%s%s): want two or more classes", d,
			escape.Name(labelName(set, labels[0])), count(rows[0], "row"), d.ofWeight())
	case len(labels) > 1 && slices.Max(rows) == 1 && !d.call.flags.GivenAny(flags.ForClasses):
		how := "name the column that has the labels with -label-column"
		switch {
		case set.Names == nil && d.encoder == nil:
			how = "predict numbers with -loss squared (and without -kernel)"
		case set.Names == nil:
			how = "predict numbers with -loss squared (and without -kernel), or " + how
		}
		return fmt.Errorf("%s: each of the %d classes, such as %s, has one row%s: %s, or say "+
			"that they are classes with -multiclass", d, len(labels),
			escape.Name(labelName(set, labels[0])), d.ofWeight(), how)
	}
	d.doubtRareClasses(set, labels, rows)
	d.doubtSpellings(set, labels, rows)
	return nil
}

func (d *dataReader) doubtRareClasses(set *dataset.Set, labels []float32, rows []int) {
	const most = 3
	var rare []string
	for i, y := range labels {
		if rows[i] == 1 {
			rare = append(rare, escape.Cut(labelName(set, y)))
		}
	}
	doubt := dataset.Doubt{About: "label"}
	switch n := len(rare); {
	case n == 0:
		return
	case n == 1:
		doubt.Text = fmt.Sprintf("the class %s has one row%s: does it come", escape.Name(rare[0]),
			d.ofWeight())
	default:
		doubt.Text = fmt.Sprintf("%d classes have one row%s each, such as %s: do they come", n,
			d.ofWeight(), strings.Join(escape.Names(rare[:min(n, most)]), ", "))
	}
	if doubt.Text += " from a header, a footer or a typing error?"; set.Names == nil &&
		!d.call.flags.UsesKernel() && !d.call.flags.GivenAny(flags.ForClasses) {
		doubt.Text, doubt.Flag = doubt.Text+" Or are the labels regression targets?", "-loss squared"
	}
	d.doubts = append(d.doubts, doubt)
}

func (d *dataReader) checkNumbers(set *dataset.Set, loss pegasos.Loss) error {
	if loss.Regression() && set.Names != nil {
		return fmt.Errorf("%s: the labels are names, but the loss %s needs numbers", d, loss)
	}
	return nil
}
