package chart

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/pegasimd/pegasimd/internal/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Line is a sequence of values, one for each place along the axis. Those that are NaN are left
// out.
type Line struct {
	Name   string
	Values []float64
}

// A Panel is one of several charts above each other, which share the axis of places.
type Panel struct {
	Label string
	Lines []Line
	Log   bool // the values' axis is logarithmic; values of 0 and less are left out
	Band  bool // the area between the first two lines is shaded
}

var (
	lineColors = []color.Color{ // Okabe and Ito's blue, vermilion, bluish green
		color.NRGBA{0x00, 0x72, 0xb2, 0xff}, color.NRGBA{0xd5, 0x5e, 0x00, 0xff},
		color.NRGBA{0x00, 0x9e, 0x73, 0xff},
	}
	bandColor  = color.NRGBA{0x00, 0x72, 0xb2, 0x22}
	lineGlyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}
)

// Curves draws panels of lines over places such as steps or seconds, which don't descend, on a
// logarithmic axis. Values at places that are not above 0 are left out, and so are lines without
// values and panels without lines. Each panel has at most three lines.
func Curves(title, axis string, at []float64, panels []Panel, format string) (*Picture, error) {
	var shown []Panel
	for _, p := range panels {
		var lines []Line
		for _, l := range p.Lines {
			if len(p.points(at, l)) > 0 {
				lines = append(lines, l)
			}
		}
		if p.Band = p.Band && len(lines) == len(p.Lines); len(lines) > 0 {
			p.Lines = lines
			shown = append(shown, p)
		}
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("there is nothing to draw: no value was measured")
	}
	const width, panelHeight = 480, 170
	titleStyle := style(11)
	head := titleStyle.Height("X") + 8
	height := 2*margin + head + panelHeight*vg.Length(len(shown)) + 14
	c, picture, err := newPicture(width, height, format)
	if err != nil {
		return nil, err
	}
	write(c, titleStyle, width/2, height-margin-titleStyle.Height("X")/2, shorten(title, 90))

	plots := make([][]*plot.Plot, len(shown))
	for i, p := range shown {
		if i < len(shown)-1 {
			plots[i] = []*plot.Plot{p.plot("", at)}
		} else {
			plots[i] = []*plot.Plot{p.plot(axis, at)}
		}
	}
	tiles := draw.Tiles{Rows: len(shown), Cols: 1, PadLeft: margin, PadRight: margin,
		PadTop: head + margin, PadBottom: margin, PadY: 6}
	for i, row := range plot.Align(plots, tiles, c) {
		plots[i][0].Draw(row[0])
		shown[i].legend(plots[i][0].DataCanvas(row[0]))
	}
	return picture, nil
}

// points returns the line's points that can be drawn.
func (p *Panel) points(at []float64, l Line) (xys plotter.XYs) {
	for i, y := range l.Values {
		if floats.IsFinite(y) && !(p.Log && y <= 0) && at[i] > 0 {
			xys = append(xys, plotter.XY{X: at[i], Y: y})
		}
	}
	return xys
}

func (p *Panel) plot(axis string, at []float64) *plot.Plot {
	pl := plot.New()
	pl.BackgroundColor = nil
	pl.Title.Text, pl.Title.TextStyle, pl.Title.Padding = " ", style(9), 4 // space for the legend
	pl.X.Label.Text, pl.Y.Label.Text = axis, p.Label
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		label, tick := a.Label.TextStyle, a.Tick.Label
		a.Label.TextStyle, a.Tick.Label = style(9.5), style(8.5)
		a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign = label.XAlign, label.YAlign
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = tick.XAlign, tick.YAlign
		a.Label.Padding, a.Padding, a.Tick.Length = 4, 0, 5
		a.Color, a.Tick.Color = black, black
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = lightGrey, lightGrey
	pl.Add(grid)
	if p.Band {
		p.addBand(pl, at)
	}
	for i, l := range p.Lines {
		xys := p.points(at, l)
		line, marks, err := plotter.NewLinePoints(xys)
		if err != nil {
			continue // points are finite, and there are some
		}
		line.Color, line.Width = lineColors[i], 1.2
		marks.Color, marks.Shape, marks.Radius = lineColors[i], lineGlyphs[i], 2
		pl.Add(line, marks)
	}
	p.setScales(pl)
	return pl
}

// addBand shades the area between the first two lines.
func (p *Panel) addBand(pl *plot.Plot, at []float64) {
	top, bottom := p.points(at, p.Lines[0]), p.points(at, p.Lines[1])
	for len(top) > 0 && top[0].X < bottom[0].X {
		top = top[1:] // where the other is not drawn
	}
	for i := range bottom {
		top = append(top, bottom[len(bottom)-1-i])
	}
	if band, err := plotter.NewPolygon(top); err == nil {
		band.Color, band.LineStyle.Width = bandColor, 0
		pl.Add(band)
	}
}

// setScales sets the axes' scales and marks, and leaves some space around the lines.
func (p *Panel) setScales(pl *plot.Plot) {
	pl.X.Scale, pl.X.Tick.Marker = plot.LogScale{}, logTicks{}
	widenLog(&pl.X)
	if p.Log {
		pl.Y.Scale, pl.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		widenLog(&pl.Y)
		return
	}
	pl.Y.Tick.Marker = ticks{}
	pad := (pl.Y.Max - pl.Y.Min) / 20
	if pad == 0 {
		pad = max(math.Abs(pl.Y.Max)/20, 1e-300)
	}
	pl.Y.Max += pad
	if low := pl.Y.Min - pad; pl.Y.Min >= 0 {
		pl.Y.Min = max(0, low)
	} else {
		pl.Y.Min = low
	}
}

// widenLog leaves some space on either side.
func widenLog(a *plot.Axis) {
	f := max(math.Pow(a.Max/a.Min, 0.03), 1.05)
	a.Min, a.Max = a.Min/f, a.Max*f
}

// legend draws the lines' names over the panel, where no line runs.
func (p *Panel) legend(data draw.Canvas) {
	s := style(9)
	s.XAlign = draw.XLeft
	x, y := data.Min.X, data.Max.Y+9
	for i, l := range p.Lines {
		data.StrokeLine2(draw.LineStyle{Color: lineColors[i], Width: 1.2}, x, y, x+18, y)
		data.DrawGlyphNoClip(draw.GlyphStyle{Color: lineColors[i], Radius: 2.2,
			Shape: lineGlyphs[i]}, vg.Point{X: x + 9, Y: y})
		write(data, s, x+22, y, l.Name)
		x += 22 + textWidth(s, l.Name) + 14
	}
}

// ticks puts a mark at every multiple of 1, 2 or 5 times a power of ten, four to ten of them.
type ticks struct{}

func (ticks) Ticks(low, high float64) (marks []plot.Tick) {
	exponent := int(math.Floor(math.Log10((high - low) / 4)))
	step, decimals := math.Pow10(exponent), -exponent
	for _, f := range []float64{5, 2} {
		if f*step*4 <= high-low {
			step *= f
			break
		}
	}
	for k := math.Ceil(low/step) + 0; k*step <= high; k++ { // +0: not -0
		label := strconv.FormatFloat(k*step, 'f', max(decimals, 0), 64)
		if decimals > 6 || decimals < -6 {
			digits := int(math.Log10(max(math.Abs(low), math.Abs(high)))-float64(exponent)) + 1
			label = strconv.FormatFloat(k*step, 'g', digits, 64)
		}
		marks = append(marks, plot.Tick{Value: k * step, Label: label})
	}
	return marks
}

// logTicks marks 1 to 9 times each power of ten. It names the powers, and where there are few of
// them 2 and 5 times each as well.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) (marks []plot.Tick) {
	decades := math.Log10(high / low)
	every := max(1, int(math.Ceil(decades/8)))
	for e := int(math.Floor(math.Log10(low))); math.Pow10(e) <= high; e++ {
		for f := 1; f < 10; f++ {
			v := float64(f) * math.Pow10(e)
			if v < low || v > high {
				continue
			}
			named := f == 1 && e%every == 0 || decades < 2 && (f == 2 || f == 5) || decades < 0.6
			tick := plot.Tick{Value: v}
			if named {
				tick.Label = short(v)
			}
			marks = append(marks, tick)
		}
	}
	return marks
}

// short writes 20000 as 20k.
func short(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= unit.size && v < 1e12 {
			return strconv.FormatFloat(v/unit.size, 'g', 6, 64) + unit.name
		}
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
