package main

import (
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/gate/stats"
)

// A group is some of the sets, which have tables of their own.
type group struct {
	title      string
	with, less use // what its sets have, and have not
}

var groups = []group{
	{"real, classes, raw", 0, made | numbers | scaled},
	{"real, classes, scaled", scaled, made | numbers},
	{"made, classes, raw", made, numbers | scaled},
	{"made, classes, scaled", made | scaled, numbers},
	{"real, numbers", numbers, made},
	{"made, numbers", made | numbers, 0},
}

// report writes the tables of results, of which those of a set follow one another.
func report(all []*result) error {
	means := frame.Table{Title: "Means over the sets that both did: the first trainer beside each " +
		"other one; more than 3 standard errors of a set are won or lost",
		Head: []string{"sets", "beside", "sets", "first : other", "difference", "balanced, %",
			"won, level, lost", "most behind"}}
	for _, g := range groups {
		some := slices.DeleteFunc(slices.Clone(all), func(r *result) bool {
			return r.set.use&g.with != g.with || r.set.use&g.less != 0
		})
		if len(some) == 0 {
			continue
		}
		if err := g.write(some); err != nil {
			return err
		}
		for _, name := range names(some)[1:] {
			g.mean(some, name, &means)
		}
	}
	return means.Write(os.Stdout)
}

// names are those of the trainers.
func names(all []*result) (names []string) {
	for _, r := range all {
		if !slices.Contains(names, r.trainer) {
			names = append(names, r.trainer)
		}
	}
	return names
}

// find returns the result of a trainer on a set, or nil.
func find(all []*result, set, trainer string) *result {
	for _, r := range all {
		if r.set.name == set && r.trainer == trainer && r.err == nil {
			return r
		}
	}
	return nil
}

// write writes a group's table of scores, that of the differences, and that of the seconds.
func (g group) write(some []*result) error {
	what := "test accuracy, %, balanced accuracy in brackets"
	if g.with&numbers != 0 {
		what = "100 R^2"
	}
	tables := []frame.Table{{Title: g.title + ": " + what},
		{Title: g.title + ": the first trainer's difference and its standard error, points; ** " +
			"where it is behind by more than 3"},
		{Title: g.title + ": seconds of training"}}
	trainers := names(some)
	for k := range tables {
		tables[k].Head = append([]string{"set", "rows x columns, classes"}, trainers[min(k%2, 1):]...)
	}
	for i, r := range some {
		if i > 0 && some[i-1].set.name == r.set.name {
			continue
		}
		of := fmt.Sprintf("%d x %d", r.set.train.Rows(), r.set.train.Cols())
		if g.with&numbers == 0 {
			of += fmt.Sprintf(", %d", len(classes(r.set.train)))
		}
		var rows [3][]any
		for k := range rows {
			rows[k] = []any{r.set.name, of}
		}
		first := find(some, r.set.name, trainers[0])
		for n, name := range trainers {
			cells := find(some, r.set.name, name).cells(first)
			rows[0], rows[2] = append(rows[0], cells[0]), append(rows[2], cells[2])
			if n > 0 {
				rows[1] = append(rows[1], cells[1])
			}
		}
		for k := range tables {
			tables[k].Add(rows[k]...)
		}
	}
	for k := range tables {
		if err := tables[k].Write(os.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// cells are a result's score, how much better the first one is, and the seconds.
func (r *result) cells(first *result) [3]string {
	if r == nil || first == nil {
		return [3]string{"-", "-", "-"}
	}
	score := fmt.Sprintf("%.2f", 100*r.mean())
	if !math.IsNaN(r.balanced) {
		score += fmt.Sprintf(" (%.1f)", 100*r.balanced)
	}
	difference, deviation := first.minus(r)
	better := fmt.Sprintf("%+.2f ± %.2f", 100*difference, 100*deviation)
	if difference < -3*deviation {
		better = "**" + better + "**"
	}
	return [3]string{score, better, frame.Short(r.seconds)}
}

// mean adds a line about the first trainer beside another one. R^2 is clipped at -1.
func (g group) mean(some []*result, other string, table *frame.Table) {
	var a, b, differences, balancedA, balancedB []float64
	won, level, lost, behind, worst := 0, 0, 0, "-", 0.
	for _, r := range some {
		o := find(some, r.set.name, other)
		if r.trainer != names(some)[0] || r.err != nil || o == nil {
			continue
		}
		a, b = append(a, max(r.mean(), -1)), append(b, max(o.mean(), -1))
		balancedA, balancedB = append(balancedA, r.balanced), append(balancedB, o.balanced)
		difference, deviation := r.minus(o)
		differences = append(differences, a[len(a)-1]-b[len(b)-1])
		switch {
		case difference > 3*deviation:
			won++
		case difference < -3*deviation:
			lost++
		default:
			level++
		}
		if difference < worst {
			worst = difference
			behind = fmt.Sprintf("%s %.2f", r.set.name, 100*difference)
		}
	}
	if len(a) == 0 {
		return
	}
	pair := func(a, b []float64) string {
		return fmt.Sprintf("%.2f : %.2f", 100*stats.Mean(a), 100*stats.Mean(b))
	}
	deviation := math.Sqrt(stats.Variance(differences) / float64(len(differences)))
	table.Add(g.title, other, len(a), pair(a, b), fmt.Sprintf("%+.2f ± %.2f",
		100*stats.Mean(differences), 100*deviation), pair(balancedA, balancedB),
		fmt.Sprintf("%d, %d, %d", won, level, lost), behind)
}
