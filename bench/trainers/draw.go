package main

import (
	"bytes"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func init() { plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"} }

// A series is a line with dots, and a band around it if it has limits.
type series struct {
	name      string
	color     int
	dashed    bool
	points    plotter.XYs
	low, high []float64
}

// A panel is a diagram with axes of its own, of which x is logarithmic.
type panel struct {
	title, x, y string
	logY        bool
	series      []series
}

// colors are those of Okabe and Ito, which the colour-blind can tell apart as well.
var colors = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255},
	{204, 121, 167, 255}}

func (p panel) plot() (*plot.Plot, error) {
	d := plot.New()
	d.BackgroundColor = color.White
	d.Title.Text, d.X.Label.Text, d.Y.Label.Text = p.title, p.x, p.y
	d.Title.Padding, d.Title.TextStyle.Font.Size = vg.Points(4), vg.Points(11)
	d.X.Tick.Marker, d.Y.Tick.Marker = logTicks{}, margined{plot.DefaultTicks{}}
	height := func(y float64) float64 { return y }
	if p.logY {
		d.Y.Tick.Marker, height = margined{logTicks{}}, math.Log10
	}
	d.Add(plotter.NewGrid())
	d.Legend.Padding = vg.Points(2)
	for _, s := range p.series {
		c := colors[s.color%len(colors)]
		var points, band plotter.XYs
		for i, q := range s.points {
			points = append(points, plotter.XY{X: math.Log10(q.X), Y: height(q.Y)})
			if s.low != nil {
				band = append(band, plotter.XY{X: points[i].X, Y: height(s.low[i])})
			}
		}
		if s.low != nil {
			for i := len(points) - 1; i >= 0; i-- {
				band = append(band, plotter.XY{X: points[i].X, Y: height(s.high[i])})
			}
			area, err := plotter.NewPolygon(band)
			if err != nil {
				return nil, err
			}
			area.Color, area.LineStyle.Width = color.NRGBA{c.R, c.G, c.B, 48}, 0
			d.Add(area)
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color = c, c
		line.Width, dots.Radius, dots.Shape = vg.Points(1.5), vg.Points(2), draw.CircleGlyph{}
		if s.dashed {
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		d.Add(line, dots)
		d.Legend.Add(s.name, line, dots)
	}
	return d, nil
}

// logTicks are those of decimal logarithms: at 1, 2 and 5 times the powers of ten, or, where that
// would be many, at the powers alone.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) (ticks []plot.Tick) {
	steps := []float64{1, 2, 5}
	if high-low > 2.5 {
		steps = steps[:1]
	}
	for power := math.Floor(low); power <= high; power++ {
		for _, s := range steps {
			if v := power + math.Log10(s); v >= low-1e-3 && v <= high+1e-3 {
				label := strconv.FormatFloat(s*math.Pow(10, power), 'g', 6, 64)
				ticks = append(ticks, plot.Tick{Value: v, Label: label})
			}
		}
	}
	return ticks
}

// margined leaves more room beside labels: who reads an SVG may have no font of the same widths.
type margined struct{ plot.Ticker }

func (m margined) Ticks(low, high float64) []plot.Tick {
	ticks := m.Ticker.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label += "    "
		}
	}
	return ticks
}

// drawPanels writes an SVG file with two panels in a line, and their legends below them.
func drawPanels(dir, name string, panels []panel) error {
	lines, columns := (len(panels)+1)/2, min(2, len(panels))
	c := vgsvg.New(vg.Length(columns)*13.5*vg.Centimeter, vg.Length(lines)*11*vg.Centimeter)
	whole := draw.New(c)
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadX: vg.Centimeter / 2,
		PadY: vg.Centimeter / 2, PadTop: vg.Points(6), PadBottom: vg.Points(4),
		PadLeft: vg.Points(4), PadRight: vg.Points(14)}
	whole.FillPolygon(color.White, []vg.Point{whole.Min, {X: whole.Max.X, Y: whole.Min.Y},
		whole.Max, {X: whole.Min.X, Y: whole.Max.Y}})
	for i, p := range panels {
		d, err := p.plot()
		if err != nil {
			return err
		}
		where := tiles.At(whole, i%2, i/2)
		legend := d.Legend
		d.Legend = plot.NewLegend()
		height := vg.Length(len(p.series))*vg.Points(16) + vg.Points(4)
		d.Draw(draw.Crop(where, 0, 0, height, 0))
		legend.Left, legend.Top, legend.XOffs = true, true, vg.Points(40)
		legend.Draw(draw.Crop(where, 0, 0, 0, height-(where.Max.Y-where.Min.Y)))
	}
	return save(dir, name, c)
}

// A cell of a matrix has a text, and a shade from 0 to 1 of one of the colours.
type cell struct {
	text  string
	color int
	shade float64
}

// drawMatrix writes a picture of cells; cells without text are left out.
func drawMatrix(dir, name, title, x, y string, classes []string, cells [][]cell) error {
	n := len(cells)
	d := plot.New()
	d.BackgroundColor = color.White
	d.Title.Text, d.X.Label.Text, d.Y.Label.Text = title, x, y
	d.Title.Padding, d.Title.TextStyle.Font.Size = vg.Points(4), vg.Points(11)
	across, down := make(plot.ConstantTicks, n), make(plot.ConstantTicks, n)
	for i, line := range cells {
		across[i] = plot.Tick{Value: float64(i), Label: classes[i]}
		down[i] = plot.Tick{Value: float64(n - 1 - i), Label: classes[i]}
		for j, of := range line {
			if of.text == "" {
				continue
			}
			x, y, c := float64(j), float64(n-1-i), colors[of.color]
			square, err := plotter.NewPolygon(plotter.XYs{{X: x - .5, Y: y - .5},
				{X: x + .5, Y: y - .5}, {X: x + .5, Y: y + .5}, {X: x - .5, Y: y + .5}})
			if err != nil {
				return err
			}
			fade := func(v uint8) uint8 { return uint8(255 - of.shade*float64(255-int(v))) }
			square.Color = color.NRGBA{fade(c.R), fade(c.G), fade(c.B), 255}
			square.LineStyle.Color, square.LineStyle.Width = color.Gray{200}, vg.Points(.25)
			label, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{{X: x, Y: y}},
				Labels: []string{of.text}})
			if err != nil {
				return err
			}
			style := &label.TextStyle[0]
			style.XAlign, style.YAlign, style.Font.Size = text.XCenter, text.YCenter, vg.Points(9)
			if of.shade > .6 {
				style.Color = color.White
			}
			d.Add(square, label)
		}
	}
	d.X.Tick.Marker, d.Y.Tick.Marker, d.X.Padding, d.Y.Padding = across, margined{down}, 0, 0
	d.X.Min, d.X.Max, d.Y.Min, d.Y.Max = -.5, float64(n)-.5, -.5, float64(n)-.5
	d.X.Tick.Label.Rotation = .6
	d.X.Tick.Label.XAlign, d.X.Tick.Label.YAlign = text.XRight, text.YTop
	c := vgsvg.New(16*vg.Centimeter, 15*vg.Centimeter)
	d.Draw(draw.Crop(draw.New(c), vg.Points(4), -vg.Points(8), vg.Points(4), -vg.Points(6)))
	return save(dir, name, c)
}

// save writes the canvas. Who does not have the font has one of the same widths, by which the text
// was placed.
func save(dir, name string, c *vgsvg.Canvas) error {
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	return os.WriteFile(filepath.Join(dir, name), svg, 0o666)
}
