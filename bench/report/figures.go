package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/app/chart"
)

func pathStyle(path string) chart.Style {
	switch path {
	case "avx2", "neon":
		return chart.Lines[0]
	case "generic":
		return chart.Lines[1]
	case "avx512", "neondot":
		return chart.Lines[2]
	case "avx512x256":
		return chart.Lines[3]
	}
	return chart.Lines[4]
}

func legendOf(paths []string) (all []chart.Series) {
	for _, path := range paths {
		all = append(all, chart.Series{Style: pathStyle(path), Name: path})
	}
	return append(all, chart.Series{Style: chart.Limit, Name: "limit of loads and stores"})
}

func speed(k *measured.Kernel, paths []string) *chart.Figure {
	f := &chart.Figure{ID: "kernel-" + k.Name, Title: k.Name, Lines: legendOf(paths),
		X: chart.Axis{Label: "n", Log: true, Format: chart.Short},
		Y: chart.Axis{Label: "GB/s", Log: true, Format: chart.Short}}
	from := 1.
	for i, s := range k.Sizes {
		n := float64(s.N)
		for path, rate := range append(slices.Clone(s.GBs), s.Limit) {
			f.Lines[path].Add(n, rate)
		}
		if i > 0 {
			from = math.Sqrt(n * float64(k.Sizes[i-1].N))
		}
		if last := len(f.Bands) - 1; last < 0 || f.Bands[last].Name != s.Level {
			f.Bands = append(f.Bands, chart.Band{Name: s.Level, From: from, To: from})
		}
		f.Bands[len(f.Bands)-1].To = 2 * n
		if last := len(f.Bands) - 1; last > 0 {
			f.Bands[last-1].To = f.Bands[last].From
		}
	}
	return f
}

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
