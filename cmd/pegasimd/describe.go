package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// This file has what is told of data before anything is trained on them.

// labelCounts are the distinct labels of a set, ascending, and how many rows have each.
func labelCounts(set *dataset.Set) (labels []float32, rows []int) {
	count := map[float32]int{}
	for _, y := range set.Y {
		count[y]++
	}
	labels = make([]float32, 0, len(count))
	for y := range count {
		labels = append(labels, y)
	}
	slices.Sort(labels)
	for _, y := range labels {
		rows = append(rows, count[y])
	}
	return labels, rows
}

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

// tell says what was read of data that are to be trained on, unless it is to be quiet. numbers says
// that the labels are such to predict.
func (d *dataReader) tell(name string, set *dataset.Set, numbers bool, took time.Duration) {
	if d.quiet {
		return
	}
	labels, rows := labelCounts(set)
	kind := numbersKind(labels)
	if !numbers {
		kind = classesKind(set, labels, rows)
	}
	printSet(d.call.stderr, name, set, kind, took)
}

// checkClasses is tell, and refuses labels of classes that look like numbers to predict, unless a
// flag says otherwise.
func (d *dataReader) checkClasses(name string, set *dataset.Set, numbers bool,
	took time.Duration) error {
	d.tell(name, set, numbers, took)
	if labels, rows := labelCounts(set); len(labels) == 1 && !numbers {
		return fmt.Errorf("%s: all rows (%d) are of the class %s: want two or more classes", name,
			rows[0], visible.Name(labelName(set, labels[0])))
	}
	if numbers || set.Names != nil || d.call.task() == taskClasses ||
		slices.ContainsFunc(saysClasses, d.call.given) {
		return nil
	}
	labels, _ := labelCounts(set)
	like, yes := looksNumeric(labels, set.Rows())
	if !yes {
		return nil
	}
	return fmt.Errorf("%s: the labels look like numbers to predict, not like classes: %d rows "+
		"have %d distinct ones, such as %v; predict numbers with -task numbers (and without "+
		"-kernel), or say that they are classes with -task classes", name, set.Rows(),
		len(labels), like)
}

// printSet says what was read.
func printSet(w io.Writer, name string, set *dataset.Set, kind string, took time.Duration) {
	features := describeFeatures(set.Cols(), set.IndexBase, set.HashBits)
	var nonzeros string
	if set.Dense == nil || !set.Mapped() { // else all of the file would have to be read
		nonzeros = fmt.Sprintf("%s (%.4g %%), ", count(set.NNZ(), "nonzero"), 100*set.Fill())
	}
	fmt.Fprintf(w, "%s: %s, %s, %s; %s%s layout; read in %.3g s\n",
		visible.Name(shortName(name)), count(set.Rows(), "row"), features, kind, nonzeros,
		set.Layout(), took.Seconds())
	printColumns(w, set)
}

// count returns a number and what it is of, of which there may be one.
func count(n int, of string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(of, "s"):
		of += "es"
	default:
		of += "s"
	}
	return fmt.Sprintf("%d %s", n, of)
}

// describeFeatures returns how many there are, and what their numbers mean.
func describeFeatures(n, base, hashBits int) string {
	text := count(n, "feature")
	switch {
	case hashBits > 0:
		text += fmt.Sprintf(" (hashed to %d bits)", hashBits)
	case base == 0:
		text += " (counted from 0)"
	}
	return text
}

func numbersKind(labels []float32) string {
	if len(labels) == 0 {
		return "no numbers to predict"
	}
	return fmt.Sprintf("numbers to predict from %v to %v", labels[0], labels[len(labels)-1])
}

// classesKind names the classes if they are few.
func classesKind(set *dataset.Set, labels []float32, rows []int) string {
	const few = 5
	text := count(len(labels), "class")
	switch {
	case len(labels) == 0:
	case len(labels) > few:
		text += fmt.Sprintf(" of %d to %d rows", slices.Min(rows), slices.Max(rows))
	default:
		var parts []string
		for i, y := range labels {
			name := visible.Name(labelName(set, y))
			parts = append(parts, fmt.Sprintf("%s (%s)", name, count(rows[i], "row")))
		}
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
