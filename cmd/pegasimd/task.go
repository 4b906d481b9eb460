package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
	"github.com/pegasimd/pegasimd/pegasos"
)

// This file has what says whether labels are classes or numbers to predict.

// saysClasses are the flags that only make sense where labels are classes. One that is given says
// that they are, whatever they look like.
var saysClasses = strings.Fields("multiclass class-weight costs proba")

// How many labels there may be before they look like numbers to predict: of those with fractions,
// and of whole numbers if few rows have each.
const (
	mostFractions = 20
	mostIntegers  = 256
	rowsOfInteger = 10
)

// looksNumeric reports whether the labels look like numbers to predict, and returns one of them.
func looksNumeric(labels []float32, rows int) (like float32, yes bool) {
	n := len(labels)
	fraction := slices.IndexFunc(labels, func(y float32) bool {
		return float64(y) != math.Trunc(float64(y))
	})
	switch {
	case fraction >= 0:
		return labels[fraction], n > mostFractions || n > 2 && 2*n > rows
	case n > mostIntegers && rows < rowsOfInteger*n:
		return labels[n/2], true
	}
	return 0, false
}

// readTraining reads data to train on. Labels that look like numbers are taken for numbers to
// predict if no flag says what they are; recheck checks the settings after that. They are refused
// where a loss or a kernel is for classes, and no flag insists on these.
func (d *dataReader) readTraining(name string, cfg *pegasos.Config, recheck func() error) (
	set *dataset.Set, took time.Duration, err error,
) {
	if set, took, err = d.read(name, nil); err != nil {
		return nil, 0, err
	}
	c := d.call
	if d.encoder != nil && cfg.Scale == "" {
		cfg.Scale = pegasos.ScaleNone // the encoder scales
	}
	labels, rows := labelCounts(set)
	like, numeric := looksNumeric(labels, set.Rows())
	classes := slices.ContainsFunc(saysClasses, c.given) || set.Names != nil
	if numeric && !classes && cfg.Loss == "" && cfg.Multiclass == "" && !c.given("kernel") {
		cfg.Loss = pegasos.Squared
		if !d.quiet {
			fmt.Fprintf(c.stderr, "%s: the labels are taken for numbers to predict: there are %d "+
				"distinct ones, such as %v; if they are classes, give -multiclass ovr\n",
				escape.Name(shortName(name)), len(labels), like)
		}
		if err := recheck(); err != nil {
			return nil, 0, err
		}
	}
	numbers := cfg.Loss.Regression()
	if err := checkNumbers(name, set, cfg.Loss); err != nil {
		return nil, 0, err
	}
	d.describeSet(name, set, numbers, took)
	switch {
	case numbers:
	case len(labels) == 1:
		return nil, 0, fmt.Errorf("%s: all rows (%d) are of the class %s: want two or more classes",
			name, rows[0], escape.Name(labelName(set, labels[0])))
	case numeric && !classes:
		return nil, 0, fmt.Errorf("%s: the labels look like numbers to predict, not like classes: "+
			"%d rows have %d distinct ones, such as %v; predict numbers with -loss squared (and "+
			"without -kernel), or say that they are classes with -multiclass", name, set.Rows(),
			len(labels), like)
	}
	return set, took, nil
}

// checkNumbers returns an error if the loss needs numbers and the labels are names.
func checkNumbers(name string, set *dataset.Set, loss pegasos.Loss) error {
	if loss.Regression() && set.Names != nil {
		return fmt.Errorf("%s: the labels are names, -loss %s wants numbers", name, loss)
	}
	return nil
}
