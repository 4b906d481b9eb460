package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
)

// curve draws the objective and the bound below it over the steps.
func curve(run *measured.Run) *figure {
	objective, dual := series{style: lines[0]}, series{style: lines[1]}
	for _, p := range run.Curve {
		objective.add(float64(p.Steps), p.Objective)
		dual.add(float64(p.Steps), p.Dual)
	}
	return &figure{ID: "curve-" + run.Name, Title: run.Name, Lines: []series{objective, dual},
		x: axis{label: "steps", log: true, format: short},
		y: axis{label: "objective", format: short},
		Note: fmt.Sprintf("%d rows of %d features, %s of the values not 0; %s", run.Rows, run.Cols,
			percent(run.Fill), run.Config)}
}

// over draws a number of each point of each run over the seconds that it had taken.
func over(id, title string, y axis, runs []*measured.Run,
	of func(measured.Point) float64) *figure {
	f := &figure{ID: id, Title: title, y: y,
		x: axis{label: "seconds, one thread", log: true, format: short}}
	for i, run := range runs {
		s := series{style: lines[i%len(lines)], Name: run.Name}
		for _, p := range run.Curve {
			s.add(p.Seconds, of(p))
		}
		f.Lines = append(f.Lines, s)
	}
	return f
}

func accuracies(runs []*measured.Run) *figure {
	return over("accuracy", "Accuracy of rows held out",
		axis{label: "accuracy", format: percent}, runs,
		func(p measured.Point) float64 { return p.Accuracy })
}

func gaps(runs []*measured.Run) *figure {
	return over("gaps", "Most above the optimum, proven",
		axis{label: "duality gap", log: true, format: percent}, runs,
		func(p measured.Point) float64 {
			if gap := p.Gap(); gap <= 1 {
				return gap
			}
			return 0 // not drawn: beyond 100 % a bound is of no use
		})
}
