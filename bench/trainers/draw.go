package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg/draw"
)

// newPlot has no visible ticks, but their room: who reads an SVG may have wider letters.
func newPlot(title, x, y string) *plot.Plot {
	d := plot.New()
	d.Title.Text, d.X.Label.Text, d.Y.Label.Text = "\n"+title, x, "\n"+y
	d.Title.Padding, d.Legend.Padding, d.Legend.Left = 4, 2, true
	d.X.Tick.LineStyle.Color, d.Y.Tick.LineStyle.Color = color.Transparent, color.Transparent
	d.X.Tick.Marker = plot.TickerFunc(decimal)
	return d
}

// at is a point of a plot whose x is logarithmic.
func at(x, y float64) plotter.XY { return plotter.XY{X: math.Log10(x), Y: y} }

// line adds a line with dots to a plot, unless there are none.
func line(d *plot.Plot, number int, name string, points plotter.XYs) error {
	if number == 0 {
		d.Add(plotter.NewGrid())
	}
	if points == nil {
		return nil
	}
	l, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	// Of Okabe and Ito, which the colour-blind can tell apart as well.
	c := []color.Color{color.NRGBA{0, 114, 178, 255}, color.NRGBA{213, 94, 0, 255},
		color.NRGBA{0, 158, 115, 255}, color.NRGBA{204, 121, 167, 255}}[number%4]
	l.Color, dots.Color, dots.Shape = c, c, draw.CircleGlyph{}
	d.Add(l, dots)
	d.Legend.Add(name, l, dots)
	return nil
}

// decimal has the ticks of logarithms: at 1, 2 and 5 times the powers of ten, or, where that would
// be many, at the powers alone.
func decimal(low, high float64) (ticks []plot.Tick) {
	for power := math.Floor(low); power <= high; power++ {
		for _, s := range []float64{1, 2, 5} {
			v := power + math.Log10(s)
			if v >= low-1e-3 && v <= high+1e-3 && (s == 1 || high-low < 2.5) {
				label := fmt.Sprintf("\u00a0\u00a0%.6g\u00a0\u00a0", s*math.Pow(10, power))
				ticks = append(ticks, plot.Tick{Value: v, Label: label})
			}
		}
	}
	return ticks
}

// matrix has squares with a text and a shade from 0 to .6. Those without a text are left out.
func matrix(title, x, y string, classes []string, of func(i, j int) (string, float64)) *plot.Plot {
	n := len(classes)
	d, across, down := newPlot(title, x, y), make(plot.ConstantTicks, n), make(plot.ConstantTicks, n)
	var labels plotter.XYLabels
	for k := range n * n {
		i, x, y := k/n, float64(k%n), float64(n-1-k/n)
		across[i] = plot.Tick{Value: float64(i), Label: classes[i]}
		down[i] = plot.Tick{Value: y, Label: classes[i]}
		label, shade := of(i, k%n)
		if label == "" {
			continue
		}
		d.Add(&plotter.Polygon{XYs: []plotter.XYs{{{X: x - .5, Y: y - .5}, {X: x + .5, Y: y - .5},
			{X: x + .5, Y: y + .5}, {X: x - .5, Y: y + .5}}}, LineStyle: plotter.DefaultGridLineStyle,
			Color: color.NRGBA{0, 114, 178, uint8(255 * shade)}})
		labels.XYs = append(labels.XYs, plotter.XY{X: x, Y: y})
		labels.Labels = append(labels.Labels, label)
	}
	numbers, err := plotter.NewLabels(labels)
	if err != nil {
		panic(err) // it has as many texts as places
	}
	for i := range numbers.TextStyle {
		numbers.TextStyle[i].XAlign, numbers.TextStyle[i].YAlign = text.XCenter, text.YCenter
	}
	d.Add(numbers)
	d.X.Tick.Marker, d.Y.Tick.Marker, d.X.Padding, d.Y.Padding = across, down, 0, 0
	style := &d.X.Tick.Label
	style.Rotation, style.XAlign, style.YAlign = .6, text.XRight, text.YTop
	return d
}
