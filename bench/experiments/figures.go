package main

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

type point struct{ x, y float64 }

// A series is a line, with a band around it if there are limits.
type series struct {
	name      string
	color     int
	dashed    bool
	points    []point
	low, high []float64
}

// A panel is a diagram with axes of its own.
type panel struct {
	title, x, y string
	logX, logY  bool
	legend      bool
	rangeX      [2]float64 // of the axis; that of the data if it is 0
	series      []series
}

// Of Okabe and Ito: apart for the colour-blind as well.
var colors = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}}

func (p panel) plot() (*plot.Plot, error) {
	d := plot.New()
	d.BackgroundColor = color.White
	d.Title.Text, d.X.Label.Text, d.Y.Label.Text = p.title, p.x, p.y
	d.Add(plotter.NewGrid())
	empty := true
	for _, s := range p.series {
		empty = empty && len(s.points) == 0
	}
	if empty {
		return d, nil // its axes have no range, and a logarithmic one must have
	}
	if p.logX {
		d.X.Scale, d.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if p.logY {
		d.Y.Scale, d.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	for _, s := range p.series {
		if len(s.points) == 0 {
			continue
		}
		c := colors[s.color%len(colors)]
		var xys, band plotter.XYs
		for i, q := range s.points {
			xys = append(xys, plotter.XY{X: q.x, Y: q.y})
			if s.low != nil {
				band = append(band, plotter.XY{X: q.x, Y: s.low[i]})
			}
		}
		if s.low != nil {
			for i := len(s.points) - 1; i >= 0; i-- {
				band = append(band, plotter.XY{X: s.points[i].x, Y: s.high[i]})
			}
			area, err := plotter.NewPolygon(band)
			if err != nil {
				return nil, err
			}
			area.Color, area.LineStyle.Width = color.NRGBA{c.R, c.G, c.B, 48}, 0
			d.Add(area)
		}
		line, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color = c, c
		line.Width, dots.Radius, dots.Shape = vg.Points(1.5), vg.Points(2), draw.CircleGlyph{}
		if s.dashed {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		d.Add(line, dots)
		if p.legend {
			d.Legend.Add(s.name, line)
		}
	}
	d.Legend.Padding = vg.Points(2)
	if p.logY && p.legend {
		d.Legend.Top = true
		d.Y.Max *= 6 // room for it
	}
	if p.rangeX[1] > 0 {
		d.X.Min, d.X.Max = p.rangeX[0], p.rangeX[1]
	}
	return d, nil
}

// logTicks are at 1, 2 and 5 times the powers of ten, or, where that would be many, at the powers alone.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	steps := []float64{1, 2, 5}
	if high/low > 3000 {
		steps = steps[:1]
	}
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for _, s := range steps {
			if v := s * power; v >= low*0.999 && v <= high*1.001 {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
			}
		}
	}
	return ticks
}

// drawPanels writes an SVG file with so many panels in a line.
func drawPanels(name string, columns int, panels []panel) error {
	lines := (len(panels) + columns - 1) / columns
	grid := make([][]*plot.Plot, lines)
	for i, p := range panels {
		d, err := p.plot()
		if err != nil {
			return err
		}
		grid[i/columns] = append(grid[i/columns], d)
	}
	width := vg.Length(columns) * 13 * vg.Centimeter
	height := vg.Length(lines) * 9 * vg.Centimeter
	c := vgsvg.New(width, height)
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadX: vg.Centimeter / 2, PadY: vg.Centimeter / 2, PadTop: vg.Points(4), PadRight: vg.Points(12)}
	whole := draw.New(c)
	low, high := whole.Min, whole.Max
	whole.FillPolygon(color.White, []vg.Point{low, {X: high.X, Y: low.Y}, high, {X: low.X, Y: high.Y}})
	for i, line := range plot.Align(grid, tiles, whole) {
		for j, where := range line {
			if j < len(grid[i]) {
				grid[i][j].Draw(where)
			}
		}
	}
	return writeFile(name, c)
}

// drawConfusion writes a picture of counts: lines are the true classes, columns what they were taken for.
func drawConfusion(name string, names []string, counts [][]int) error {
	n := len(counts)
	d := plot.New()
	d.BackgroundColor = color.White
	d.X.Label.Text, d.Y.Label.Text = "predicted", "true"
	ticks := make(plot.ConstantTicks, n)
	down := make(plot.ConstantTicks, n)
	var labels plotter.XYLabels
	var light []bool
	for i, line := range counts {
		total := 0
		for _, v := range line {
			total += v
		}
		ticks[i] = plot.Tick{Value: float64(i), Label: names[i]}
		down[i] = plot.Tick{Value: float64(n - 1 - i), Label: names[i]}
		for j, v := range line {
			share := float64(v) / float64(max(total, 1))
			x, y := float64(j), float64(n-1-i)
			cell, err := plotter.NewPolygon(plotter.XYs{{X: x - 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y - 0.5}, {X: x + 0.5, Y: y + 0.5}, {X: x - 0.5, Y: y + 0.5}})
			if err != nil {
				return err
			}
			c := colors[0]
			if i != j {
				c = colors[1]
				share = min(1, 4*share) // else no mistake would be seen
			}
			fade := func(v uint8) uint8 { return uint8(255 - share*float64(255-int(v))) }
			cell.Color = color.NRGBA{fade(c.R), fade(c.G), fade(c.B), 255}
			cell.LineStyle.Color, cell.LineStyle.Width = color.Gray{200}, vg.Points(0.25)
			d.Add(cell)
			labels.XYs = append(labels.XYs, plotter.XY{X: x, Y: y})
			labels.Labels = append(labels.Labels, fmt.Sprint(v))
			light = append(light, share > 0.6)
		}
	}
	numbers, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range numbers.TextStyle {
		s := &numbers.TextStyle[i]
		s.XAlign, s.YAlign = text.XCenter, text.YCenter
		s.Font.Size = vg.Points(9)
		if light[i] {
			s.Color = color.White
		}
	}
	d.Add(numbers)
	d.X.Tick.Marker, d.Y.Tick.Marker = ticks, down
	d.X.Tick.Label.Rotation, d.X.Tick.Label.XAlign, d.X.Tick.Label.YAlign = 0.6, text.XRight, text.YTop
	d.X.Padding, d.Y.Padding = 0, 0
	c := vgsvg.New(15*vg.Centimeter, 14*vg.Centimeter)
	d.Draw(draw.New(c))
	return writeFile(name, c)
}

func writeFile(name string, from io.WriterTo) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if _, err := from.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
