package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// line tells of a result while the program runs.
func (r *result) line() string {
	if r.Error != "" {
		return fmt.Sprintf("%-28s %-16s %-18s %s", r.Problem, r.Trainer, r.Variant, r.Error)
	}
	s := fmt.Sprintf("%-28s %-16s %-18s", r.Problem, r.Trainer, r.Variant)
	if r.Classes == 0 {
		s += fmt.Sprintf(" R^2 %7.3f", r.R2)
	} else {
		s += fmt.Sprintf(" %6.2f %% (%6.2f)", 100*r.Accuracy, 100*r.Balanced)
	}
	return s + fmt.Sprintf(" %8.1f ms", 1000*r.Seconds)
}

// timing is the peer that is there for its seconds only: its predictions are those of another.
const timing = "liblinear-fit"

// report prints the tables in Markdown.
func report(w io.Writer, problems []problem, all []result) {
	names := trainerNames(all)
	for _, numbers := range []bool{false, true} {
		for _, made := range []bool{false, true} {
			table := pick(problems, all, func(p *problem) bool {
				return p.numbers == numbers && p.made == made
			})
			if len(table) > 0 {
				byProblem(w, heading(numbers, made), table, names)
			}
		}
	}
	groups(w, problems, all, names)
	times(w, all)
	changes(w, all)
}

func heading(numbers, made bool) string {
	kind, what := "Real", "classes: test accuracy in %, balanced accuracy in brackets"
	if made {
		kind = "Made"
	}
	if numbers {
		what = "numbers: R^2"
	}
	return kind + " sets, " + what
}

// trainerNames returns those that were compared, in the order they ran.
func trainerNames(all []result) (names []string) {
	for _, r := range all {
		if r.Trainer != timing && !slices.Contains(names, r.Trainer) {
			names = append(names, r.Trainer)
		}
	}
	return names
}

// pick returns the results on some problems as they are, by problem and trainer.
func pick(problems []problem, all []result, want func(*problem) bool) []result {
	var some []result
	for _, r := range all {
		i := slices.IndexFunc(problems, func(p problem) bool { return p.name == r.Problem })
		if r.Variant == "" && r.Trainer != timing && want(&problems[i]) {
			some = append(some, r)
		}
	}
	return some
}

func find(all []result, problem, trainer, variant string) *result {
	i := slices.IndexFunc(all, func(r result) bool {
		return r.Problem == problem && r.Trainer == trainer && r.Variant == variant
	})
	if i < 0 || all[i].Error != "" {
		return nil
	}
	return &all[i]
}

func byProblem(w io.Writer, title string, all []result, names []string) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return !slices.ContainsFunc(all, func(r result) bool { return r.Trainer == n })
	})
	fmt.Fprintf(w, "\n## %s\n\n| set | rows x columns, classes | %s | gap | ms |\n|---|---|%s--:|--:|\n",
		title, strings.Join(names, " | "), strings.Repeat("--:|", len(names)))
	done := map[string]bool{}
	for _, r := range all {
		if done[r.Problem] {
			continue
		}
		done[r.Problem] = true
		fmt.Fprintf(w, "| %s | %d x %d", r.Problem, r.Rows, r.Cols)
		if r.Classes > 0 {
			fmt.Fprintf(w, ", %d", r.Classes)
		}
		for _, n := range names {
			switch of := find(all, r.Problem, n, ""); {
			case of == nil:
				fmt.Fprint(w, " | -")
			case r.Classes == 0:
				fmt.Fprintf(w, " | %.3f", of.R2)
			default:
				fmt.Fprintf(w, " | %.2f (%.1f)", 100*of.Accuracy, 100*of.Balanced)
			}
		}
		first := find(all, r.Problem, names[0], "")
		if first == nil {
			fmt.Fprintln(w, " | - | - |")
			continue
		}
		fmt.Fprintf(w, " | %.3g | %.1f |\n", first.Gap, 1000*first.Seconds)
	}
}

// A group is some of the problems, whose means are told apart.
type group struct {
	title string
	want  func(*problem) bool
}

var comparedGroups = []group{
	{"real, classes, raw", func(p *problem) bool { return !p.made && !p.numbers && !p.scaled }},
	{"real, classes, scaled", func(p *problem) bool { return !p.made && !p.numbers && p.scaled }},
	{"made, classes, raw", func(p *problem) bool { return p.made && !p.numbers && !p.scaled }},
	{"made, classes, scaled", func(p *problem) bool { return p.made && !p.numbers && p.scaled }},
	{"real, numbers", func(p *problem) bool { return !p.made && p.numbers }},
	{"made, numbers", func(p *problem) bool { return p.made && p.numbers }},
}

// groups prints the first trainer's means beside each other one's, over the problems that both did.
func groups(w io.Writer, problems []problem, all []result, names []string) {
	if len(names) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s beside each of the others\n\nMeans over the sets that both did: "+
		"accuracy, balanced accuracy and ROC-AUC in %%, R^2 clipped\nat -1. Won, tied and lost at "+
		".3 points.\n\n| sets | beside | sets | accuracy, R^2 | balanced | ROC-AUC | won/tied/lost "+
		"| most behind |\n|---|---|--:|--:|--:|--:|--:|---|\n", names[0])
	for _, g := range comparedGroups {
		some := pick(problems, all, g.want)
		for _, n := range names[1:] {
			if c := compare(some, names[0], n); c.sets > 0 {
				fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %d/%d/%d | %s |\n", g.title, n,
					c.sets, c.good.of(c.unit), c.balanced.of(100), c.auc.of(100), c.won, c.tied,
					c.lost, c.worst)
			}
		}
	}
}

// A pair adds up two trainers' figures.
type pair struct {
	a, b float64
	n    int
}

func (p *pair) add(a, b float64) {
	if !math.IsNaN(a) && !math.IsNaN(b) {
		p.a, p.b, p.n = p.a+a, p.b+b, p.n+1
	}
}

func (p *pair) of(unit float64) string {
	if p.n == 0 {
		return "-"
	}
	digits := 2
	if unit == 1 {
		digits = 4
	}
	n := float64(p.n) / unit
	return fmt.Sprintf("%.*f : %.*f", digits, p.a/n, digits, p.b/n)
}

type comparison struct {
	sets, won, tied, lost int
	good, balanced, auc   pair
	unit                  float64 // of good
	worst                 string
}

func compare(some []result, ours, peer string) comparison {
	c := comparison{unit: 100, worst: "-"}
	least := 0.
	for i := range some {
		a := &some[i]
		b := find(some, a.Problem, peer, "")
		if a.Trainer != ours || a.Error != "" || b == nil {
			continue
		}
		c.sets++
		c.good.add(a.good(), b.good())
		c.balanced.add(a.Balanced, b.Balanced)
		c.auc.add(a.ROCAUC, b.ROCAUC)
		if a.Classes == 0 {
			c.unit = 1
		}
		d := 100 * (a.good() - b.good())
		switch {
		case d > .3:
			c.won++
		case d < -.3:
			c.lost++
		default:
			c.tied++
		}
		if d < least {
			least = d
			c.worst = fmt.Sprintf("%s %.2f", a.Problem, d)
		}
	}
	return c
}

// times prints the seconds of ours beside liblinear's solver, where one of them needs 10 ms.
func times(w io.Writer, all []result) {
	var lines []string
	names := trainerNames(all)
	for _, r := range all {
		if r.Trainer != timing || r.Error != "" {
			continue
		}
		a := find(all, r.Problem, names[0], "")
		if a != nil && max(a.Seconds, r.Seconds) > .01 {
			lines = append(lines, fmt.Sprintf("| %s | %.1f | %.1f | %.2f |", r.Problem,
				1000*a.Seconds, 1000*r.Seconds, a.Seconds/r.Seconds))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n## Training alone, ms, where either needs more than 10\n\n"+
			"| set | %s | liblinear -s 1 | ratio |\n|---|--:|--:|--:|\n%s\n", names[0],
			strings.Join(lines, "\n"))
	}
}

// changes prints how the builds of ours fare on the problems told otherwise.
func changes(w io.Writer, all []result) {
	var lines []string
	for _, n := range trainerNames(all) {
		for _, v := range variants {
			for _, numbers := range []bool{false, true} {
				if line := change(all, n, v.name, numbers); line != "" {
					lines = append(lines, line)
				}
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(w, "\n## The same told otherwise\n\nAccuracy in points, R^2 clipped at -1: "+
			"the change of the mean, and the largest of a set.\n\n"+
			"| build | change | sets | mean | largest |\n|---|---|--:|--:|---|\n%s\n",
			strings.Join(lines, "\n"))
	}
}

func change(all []result, trainer, variant string, numbers bool) string {
	unit := 100.
	if numbers {
		unit = 1
	}
	var sum, largest float64
	n, where := 0, "-"
	for i := range all {
		a := &all[i]
		if a.Trainer != trainer || a.Variant != variant || (a.Classes == 0) != numbers {
			continue
		}
		was := find(all, a.Problem, trainer, "")
		if was == nil || a.Error != "" {
			continue
		}
		d := unit * (a.good() - was.good())
		sum, n = sum+d, n+1
		if math.Abs(d) > math.Abs(largest) {
			largest, where = d, fmt.Sprintf("%s %+.3g (%d test rows)", a.Problem, d, a.Test)
		}
	}
	if n == 0 {
		return ""
	}
	what := "accuracy"
	if numbers {
		what = "R^2"
	}
	return fmt.Sprintf("| %s | %s, %s | %d | %+.3f | %s |", trainer, variant, what, n,
		sum/float64(n), where)
}
