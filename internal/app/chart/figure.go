// Package chart draws lines, points, bars and matrices as SVG, in light or dark colors as the
// reader prefers.
package chart

import (
	_ "embed"
	"html/template"
	"math"
	"strings"
)

// Sheet is the style sheet of all charts. Pages with results of Figure.SVG must include it.
//
//go:embed chart.css
var Sheet string

// Sizes of figures in SVG units.
const (
	pageWidth, pageHeight   = 380, 250
	aloneWidth, aloneHeight = 560, 300
	stackWidth, stackHeight = 620, 230
)

type Style struct {
	Class string // class in Sheet
	color string // light color, for viewers without CSS variables
}

var (
	// Limit is the style of reference lines.
	Limit = Style{"limit", "#57606a"}
	// Faint is the style of background lines.
	Faint = Style{"limit faint", "#57606a"}
	// Lines are the styles of all other series.
	Lines = []Style{{"s1", "#0b62a4"}, {"s2", "#c2410c"}, {"s3", "#15803d"}, {"s4", "#7e22ce"},
		{"s5", "#a16207"}, {"s6", "#be185d"}}
)

type Point struct{ X, Y float64 }

// Series is a line, dots or bars. Points that an axis can't show are left out.
type Series struct {
	Style
	Name   string // name in the legend; "" leaves the series out of the legend
	Points []Point
	Dots   bool    // draw dots without a line
	Bars   float64 // width of bars from y = 0 to each point, to the right of it; 0 for no bars
}

func (s *Series) Add(x, y float64) { s.Points = append(s.Points, Point{x, y}) }

type Band struct {
	Name     string
	From, To float64
}

// Figure is a chart. ID and Note are for the page around the chart.
type Figure struct {
	ID, Title, Note string
	Label           string // text for screen readers; "" for Title and the labels of the axes
	X, Y            Axis
	Lines           []Series
	Bands           []Band
	Legend          bool // draw a legend above the plot
}

// Empty reports whether the axes can show no point of any series.
func (f *Figure) Empty() bool {
	for _, s := range f.Lines {
		if len(f.shown(s)) > 0 {
			return false
		}
	}
	return true
}

func (f *Figure) shown(s Series) (at []Point) {
	for _, p := range s.Points {
		if f.X.shows(p.X) && f.Y.shows(p.Y) {
			at = append(at, Point{f.X.place(p.X), f.Y.place(p.Y)})
		}
	}
	return at
}

func (f *Figure) label() string {
	if f.Label != "" {
		return f.Label
	}
	parts := []string{f.Title, f.Y.Label, f.X.Label}
	return strings.Join(parts, ", ")
}

func (f *Figure) SVG() template.HTML {
	var c canvas
	f.draw(&c, box{0, 0, pageWidth, pageHeight})
	return template.HTML(c.svg(pageWidth, pageHeight, f.label()))
}

// Alone returns an SVG file with the figures side by side, and the legend below unless it is nil.
func Alone(legend []Series, figures ...*Figure) string {
	each, high := float64(pageWidth), float64(pageHeight)
	if len(figures) == 1 {
		each, high = aloneWidth, aloneHeight
	}
	var c canvas
	all := each * float64(len(figures))
	for i, f := range figures {
		f.draw(&c, box{each * float64(i), 0, each * float64(i+1), high})
	}
	if legend != nil {
		high += drawLegend(&c, legend, 14, high+6, all-14) + 10
	}
	return alone("", c.svg(all, high, titles(figures)), all, high)
}

// Stack returns an SVG file with the figures one above the other. The file begins with mark,
// which is "" or an XML comment.
func Stack(mark, title string, figures ...*Figure) string {
	const top = 26
	var c canvas
	c.text("ink", titleSize, 14, 20, "start", fit(title, titleSize, stackWidth-20))
	for i, f := range figures {
		at := float64(top + stackHeight*i)
		f.draw(&c, box{0, at, stackWidth, at + stackHeight})
	}
	w, h := float64(stackWidth), float64(top+stackHeight*len(figures))
	return alone(mark, c.svg(w, h, title+": "+titles(figures)), w, h)
}

func titles(figures []*Figure) string {
	var all []string
	for _, f := range figures {
		all = append(all, f.label())
	}
	return strings.Join(all, "; ")
}

type box struct{ left, top, right, bottom float64 }

const legendRow = 18

func drawLegend(c *canvas, lines []Series, left, top, right float64) float64 {
	const stroke, gap = 26, 18
	x, y := left, top
	for _, s := range lines {
		if s.Name == "" {
			continue
		}
		name := fit(s.Name, textSize, right-left-stroke-6)
		wide, _ := width(name, textSize)
		if x > left && x+stroke+6+wide > right {
			x, y = left, y+legendRow
		}
		if s.Bars > 0 || s.Dots {
			c.add(`<path class="%s dots" d="M%s,%sh0" fill="none" stroke="%s" stroke-width="9" `+
				`style="stroke-width:9"/>`, s.Class, num(x+stroke/2), num(y+9), s.color)
		} else {
			c.add(`<path class="%s" d="M%s,%sh%d" fill="none" stroke="%s" stroke-width="2"/>`, s.Class,
				num(x), num(y+9), stroke, s.color)
		}
		c.text("", textSize, x+stroke+6, y+13, "start", name)
		x += stroke + 6 + wide + gap
	}
	return y - top + legendRow
}

func (f *Figure) draw(c *canvas, b box) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, s := range f.Lines {
		for _, p := range f.shown(s) {
			low = Point{min(low.X, p.X), min(low.Y, p.Y)}
			high = Point{max(high.X, p.X+s.Bars), max(high.Y, p.Y)}
			if s.Bars > 0 {
				low.Y = min(low.Y, 0)
			}
		}
	}
	if !(low.X <= high.X) {
		return
	}
	low.X, high.X = f.X.bounds(low.X, high.X)
	low.Y, high.Y = f.Y.bounds(low.Y, high.Y)
	plot := f.frame(c, b, low, high)
	x := func(at float64) float64 {
		return plot.left + (at-low.X)/(high.X-low.X)*(plot.right-plot.left)
	}
	y := func(at float64) float64 {
		return plot.bottom - (at-low.Y)/(high.Y-low.Y)*(plot.bottom-plot.top)
	}
	for i, band := range f.Bands {
		from, to := max(x(f.X.place(band.From)), plot.left), min(x(f.X.place(band.To)), plot.right)
		if i%2 == 1 {
			c.add(`<rect class="band" x="%s" y="%s" width="%s" height="%s" fill="#f3f5f8"/>`, num(from),
				num(plot.top), num(to-from), num(plot.bottom-plot.top))
		}
		c.text("", smallSize, (from+to)/2, plot.bottom-5, "middle", band.Name)
	}
	f.ticks(c, plot, low, high, x, y)
	for _, s := range f.Lines {
		f.series(c, s, x, y)
	}
}

func (f *Figure) frame(c *canvas, b box, low, high Point) box {
	plot := box{b.left + 12, b.top + 8, b.right - 14, b.bottom - 24}
	if f.Title != "" {
		c.text("ink", titleSize, plot.left, plot.top+12, "start",
			fit(f.Title, titleSize, b.right-plot.left-4))
		plot.top += 20
	}
	if f.Legend {
		plot.top += drawLegend(c, f.Lines, plot.left, plot.top, b.right-8) + 2
	}
	if f.Y.Label != "" {
		c.text("", textSize, plot.left, plot.top+12, "start",
			fit(f.Y.Label, textSize, b.right-plot.left-4))
		plot.top += 17
	}
	plot.top += 6
	if f.X.Label != "" {
		plot.bottom -= 16
	}
	widest := 0.0
	for _, t := range f.Y.ticks(low.Y, high.Y) {
		w, _ := width(t.Label, textSize)
		widest = max(widest, w)
	}
	plot.left += widest + 6
	if f.X.Label != "" {
		c.text("", textSize, (plot.left+plot.right)/2, b.bottom-8, "middle",
			fit(f.X.Label, textSize, plot.right-plot.left))
	}
	return plot
}

// x and y convert places on the axes to SVG units.
func (f *Figure) ticks(c *canvas, plot box, low, high Point, x, y func(float64) float64) {
	var grid strings.Builder
	free := math.Inf(1)
	for _, t := range f.Y.ticks(low.Y, high.Y) {
		at := f.Y.place(t.Value)
		if at < low.Y || at > high.Y {
			continue
		}
		place := y(at)
		grid.WriteString("M" + num(plot.left) + "," + num(place) + "H" + num(plot.right))
		if place < free {
			c.text("", textSize, plot.left-6, place+4, "end", t.Label)
			free = place - textSize - 2
		}
	}
	right := math.Inf(-1)
	for _, t := range f.X.ticks(low.X, high.X) {
		at := f.X.place(t.Value)
		if at < low.X || at > high.X {
			continue
		}
		place := x(at)
		grid.WriteString("M" + num(place) + "," + num(plot.top) + "V" + num(plot.bottom))
		wide, _ := width(t.Label, textSize)
		center := min(place, plot.right+12-wide/2)
		if center-wide/2 > right {
			c.text("", textSize, center, plot.bottom+15, "middle", t.Label)
			right = center + wide/2 + 6
		}
	}
	c.add(`<path class="rule" d="%s" fill="none" stroke="#d0d7de"/>`, grid.String())
}

const mostMarks = 40

func (f *Figure) series(c *canvas, s Series, x, y func(float64) float64) {
	points := f.shown(s)
	if len(points) == 0 {
		return
	}
	var line, dots strings.Builder
	for i, p := range points {
		at := num(x(p.X)) + "," + num(y(p.Y))
		if s.Bars > 0 {
			line.WriteString("M" + num(x(p.X)+.5) + "," + num(y(0)) + "V" + num(y(p.Y)) + "H" +
				num(x(p.X+s.Bars)-.5) + "V" + num(y(0)) + "Z")
			continue
		}
		line.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + at)
		dots.WriteString("M" + at + "h0")
	}
	if s.Bars > 0 {
		c.add(`<path class="%s" d="%s" fill="%s" fill-opacity=".55"/>`,
			strings.Replace(s.Class, "s", "f", 1), line.String(), s.color)
		return
	}
	if !s.Dots {
		c.add(`<path class="%s" d="%s" fill="none" stroke="%s" stroke-width="2"/>`, s.Class,
			line.String(), s.color)
	}
	if s.Dots || len(points) <= mostMarks && !strings.HasPrefix(s.Class, Limit.Class) {
		c.add(`<path class="%s dots" d="%s" fill="none" stroke="%s" stroke-width="4.4" `+
			`stroke-linecap="round"/>`, s.Class, dots.String(), s.color)
	}
}
