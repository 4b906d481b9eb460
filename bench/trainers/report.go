package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"gonum.org/v1/gonum/stat"
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

// report writes the tables of results: a slice for each set, the same trainers in each of a group.
func report(all [][]*result) error {
	means := frame.Table{Title: "Means over the sets that both did: the first trainer beside each " +
		"other one; more than 3 standard errors of a set are won or lost",
		Head: []string{"sets", "beside", "sets", "first : other", "difference", "balanced, %",
			"won, level, lost", "most behind"}}
	for _, g := range groups {
		what := "test accuracy, %, with balanced accuracy"
		if g.with&numbers != 0 {
			what = "100 R^2"
		}
		scores := frame.Table{Title: g.title + ": " + what + "; by how many points the first trainer " +
			"is ahead, with the standard error; ** where it is behind by more than 3"}
		seconds := frame.Table{Title: g.title + ": seconds of training"}
		some := slices.DeleteFunc(slices.Clone(all), func(of []*result) bool {
			return of[0].set.use&g.with != g.with || of[0].set.use&g.less != 0
		})
		for _, of := range some {
			scores.Head, seconds.Head = []string{"set"}, []string{"set"}
			name := of[0].set.name
			row, times := []any{of[0].set}, []any{name}
			for _, r := range of {
				scores.Head, seconds.Head = append(scores.Head, r.trainer), append(seconds.Head,
					r.trainer)
				row, times = append(row, r.text(of[0])), append(times, frame.Short(r.seconds))
			}
			scores.Add(row...)
			seconds.Add(times...)
		}
		if len(some) == 0 {
			continue
		}
		if err := errors.Join(scores.Write(os.Stdout), seconds.Write(os.Stdout)); err != nil {
			return err
		}
		for k := range some[0][1:] {
			g.mean(some, k+1, &means)
		}
	}
	return means.Write(os.Stdout)
}

// text is a result's score, and how much better the first one is.
func (r *result) text(first *result) string {
	if r.err != nil {
		return r.err.Error()
	}
	score := fmt.Sprintf("%.2f", 100*r.mean())
	if !math.IsNaN(r.balanced) {
		score += fmt.Sprintf(" (%.1f)", 100*r.balanced)
	}
	if r == first || first.err != nil {
		return score
	}
	difference, deviation := first.minus(r)
	better := fmt.Sprintf("%+.2f ± %.2f", 100*difference, 100*deviation)
	if difference < -3*deviation {
		better = "**" + better + "**"
	}
	return score + "; " + better
}

// mean adds a line about the first trainer beside the k-th. R^2 is clipped at -1.
func (g group) mean(some [][]*result, k int, table *frame.Table) {
	var a, b, differences, balancedA, balancedB []float64
	won, level, lost, behind, worst := 0, 0, 0, "-", 0.
	for _, of := range some {
		r, o := of[0], of[k]
		if r.err != nil || o.err != nil {
			continue
		}
		a, b = append(a, max(r.mean(), -1)), append(b, max(o.mean(), -1))
		differences = append(differences, a[len(a)-1]-b[len(b)-1])
		balancedA, balancedB = append(balancedA, r.balanced), append(balancedB, o.balanced)
		difference, deviation := r.minus(o)
		switch {
		case difference > 3*deviation:
			won++
		case difference < -3*deviation:
			lost++
		default:
			level++
		}
		if difference < worst {
			worst, behind = difference, fmt.Sprintf("%s %.2f", r.set.name, 100*difference)
		}
	}
	if len(a) == 0 {
		return
	}
	pair := func(a, b []float64) string {
		text := fmt.Sprintf("%.2f : %.2f", 100*stat.Mean(a, nil), 100*stat.Mean(b, nil))
		return strings.ReplaceAll(text, "NaN", "-") // numbers have no balanced accuracy
	}
	difference := fmt.Sprintf("%+.2f", 100*stat.Mean(differences, nil))
	if n := float64(len(differences)); n > 1 {
		difference += fmt.Sprintf(" ± %.2f", 100*math.Sqrt(stat.Variance(differences, nil)/n))
	}
	table.Add(g.title, some[0][k].trainer, len(a), pair(a, b), difference, pair(balancedA, balancedB),
		fmt.Sprintf("%d, %d, %d", won, level, lost), behind)
}
