package main

import (
	"fmt"

	"github.com/pegasimd/pegasimd/bench/internal/training"
)

// curve draws the objective and the bound below it over the steps.
func curve(run *training.Run) *figure {
	objective := series{class: "s1", name: "objective"}
	dual := series{class: "s2", name: "lower bound on the optimum"}
	for _, p := range run.Curve {
		objective.add(float64(p.Steps), p.Objective)
		dual.add(float64(p.Steps), p.Dual)
	}
	title := func(x, y float64) string { return fmt.Sprintf("%.6g after %s steps", y, short(x)) }
	objective.title, dual.title = title, title
	f := draw("curve-"+run.Name, run.Name, axis{label: "steps", log: true, format: short},
		axis{label: "objective", format: short}, []series{objective, dual})
	f.Note = fmt.Sprintf("%d rows of %d features, %s of the values not 0; %s", run.Rows, run.Cols,
		percent(run.Fill), run.Config)
	return f
}

// gaps draws how far each run is from the optimum at most.
func gaps(runs []*training.Run) (*figure, []legend) {
	var lines []series
	var names []legend
	for i, run := range runs {
		class := fmt.Sprint("s", i%6+1)
		s := series{class: class, name: run.Name, title: func(x, y float64) string {
			return fmt.Sprintf("at most %s above the optimum after %s steps", percent(y), short(x))
		}}
		for _, p := range run.Curve {
			// Beyond 100 % a bound is of no use, and is not told elsewhere either.
			if gap := p.Gap(); gap <= 1 {
				s.add(float64(p.Steps), gap)
			}
		}
		lines = append(lines, s)
		names = append(names, legend{class, run.Name})
	}
	return draw("gaps", "Duality gap", axis{label: "steps", log: true, format: short},
		axis{label: "most above the optimum", log: true, format: percent}, lines), names
}

// A matrix is a confusion matrix: a row for each true class.
type matrix struct {
	Title    string
	Accuracy string
	Hash     string
	Classes  []string
	Rows     []matrixRow
}

type matrixRow struct {
	Class string
	Cells []matrixCell
}

type matrixCell struct {
	Count int
	Share int // of the row, in percent
	Right bool
}

func matrixOf(run *training.Run) matrix {
	m := matrix{Title: run.Name, Accuracy: fmt.Sprintf("%.2f %%", 100*run.Accuracy()),
		Hash: run.Hash, Classes: run.Classes}
	for i, counts := range run.Confusion {
		row, sum := matrixRow{Class: run.Classes[i]}, 0
		for _, n := range counts {
			sum += n
		}
		for j, n := range counts {
			share := 100 * n / max(sum, 1)
			row.Cells = append(row.Cells, matrixCell{Count: n, Share: share, Right: i == j})
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}
