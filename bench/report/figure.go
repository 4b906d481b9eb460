package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/aclements/go-moremath/scale"
)

// Figures are SVG written by the page's template. The plotting libraries for Go (gonum/plot,
// go-analyze/charts) write colours into the picture, so that it can't follow the reader's choice of
// light or dark, and have no texts to point at; here colours are the style sheet's, and each point
// tells its numbers. The scales and their ticks are go-moremath's.

// Size of a figure, in units that are about pixels where the page is wide and where it is narrow.
const (
	width, height                                    = 380, 250
	marginLeft, marginRight, marginTop, marginBottom = 46, 14, 24, 40

	plotWidth  = width - marginLeft - marginRight
	plotHeight = height - marginTop - marginBottom
)

// A figure is a plot whose parts have their places.
type figure struct {
	ID, Title, X, Y string
	Note            string
	XTicks, YTicks  []tick
	Bands           []band
	Lines           []line
	bandsAt         func(float64) float64 // where a value of x is
}

type tick struct {
	At    float64
	Label string
}

// Anchor keeps a label at the right end inside the figure.
func (t tick) Anchor() string {
	if t.At+3.5*float64(len(t.Label)) > width {
		return "end"
	}
	return "middle"
}

// A band is a range of x with a name, such as a level of the caches.
type band struct {
	From, Width, Middle float64
	Name                string
	Odd                 bool
}

// A line is a series. Class is its style: colours and dashes are in the style sheet.
type line struct {
	Class, Name string
	Path        string
	Points      []mark
}

type mark struct {
	X, Y  float64
	Title string
}

// A legend names a style.
type legend struct{ Class, Name string }

// A series is a line in data. Points whose y is not a finite number, or can't be drawn on
// the axis, are left out.
type series struct {
	class, name string
	x, y        []float64
	title       func(x, y float64) string
}

func (s *series) add(x, y float64) {
	s.x, s.y = append(s.x, x), append(s.y, y)
}

type axis struct {
	label  string
	log    bool
	zero   bool // the axis begins at 0
	format func(float64) string
	ticks  []tick // in data, if they are not numbers
}

// Width, Height and the like are for the template.
func (*figure) Width() int      { return width }
func (*figure) Height() int     { return height }
func (*figure) Left() int       { return marginLeft }
func (*figure) Top() int        { return marginTop }
func (*figure) Right() int      { return width - marginRight }
func (*figure) Bottom() int     { return height - marginBottom }
func (*figure) Middle() int     { return marginLeft + plotWidth/2 }
func (*figure) LabelY() int     { return height - 6 }
func (*figure) TickY() int      { return height - marginBottom + 16 }
func (*figure) TickX() int      { return marginLeft - 6 }
func (*figure) PlotHeight() int { return plotHeight }

// draw gives the parts of a plot their places.
func draw(id, title string, x, y axis, all []series) *figure {
	f := &figure{ID: id, Title: title, X: x.label, Y: y.label}
	var xs, ys []float64
	for _, s := range all {
		for i := range s.x {
			if fits(x, s.x[i]) && fits(y, s.y[i]) {
				xs, ys = append(xs, s.x[i]), append(ys, s.y[i])
			}
		}
	}
	if y.zero {
		ys = append(ys, 0)
	}
	if len(xs) == 0 {
		return f
	}
	mapX, ticksX := x.scale(xs, 6, false)
	mapY, ticksY := y.scale(ys, 6, true)
	toX := func(v float64) float64 { return round(marginLeft + plotWidth*mapX(v)) }
	toY := func(v float64) float64 { return round(marginTop + plotHeight*(1-mapY(v))) }
	if x.ticks != nil {
		for _, t := range x.ticks {
			f.XTicks = append(f.XTicks, tick{toX(t.At), t.Label})
		}
	} else {
		for _, v := range ticksX {
			f.XTicks = append(f.XTicks, tick{toX(v), x.format(v)})
		}
	}
	for _, v := range ticksY {
		f.YTicks = append(f.YTicks, tick{toY(v), y.format(v)})
	}
	for _, s := range all {
		l := line{Class: s.class, Name: s.name}
		var path strings.Builder
		for i := range s.x {
			if !fits(x, s.x[i]) || !fits(y, s.y[i]) {
				continue
			}
			m := mark{toX(s.x[i]), toY(s.y[i]), s.name + ": " + s.title(s.x[i], s.y[i])}
			command := "L"
			if len(l.Points) == 0 {
				command = "M"
			}
			fmt.Fprintf(&path, "%s%g,%g", command, m.X, m.Y)
			l.Points = append(l.Points, m)
		}
		if l.Path = path.String(); l.Path != "" {
			f.Lines = append(f.Lines, l)
		}
	}
	f.bandsAt = toX
	return f
}

func fits(a axis, v float64) bool {
	return v-v == 0 && (!a.log || v > 0)
}

// scale returns where a value is, from 0 to 1, and at most so many ticks.
func (a axis) scale(values []float64, ticks int, nice bool) (func(float64) float64, []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	o := scale.TickOptions{Max: ticks}
	if a.log {
		if lo == hi {
			lo, hi = lo/2, hi*2
		}
		s, err := scale.NewLog(lo, hi, 10)
		if err != nil {
			panic(err) // lo and hi are positive and differ
		}
		if nice {
			s.Nice(o)
		}
		major, _ := s.Ticks(o)
		return s.Map, major
	}
	if lo == hi {
		lo, hi = lo-math.Abs(lo)/100-1e-9, hi+math.Abs(hi)/100+1e-9
	}
	s := scale.Linear{Min: lo, Max: hi}
	if nice {
		s.Nice(o)
	}
	major, _ := s.Ticks(o)
	return s.Map, major
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// short writes a number with a letter for thousands.
func short(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if math.Abs(v) >= u.size {
			return fmt.Sprintf("%.3g%s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

func percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }
