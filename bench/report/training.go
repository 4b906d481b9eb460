package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/bench/internal/picture"
)

// curve draws the objective and the bound below it over the steps.
func curve(run *measured.Run) *picture.Figure {
	objective, dual := picture.Series{Style: picture.Lines[0]}, picture.Series{Style: picture.Lines[1]}
	for _, p := range run.Curve {
		objective.Add(float64(p.Steps), p.Objective)
		dual.Add(float64(p.Steps), p.Dual)
	}
	return &picture.Figure{ID: "curve-" + run.Name, Title: run.Name, Lines: []picture.Series{objective, dual},
		X:    picture.Axis{Label: "steps", Log: true, Format: picture.Short},
		Y:    picture.Axis{Label: "objective", Format: picture.Short},
		Note: fmt.Sprintf("%d rows", run.Rows)}
}

// over draws a number of each point of each run over the seconds that it had taken.
func over(id, title string, y picture.Axis, runs []*measured.Run,
	of func(measured.Point) float64) *picture.Figure {
	f := &picture.Figure{ID: id, Title: title, Y: y,
		X: picture.Axis{Label: "seconds, one thread", Log: true, Format: picture.Short}}
	for i, run := range runs {
		s := picture.Series{Style: picture.Lines[i%len(picture.Lines)], Name: run.Name}
		for _, p := range run.Curve {
			s.Add(p.Seconds, of(p))
		}
		f.Lines = append(f.Lines, s)
	}
	return f
}

func accuracies(runs []*measured.Run) *picture.Figure {
	return over("accuracy", "Accuracy on held-out rows",
		picture.Axis{Label: "accuracy", Format: picture.Percent}, runs,
		func(p measured.Point) float64 { return p.Accuracy })
}

func gaps(runs []*measured.Run) *picture.Figure {
	return over("gaps", "Proven distance from the optimum",
		picture.Axis{Label: "duality gap", Log: true, Format: picture.Percent}, runs,
		func(p measured.Point) float64 {
			if gap := p.Gap(); gap <= 1 {
				return gap
			}
			return 0 // not drawn: beyond 100 % a bound is of no use
		})
}
