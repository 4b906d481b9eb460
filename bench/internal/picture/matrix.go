package picture

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A Matrix has squares with a text and a shade from 0 to 1. Those without a text are left out. Down
// lists the classes of the rows, from the top.
type Matrix struct {
	Title, X, Y  string
	Across, Down []string
	Of           func(row, column int) (text string, shade float64)
}

// Alone draws the matrix as a file of its own.
func (m *Matrix) Alone() string {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = m.Title
	p.Title.TextStyle, p.Title.Padding = textStyle(13), 6
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	rows, columns := len(m.Down), len(m.Across)
	var cells plotter.XYLabels
	for k := range rows * columns {
		i, j := k/columns, k%columns
		label, shade := m.Of(i, j)
		if label == "" {
			continue
		}
		x, y := float64(j), float64(rows-1-i)
		edge := plotter.DefaultGridLineStyle
		edge.Color = grid.color
		p.Add(&plotter.Polygon{XYs: []plotter.XYs{{{X: x - .5, Y: y - .5}, {X: x + .5, Y: y - .5},
			{X: x + .5, Y: y + .5}, {X: x - .5, Y: y + .5}}}, LineStyle: edge,
			Color: color.RGBA{4, uint8(255 * shade), 0, 255}})
		cells.XYs = append(cells.XYs, plotter.XY{X: x, Y: y})
		cells.Labels = append(cells.Labels, label)
	}
	labels, err := plotter.NewLabels(cells)
	if err != nil {
		panic(err) // each place has a text
	}
	for i := range labels.TextStyle {
		labels.TextStyle[i] = textStyle(11.5)
		labels.TextStyle[i].Color = ink.color
		labels.TextStyle[i].XAlign, labels.TextStyle[i].YAlign = draw.XCenter, draw.YCenter
	}
	p.Add(labels)
	for i, a := range []*plot.Axis{&p.X, &p.Y} {
		names := [][]string{m.Across, m.Down}[i]
		of := Axis{Label: []string{m.X, m.Y}[i]}
		for k, name := range names {
			at := float64(k)
			if a == &p.Y {
				at = float64(rows - 1 - k)
			}
			of.Marks = append(of.Marks, plot.Tick{Value: at, Label: name})
		}
		a.Label.Text, a.Padding = of.Label, 2
		of.dress(a)
		a.LineStyle.Width, a.Tick.Length = 0, 0
	}
	p.Y.Tick.Label.YAlign = draw.YCenter
	return alone(paint(aloneWidth, 360, func(c draw.Canvas) { p.Draw(draw.Crop(c, 6, -10, 6, -6)) }))
}
