package main

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of a figure, in units that are about pixels where the page is wide.
const width, height = 380, 250

// A style is how lines are drawn. gonum/plot writes colours into a picture; there they are replaced
// by the style sheet's variables of these names, so that a picture follows its reader's choice of
// light or dark.
type style struct {
	Variable string
	color    color.RGBA
	dashes   []vg.Length
}

var (
	text = style{Variable: "quiet", color: color.RGBA{1, 2, 3, 255}}
	grid = style{Variable: "rule", color: color.RGBA{1, 2, 4, 255}}
	band = style{Variable: "band", color: color.RGBA{1, 2, 5, 255}}
	// limit is that of the machine's limit, lines those of all others.
	limit = style{"limit", color.RGBA{1, 2, 6, 255}, []vg.Length{4, 4}}
	lines = []style{
		{"s1", color.RGBA{1, 3, 1, 255}, nil},
		{"s2", color.RGBA{1, 3, 2, 255}, []vg.Length{7, 2}},
		{"s3", color.RGBA{1, 3, 3, 255}, []vg.Length{10, 2, 2, 2}},
		{"s4", color.RGBA{1, 3, 4, 255}, []vg.Length{2, 2}},
		{"s5", color.RGBA{1, 3, 5, 255}, []vg.Length{12, 3}},
		{"s6", color.RGBA{1, 3, 6, 255}, []vg.Length{5, 2, 1, 2}},
	}
)

// A series is a line. Points that an axis can't show are left out.
type series struct {
	style
	Name string
	xys  plotter.XYs
}

func (s *series) add(x, y float64) { s.xys = append(s.xys, plotter.XY{X: x, Y: y}) }

// A figure is a plot and what the page says about it.
type figure struct {
	ID, Title, Note string
	x, y            axis
	Lines           []series
	bands           []level
}

type axis struct {
	label  string
	log    bool
	format func(float64) string
	ticks  []plot.Tick // in place of numbers
}

// Ticks names the ticks of numbers: of a logarithmic axis the powers of ten, and where it is short
// twice and five times them.
func (a axis) Ticks(low, high float64) (shown []plot.Tick) {
	if a.ticks != nil {
		return a.ticks
	}
	if !a.log {
		for _, t := range (plot.DefaultTicks{}).Ticks(low, high) {
			if !t.IsMinor() {
				shown = append(shown, plot.Tick{Value: t.Value, Label: a.format(t.Value)})
			}
		}
		return shown
	}
	decades := math.Log10(high / low)
	every := int(decades/6) + 1
	for e := int(math.Floor(math.Log10(low))); math.Pow10(e) <= high; e++ {
		for _, f := range []float64{1, 2, 5} {
			v := f * math.Pow10(e)
			if v >= low && v <= high && (f == 1 && e%every == 0 || decades < 2) {
				shown = append(shown, plot.Tick{Value: v, Label: a.format(v)})
			}
		}
	}
	return shown
}

func (a axis) shows(v float64) bool { return v-v == 0 && (!a.log || v > 0) }

// A level of the caches is a range of x.
type level struct {
	name     string
	from, to float64
}

// Plot draws the bands over a figure's whole height, every other one shaded.
func (f *figure) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for i, b := range f.bands {
		from, to := max(x(b.from), c.Min.X), min(x(b.to), c.Max.X)
		if i%2 == 1 {
			c.SetColor(band.color)
			c.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: c.Min.Y},
				Max: vg.Point{X: to, Y: c.Max.Y}}.Path())
		}
		s := textStyle(10.5)
		s.XAlign, s.YAlign = draw.XCenter, draw.YBottom
		c.FillText(s, vg.Point{X: (from + to) / 2, Y: c.Min.Y + 3}, b.name)
	}
}

func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{Color: text.color, Handler: plot.DefaultTextHandler,
		Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)}
}

// plot returns the figure as a plot, or nil if it has no points.
func (f *figure) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.x.label, f.y.label
	p.Title.TextStyle, p.Title.Padding = textStyle(13), 4
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	rules := plotter.NewGrid()
	rules.Vertical.Color, rules.Horizontal.Color = grid.color, grid.color
	p.Add(f, rules)
	empty := true
	for _, s := range f.Lines {
		var xys plotter.XYs
		for _, p := range s.xys {
			if f.x.shows(p.X) && f.y.shows(p.Y) {
				xys = append(xys, p)
			}
		}
		line, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			continue // there are none
		}
		line.LineStyle = draw.LineStyle{Color: s.color, Width: 2, Dashes: s.dashes}
		marks.GlyphStyle = draw.GlyphStyle{Color: s.color, Radius: 2.2, Shape: draw.CircleGlyph{}}
		p.Add(line, marks)
		empty = false
	}
	if empty {
		return nil
	}
	f.x.dress(&p.X)
	f.y.dress(&p.Y)
	return p
}

func (a axis) dress(p *plot.Axis) {
	label, tick := p.Label.TextStyle, p.Tick.Label
	p.Label.TextStyle, p.Tick.Label = textStyle(11.5), textStyle(11.5)
	p.Label.TextStyle.XAlign, p.Label.TextStyle.YAlign = label.XAlign, label.YAlign
	p.Label.TextStyle.Rotation = label.Rotation
	p.Tick.Label.XAlign, p.Tick.Label.YAlign = tick.XAlign, tick.YAlign
	p.Color, p.Tick.Color, p.Tick.Marker = text.color, text.color, a
	low, high := p.Min, p.Max
	if a.log {
		p.Scale = plot.LogScale{}
		by := max(math.Pow(high/low, .04), 1.05)
		p.Min, p.Max = low/by, high*by
	} else if a.ticks == nil {
		by := max((high-low)*.05, math.Abs(high)*1e-3, 1e-9)
		p.Min, p.Max = low-by, high+by
	}
}

// SVG draws the figure for the page.
func (f *figure) SVG() template.HTML { return template.HTML(picture(nil, f)) }

// picture draws figures beside one another as one SVG, with a legend if there is one.
func picture(legend []series, figures ...*figure) string {
	below := vg.Length(0)
	if legend != nil {
		below = 24
	}
	canvas := vgsvg.New(width*vg.Length(len(figures)), height+below)
	all := draw.New(canvas)
	for i, f := range figures {
		if p := f.plot(); p != nil {
			left, right := vg.Length(i*width+4), vg.Length((len(figures)-1-i)*width+14)
			p.Draw(draw.Crop(all, left, -right, below+4, -4))
		}
	}
	at := vg.Length(46)
	for _, s := range legend {
		line := draw.LineStyle{Color: s.color, Width: 2, Dashes: s.dashes}
		all.StrokeLine2(line, at, 12, at+28, 12)
		all.FillText(textStyle(11.5), vg.Point{X: at + 34, Y: 8}, s.Name)
		at += 60 + 7*vg.Length(len(s.Name))
	}
	var b bytes.Buffer
	canvas.WriteTo(&b) // which can't fail
	svg := b.String()[strings.Index(b.String(), "<svg"):]
	for _, s := range append([]style{text, grid, band, limit}, lines...) {
		svg = strings.ReplaceAll(svg, fmt.Sprintf("#%02X%02X%02X", s.color.R, s.color.G, s.color.B),
			"var(--"+s.Variable+")")
	}
	// Those who don't have the font have one of about the same widths, by which text was placed.
	return strings.ReplaceAll(svg, "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
}

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
