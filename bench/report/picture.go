package main

import (
	"bytes"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/training"
)

// A picture is some figures beside one another as an SVG file of its own, for documents. It follows
// the reader's choice of light or dark as the report does.
type picture struct {
	Style   template.CSS
	Title   string
	Figures []placed
	Names   []placedName
}

type placed struct {
	*figure
	At int
}

type placedName struct {
	legend
	At int
}

// Width, Height and LegendY are for the template.
func (p *picture) Width() int   { return width * len(p.Figures) }
func (p *picture) Height() int  { return height + 24 }
func (p *picture) LegendY() int { return height + 4 }

func newPicture(title string, names []legend, figures ...*figure) *picture {
	p := &picture{Style: template.CSS(style), Title: title}
	for i, f := range figures {
		p.Figures = append(p.Figures, placed{f, i * width})
	}
	at := marginLeft
	for _, name := range names {
		p.Names = append(p.Names, placedName{name, at})
		at += 60 + 7*len(name.Name)
	}
	return p
}

// pictured are the kernels whose speed is drawn for documents.
var pictured = []string{"dot", "axpy"}

// writePictures writes the pictures of documents to dir.
func writePictures(dir string, t *template.Template, kernels []*figure, paths []legend,
	trained []*training.Run) error {
	var speed []*figure
	for _, f := range kernels {
		if slices.Contains(pictured, f.Title) {
			speed = append(speed, f)
		}
	}
	gap, names := gapsByTime(trained)
	for name, p := range map[string]*picture{
		"kernels": newPicture("Speed of kernels over size, and the machine's limit", paths, speed...),
		"proof": newPicture("Accuracy, and the distance from the optimum that is proven, over time",
			names, accuracies(trained), gap),
	} {
		var b bytes.Buffer
		if err := t.ExecuteTemplate(&b, "picture", p); err != nil {
			return err
		}
		file := filepath.Join(dir, name+".svg")
		if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
			return err
		}
		fmt.Println(file)
	}
	return nil
}

// byTime draws a number of each point of each run over the seconds that the run had taken.
func byTime(id, title string, y axis, runs []*training.Run, of func(training.Point) float64) (
	*figure, []legend) {
	var lines []series
	var names []legend
	for i, run := range runs {
		class := fmt.Sprint("s", i%6+1)
		s := series{class: class, name: run.Name, title: func(x, v float64) string {
			return fmt.Sprintf("%s after %.3g s", y.format(v), x)
		}}
		for _, p := range run.Curve {
			s.add(p.Seconds, of(p))
		}
		lines = append(lines, s)
		names = append(names, legend{class, run.Name})
	}
	return draw(id, title, axis{label: "seconds, one thread", log: true, format: short}, y,
		lines), names
}

func accuracies(runs []*training.Run) *figure {
	f, _ := byTime("accuracy-time", "Accuracy of rows held out",
		axis{label: "accuracy", format: percent}, runs,
		func(p training.Point) float64 { return p.Accuracy })
	return f
}

func gapsByTime(runs []*training.Run) (*figure, []legend) {
	return byTime("gaps-time", "Most above the optimum, proven",
		axis{label: "duality gap", log: true, format: percent}, runs,
		func(p training.Point) float64 {
			if gap := p.Gap(); gap <= 1 {
				return gap
			}
			return 0 // not drawn: beyond 100 % a bound is of no use
		})
}
