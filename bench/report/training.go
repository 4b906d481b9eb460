package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/app/chart"
)

// curve draws the objective and the bound below it over the steps.
func curve(run *measured.Run) *chart.Figure {
	objective, dual := chart.Series{Style: chart.Lines[0]}, chart.Series{Style: chart.Lines[1]}
	for _, p := range run.Curve {
		objective.Add(float64(p.Steps), p.Objective)
		dual.Add(float64(p.Steps), p.Dual)
	}
	return &chart.Figure{ID: "curve-" + run.Name, Title: run.Name, Lines: []chart.Series{objective, dual},
		X:    chart.Axis{Label: "steps", Log: true, Format: chart.Short},
		Y:    chart.Axis{Label: "objective", Format: chart.Short},
		Note: fmt.Sprintf("%d rows", run.Rows)}
}

// over draws one number of each point of each run over the run's seconds.
func over(id, title string, y chart.Axis, runs []*measured.Run,
	of func(measured.Point) float64) *chart.Figure {
	f := &chart.Figure{ID: id, Title: title, Y: y,
		X: chart.Axis{Label: "seconds, one thread", Log: true, Format: chart.Short}}
	for i, run := range runs {
		s := chart.Series{Style: chart.Lines[i%len(chart.Lines)], Name: run.Name}
		for _, p := range run.Curve {
			s.Add(p.Seconds, of(p))
		}
		f.Lines = append(f.Lines, s)
	}
	return f
}

func accuracies(runs []*measured.Run) *chart.Figure {
	return over("accuracy", "Accuracy on held-out rows",
		chart.Axis{Label: "accuracy", Format: chart.Percent}, runs,
		func(p measured.Point) float64 { return p.Accuracy })
}

func gaps(runs []*measured.Run) *chart.Figure {
	return over("gaps", "Proven distance from the optimum",
		chart.Axis{Label: "duality gap", Log: true, Format: chart.Percent}, runs,
		func(p measured.Point) float64 {
			if gap := p.Gap(); gap <= 1 {
				return gap
			}
			return 0 // not drawn: a gap above 100 % is not useful
		})
}
