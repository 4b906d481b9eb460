package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/escape"
)

// This file prints a summary of the data before training.

// labelCounts are the distinct labels of a set, ascending, and how many rows have each.
func labelCounts(set *dataset.Set) (labels []float32, rows []int) {
	count := map[float32]int{}
	for _, y := range set.Y {
		count[y]++
	}
	labels = slices.Sorted(maps.Keys(count))
	for _, y := range labels {
		rows = append(rows, count[y])
	}
	return labels, rows
}

// describeSet prints what was read of data that are to be trained on. numbers says that the labels
// are numbers to predict.
func (d *dataReader) describeSet(name string, set *dataset.Set, numbers bool, took time.Duration) {
	if d.quiet {
		return
	}
	labels, rows := labelCounts(set)
	kind := classesKind(set, labels, rows)
	if numbers && len(labels) > 0 {
		kind = fmt.Sprintf("numbers to predict from %v to %v", labels[0], labels[len(labels)-1])
	}
	var nonzeros string
	if set.Dense == nil || !set.Mapped() { // else all of the file would have to be read
		nonzeros = fmt.Sprintf("%s (%.4g %%), ", count(set.NNZ(), "nonzero"), 100*set.Fill())
	}
	w := d.call.stderr
	fmt.Fprintf(w, "%s: %s, %s, %s; %s%s layout; read in %.3g s\n",
		escape.Name(shortName(name)), count(set.Rows(), "row"),
		describeFeatures(set.Cols(), set.IndexBase, set.HashBits), kind, nonzeros,
		set.Layout(), took.Seconds())
	if d.encoder != nil {
		printTable(w, d.encoder)
	}
	if d.encoder != nil && d.opt.Encoder == nil { // it is of these data
		fmt.Fprintln(w, overruled)
	}
	d.printColumns(w, set)
	for _, warning := range d.warnings(name, set) {
		fmt.Fprintln(w, "warning:", warning)
	}
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
			name := escape.Name(labelName(set, y))
			parts = append(parts, fmt.Sprintf("%s (%s)", name, count(rows[i], "row")))
		}
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
