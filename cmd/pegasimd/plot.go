package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/app/chart"
	"github.com/pegasimd/pegasimd/internal/sys/files"
)

func checkPicture(name string) error {
	if name == "" || files.Ending(plainName(name)) == ".svg" {
		return nil
	}
	return flags.Usagef("-plot: %q: want a name that ends in .svg or .svg.gz; a browser can print "+
		"the picture as PDF", name)
}

const (
	mostClasses = 200 // of a confusion matrix that is drawn
	mostCounts  = 40  // with counts in the cells
	mostShares  = 12  // with shares, too
)

func writeConfusion(w io.Writer, title string, names []string, counts [][]float64) error {
	n := len(names)
	if n > mostClasses {
		return flags.Usagef("-plot: a picture of %d classes would not be readable: at most %d are drawn",
			n, mostClasses)
	}
	sums := make([]float64, n)
	for i, row := range counts {
		for _, count := range row {
			sums[i] += count
		}
	}
	m := &chart.Matrix{Title: title + "\nshade: share of the true class", X: "predicted class",
		Y: "true class", Across: names, Down: names,
		Of: func(i, j int) (text string, shade float64, there bool) {
			if counts[i][j] > 0 && n <= mostCounts {
				text = amount(counts[i][j])
				if n <= mostShares {
					text += fmt.Sprintf("\n%.1f %%", 100*counts[i][j]/sums[i])
				}
			}
			return text, counts[i][j] / sums[i], true
		}}
	if n <= mostCounts {
		m.Least = max(20, 160/float64(n))
	}
	_, err := io.WriteString(w, m.Alone(svgMark+"\n"))
	return err
}

type panel struct {
	label string
	log   bool // the axis of values is logarithmic
	lines []panelLine
}

// A panelLine has a value for each position along the horizontal axis; NaN and infinite values
// are left out.
type panelLine struct {
	name   string
	values []float64
}

// at lists the positions of the values along the logarithmic axis.
func writePanels(w io.Writer, title, axis string, at []float64, panels []panel) error {
	var figures []*chart.Figure
	for _, p := range panels {
		f := &chart.Figure{X: chart.Axis{Label: axis, Log: true},
			Y: chart.Axis{Label: p.label, Log: p.log}, Legend: len(p.lines) > 1}
		for i, l := range p.lines {
			s := chart.Series{Style: chart.Lines[i], Name: l.name}
			for k, y := range l.values {
				s.Add(at[k], y)
			}
			f.Lines = append(f.Lines, s)
		}
		f.Lines = slices.DeleteFunc(f.Lines, func(s chart.Series) bool {
			return (&chart.Figure{X: f.X, Y: f.Y, Lines: []chart.Series{s}}).Empty()
		})
		if !f.Empty() {
			figures = append(figures, f)
		}
	}
	if len(figures) == 0 {
		return fmt.Errorf("there is nothing to draw: no value was measured")
	}
	_, err := io.WriteString(w, chart.Stack(svgMark+"\n", title, figures...))
	return err
}
