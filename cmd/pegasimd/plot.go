package main

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/internal/base/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// This file draws the pictures of -plot, with gonum.org/v1/plot.

// pictureFormat returns the format that a picture's name asks for: svg, png or pdf. Without a name
// it is empty.
func pictureFormat(name string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(plainName(name))); ext {
	case ".svg", ".png", ".pdf":
		return ext[1:], nil
	}
	if name == "" {
		return "", nil
	}
	return "", flags.Usagef("-plot: %q: a picture's name ends in .svg, .png or .pdf", name)
}

// newPlot returns an empty plot in the pictures' style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = 8, 4, 4
	for _, s := range []*draw.TextStyle{&p.Title.TextStyle, &p.Legend.TextStyle,
		&p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label} {
		s.Font = sans(9)
	}
	p.Title.TextStyle.Font = sans(11)
	return p
}

func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// writePicture has paint fill a canvas, and writes it.
func writePicture(
	w io.Writer, format string, width, height vg.Length, paint func(draw.Canvas),
) error {
	canvas, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return err
	}
	c := draw.New(canvas)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	paint(draw.Crop(c, 10, -10, 10, -10))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	picture := b.Bytes()
	switch format {
	case "png":
		const header = 33 // the signature and the first chunk
		picture = slices.Insert(picture, header, []byte(pngMark)...)
	case "svg":
		picture = bytes.Replace(picture, []byte("<svg"), []byte(svgMark+"\n<svg"), 1)
		picture = bytes.ReplaceAll(picture, []byte("font-family:Liberation Sans;"),
			[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
		picture = svgTexts.ReplaceAllFunc(picture, withWidth)
	}
	_, err = w.Write(picture)
	return err
}

var svgTexts = regexp.MustCompile(`(<text [^>]*font-size:([0-9.]+)px[^"]*")>([^<]+)</text>`)

// withWidth tells a text of an SVG the width by which it was placed: its reader may have no font of
// the same widths.
func withWidth(text []byte) []byte {
	m := svgTexts.FindSubmatch(text)
	size, err := strconv.ParseFloat(string(m[2]), 64)
	if err != nil {
		return text
	}
	style := draw.TextStyle{Font: sans(vg.Length(size)), Handler: plot.DefaultTextHandler}
	return fmt.Appendf(nil, `%s textLength="%.4g" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1],
		float64(style.Width(html.UnescapeString(string(m[3])))), m[3])
}

// A picture of a confusion matrix has at most mostClasses classes. The cells of one with at most
// mostCounts have their counts, and with at most mostShares their shares too.
const (
	mostClasses = 200
	mostCounts  = 40
	mostShares  = 12
)

// A shareGrid is a confusion matrix as a grid of shares of the true class, which is the row. The
// first row is at the top. Shares of a class without rows are NaN.
type shareGrid [][]float64

func (g shareGrid) Dims() (c, r int)   { return len(g), len(g) }
func (g shareGrid) X(c int) float64    { return float64(c) }
func (g shareGrid) Y(r int) float64    { return float64(r) }
func (g shareGrid) Z(c, r int) float64 { return g[len(g)-1-r][c] }
func (g shareGrid) Min() float64       { return 0 }
func (g shareGrid) Max() float64       { return 1 }

// sharesOf divides each row of counts by its sum.
func sharesOf(counts [][]float64) shareGrid {
	shares := make(shareGrid, len(counts))
	for i, row := range counts {
		sum := 0.0
		for _, n := range row {
			sum += n
		}
		for _, n := range row {
			shares[i] = append(shares[i], n/sum)
		}
	}
	return shares
}

// writeConfusion draws a confusion matrix. Darker cells are larger shares of the true class.
func writeConfusion(w io.Writer, format, title string, names []string, counts [][]float64) error {
	n := len(names)
	if n > mostClasses {
		return flags.Usagef("-plot: a picture of %d classes would not be readable: %d are possible", n,
			mostClasses)
	}
	p := newPlot(title+"\nshade: share of the true class", "predicted class", "true class")
	blues, err := moreland.NewLuminance([]color.Color{color.NRGBA{0x08, 0x30, 0x6b, 0xff},
		color.NRGBA{0x42, 0x92, 0xc6, 0xff}, color.NRGBA{0xf7, 0xfb, 0xff, 0xff}})
	if err != nil {
		return err
	}
	blues.SetMax(1)
	shares := sharesOf(counts)
	heat := plotter.NewHeatMap(shares, palette.Reverse(blues).Palette(50))
	heat.Rasterized, heat.NaN = false, color.Gray{Y: 0xe0}
	p.Add(heat)
	var short []string
	var widest vg.Length
	for _, name := range names {
		short = append(short, shorten(name, 24))
		widest = max(widest, textWidth(p.X.Tick.Label, short[len(short)-1]))
	}
	cell := cellSide(counts)
	p.NominalX(short...)
	slices.Reverse(short)
	p.NominalY(short...)
	p.X.Padding, p.Y.Padding = 4, 4
	p.Y.Tick.Label.YAlign = draw.YCenter
	if widest > cell-4 {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign = math.Pi/2, draw.XRight
		p.X.Tick.Label.YAlign = draw.YCenter
	}
	if n <= mostCounts {
		p.Add(cellLabels(counts, shares))
	}
	width := max(cell*vg.Length(n)+widest+60, textWidth(p.Title.TextStyle, title)+20)
	return writePicture(w, format, width, cell*vg.Length(n)+widest+100, p.Draw)
}

// cellSide returns the side of a cell that has space for its labels.
func cellSide(counts [][]float64) vg.Length {
	n := len(counts)
	if n > mostCounts {
		return 12
	}
	style := draw.TextStyle{Font: sans(8), Handler: plot.DefaultTextHandler}
	cell := max(20, 160/vg.Length(n))
	for _, row := range counts {
		for _, n := range row {
			cell = max(cell, textWidth(style, amount(n))+6)
		}
	}
	if n <= mostShares {
		cell = max(cell, 36)
	}
	return cell
}

// cellLabels writes each count above 0 in its cell, and the share below it if there is space.
func cellLabels(counts [][]float64, shares shareGrid) plot.Plotter {
	var of plotter.Labels
	for i, row := range counts {
		for j, count := range row {
			if count == 0 {
				continue
			}
			label, ink := amount(count), color.Color(color.Black)
			if len(counts) <= mostShares {
				label += fmt.Sprintf("\n%.1f %%", 100*shares[i][j])
			}
			if shares[i][j] > 0.5 {
				ink = color.White
			}
			of.XYs = append(of.XYs, plotter.XY{X: float64(j), Y: float64(len(counts) - 1 - i)})
			of.Labels = append(of.Labels, label)
			of.TextStyle = append(of.TextStyle, draw.TextStyle{Color: ink, Font: sans(8),
				XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler})
		}
	}
	return &of
}

// textWidth returns the width that a text needs, with a little space.
func textWidth(s draw.TextStyle, txt string) vg.Length { return 1.15 * s.Width(txt) }

// shorten cuts names of more than n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// A panel is one of several charts above each other, which share the axis of steps.
type panel struct {
	label string
	log   bool // the values' axis is logarithmic, and values of 0 and less are left out
	lines []panelLine
}

// A panelLine has a value for each place along the axis; NaN and infinite ones are left out.
type panelLine struct {
	name   string
	values []float64
}

// points returns the line's points that can be drawn.
func (p *panel) points(at []float64, l panelLine) (xys plotter.XYs) {
	for i, y := range l.values {
		if floats.IsFinite(y) && !(p.log && y <= 0) && at[i] > 0 {
			xys = append(xys, plotter.XY{X: at[i], Y: y})
		}
	}
	return xys
}

// lineColors are Okabe and Ito's blue and vermilion, which colour-blind readers can tell apart.
var lineColors = []color.Color{color.NRGBA{0x00, 0x72, 0xb2, 0xff},
	color.NRGBA{0xd5, 0x5e, 0x00, 0xff}}

var lineGlyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.PyramidGlyph{}}

// plot draws the panel, or returns nil if no line has a point.
func (p *panel) plot(axis string, at []float64) *plot.Plot {
	pl, any := newPlot("", axis, p.label), false
	pl.Legend.Top, pl.Legend.Left, pl.Legend.Padding = true, true, 3
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{Y: 0xe0}, color.Gray{Y: 0xe0}
	pl.Add(grid)
	for i, l := range p.lines {
		xys := p.points(at, l)
		line, marks, err := plotter.NewLinePoints(xys)
		if err != nil || len(xys) == 0 {
			continue
		}
		any = true
		line.Color, marks.Color, marks.Shape = lineColors[i], lineColors[i], lineGlyphs[i]
		marks.Radius = 2
		pl.Add(line, marks)
		if len(p.lines) > 1 {
			pl.Legend.Add(l.name, line, marks)
		}
	}
	if !any {
		return nil
	}
	setLog(&pl.X)
	if p.log {
		setLog(&pl.Y)
	}
	return pl
}

// writePanels draws panels of lines over places such as steps, which ascend, on a logarithmic axis.
func writePanels(w io.Writer, format, title, axis string, at []float64, panels []panel) error {
	var plots [][]*plot.Plot
	for _, p := range panels {
		if pl := p.plot(axis, at); pl != nil {
			plots = append(plots, []*plot.Plot{pl})
		}
	}
	if len(plots) == 0 {
		return fmt.Errorf("there is nothing to draw: no value was measured")
	}
	const width, height, names = 480, 160, 140
	paint := func(c draw.Canvas) {
		head := plots[0][0].Title.TextStyle
		c.FillText(head, vg.Point{X: c.Center().X, Y: c.Max.Y}, shorten(title, 90))
		tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadTop: 20, PadY: 10}
		for i, row := range plot.Align(plots, tiles, draw.Crop(c, 0, -names, 0, 0)) {
			pl := plots[i][0]
			legend := pl.Legend
			pl.Legend = plot.NewLegend() // is drawn beside the plot, where no line runs
			pl.Draw(row[0])
			beside := pl.DataCanvas(row[0])
			beside.Min.X, beside.Max.X = beside.Max.X+8, c.Max.X
			legend.Draw(beside)
		}
	}
	return writePicture(w, format, width+names, height*vg.Length(len(plots))+50, paint)
}

// setLog makes an axis logarithmic, with some space on either side.
func setLog(a *plot.Axis) {
	a.Scale, a.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	f := max(math.Pow(a.Max/a.Min, 0.03), 1.05)
	a.Min, a.Max = a.Min/f, a.Max*f
}

// logTicks marks 1 to 9 times each power of ten. It labels the powers, and where there are few of
// them 2 and 5 times each as well.
func logTicks(low, high float64) (ticks []plot.Tick) {
	decades := math.Log10(high / low)
	every := max(1, int(math.Ceil(decades/8)))
	for e := int(math.Floor(math.Log10(low))); math.Pow10(e) <= high; e++ {
		for digit := range 9 {
			tick := plot.Tick{Value: float64(digit+1) * math.Pow10(e)}
			if digit == 0 && e%every == 0 || decades < 2 && (digit == 1 || digit == 4) ||
				decades < 0.6 {
				tick.Label = strconv.FormatFloat(tick.Value, 'g', 6, 64)
			}
			if tick.Value >= low && tick.Value <= high {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}
