// Package picture draws lines and matrices as SVG that follows its reader's choice of light or
// dark.
package picture

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size of a figure, in units that are about pixels where the page is wide; one that is a file of
// its own is larger.
const width, height, aloneWidth, aloneHeight = 380, 250, 560, 300

// A Style is how lines are drawn. gonum/plot writes colours into a picture; there they are replaced
// by the style sheet's variables of these names, so that a picture follows its reader's choice of
// light or dark.
type Style struct {
	Variable string
	color    color.RGBA
	dashes   []vg.Length
}

// Sheet has the variables for light and dark.
//
//go:embed colours.css
var Sheet string

var (
	text = Style{Variable: "quiet", color: color.RGBA{1, 2, 3, 255}}
	ink  = Style{Variable: "text", color: color.RGBA{1, 2, 7, 255}}
	grid = Style{Variable: "rule", color: color.RGBA{1, 2, 4, 255}}
	band = Style{Variable: "band", color: color.RGBA{1, 2, 5, 255}}
	// Limit is the style of the machine's limit, Lines are the styles of all other lines.
	Limit = Style{"limit", color.RGBA{1, 2, 6, 255}, []vg.Length{4, 4}}
	Lines = []Style{
		{"s1", color.RGBA{1, 3, 1, 255}, nil},
		{"s2", color.RGBA{1, 3, 2, 255}, []vg.Length{7, 2}},
		{"s3", color.RGBA{1, 3, 3, 255}, []vg.Length{10, 2, 2, 2}},
		{"s4", color.RGBA{1, 3, 4, 255}, []vg.Length{2, 2}},
		{"s5", color.RGBA{1, 3, 5, 255}, []vg.Length{12, 3}},
		{"s6", color.RGBA{1, 3, 6, 255}, []vg.Length{5, 2, 1, 2}},
	}
)

// A Series is a line. Points that an axis can't show are left out.
type Series struct {
	Style
	Name string
	XYs  plotter.XYs
}

func (s *Series) Add(x, y float64) { s.XYs = append(s.XYs, plotter.XY{X: x, Y: y}) }

// A Figure is a plot and what the page says about it.
type Figure struct {
	ID, Title, Note string
	X, Y            Axis
	Lines           []Series
	Bands           []Level
}

type Axis struct {
	Label  string
	Log    bool
	Format func(float64) string
	Marks  []plot.Tick // in place of numbers
}

// Ticks names the ticks of numbers: of a logarithmic axis the powers of ten, and where it is short
// twice and five times them.
func (a Axis) Ticks(low, high float64) (shown []plot.Tick) {
	if a.Marks != nil {
		return a.Marks
	}
	if !a.Log {
		for _, t := range (plot.DefaultTicks{}).Ticks(low, high) {
			if !t.IsMinor() {
				shown = append(shown, plot.Tick{Value: t.Value, Label: a.Format(t.Value)})
			}
		}
		return shown
	}
	decades := high - low
	low, high = math.Pow(10, low), math.Pow(10, high)
	every := int(decades/6) + 1
	for e := int(math.Floor(math.Log10(low))); math.Pow10(e) <= high; e++ {
		for _, f := range []float64{1, 2, 5} {
			v := f * math.Pow10(e)
			if v >= low && v <= high && (f == 1 && e%every == 0 || decades < 2) {
				shown = append(shown, plot.Tick{Value: a.place(v), Label: a.Format(v)})
			}
		}
	}
	return shown
}

// place is where a number is. A logarithmic axis is one of logarithms: on a plot.LogScale the label
// beside the axis takes space above the plot.
func (a Axis) place(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

func (a Axis) shows(v float64) bool { return v-v == 0 && (!a.Log || v > 0) }

// A Level of the caches is a range of x.
type Level struct {
	Name     string
	From, To float64
}

// Plot draws the bands over a figure's whole height, every other one shaded.
func (f *Figure) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for i, b := range f.Bands {
		from, to := max(x(f.X.place(b.From)), c.Min.X), min(x(f.X.place(b.To)), c.Max.X)
		if i%2 == 1 {
			c.SetColor(band.color)
			c.Fill(vg.Rectangle{Min: vg.Point{X: from, Y: c.Min.Y},
				Max: vg.Point{X: to, Y: c.Max.Y}}.Path())
		}
		s := textStyle(10.5)
		s.XAlign, s.YAlign = draw.XCenter, draw.YBottom
		c.FillText(s, vg.Point{X: (from + to) / 2, Y: c.Min.Y + 3}, b.Name)
	}
}

func textStyle(size vg.Length) draw.TextStyle {
	return draw.TextStyle{Color: text.color, Handler: plot.DefaultTextHandler,
		Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)}
}

// plot returns the figure as a plot, or nil if it has no points.
func (f *Figure) plot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X.Label, f.Y.Label
	p.Title.TextStyle, p.Title.Padding = textStyle(13), 4
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	rules := plotter.NewGrid()
	rules.Vertical.Color, rules.Horizontal.Color = grid.color, grid.color
	p.Add(f, rules)
	empty := true
	for _, s := range f.Lines {
		var xys plotter.XYs
		for _, p := range s.XYs {
			if f.X.shows(p.X) && f.Y.shows(p.Y) {
				xys = append(xys, plotter.XY{X: f.X.place(p.X), Y: f.Y.place(p.Y)})
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
	f.X.dress(&p.X)
	f.Y.dress(&p.Y)
	return p
}

func (a Axis) dress(p *plot.Axis) {
	label, tick := p.Label.TextStyle, p.Tick.Label
	p.Label.TextStyle, p.Tick.Label = textStyle(11.5), textStyle(11.5)
	p.Label.TextStyle.XAlign, p.Label.TextStyle.YAlign = label.XAlign, label.YAlign
	p.Label.TextStyle.Rotation = label.Rotation
	p.Tick.Label.XAlign, p.Tick.Label.YAlign = tick.XAlign, tick.YAlign
	p.Label.Padding, p.Tick.Length = 4, 4
	p.Color, p.Tick.Color, p.Tick.Marker = text.color, text.color, a
	low, high := p.Min, p.Max
	if a.Log {
		by := max((high-low)*.04, math.Log10(1.05))
		p.Min, p.Max = low-by, high+by
	} else if a.Marks == nil {
		by := max((high-low)*.05, math.Abs(high)*1e-3, 1e-9)
		p.Min, p.Max = low-by, high+by
	}
}

// SVG draws the figure for a page that has the style sheet's variables.
func (f *Figure) SVG() template.HTML { return template.HTML(side(nil, f)) }

// Alone draws figures beside one another, with a legend if there is one, as a file of its own.
func Alone(legend []Series, figures ...*Figure) string { return alone(side(legend, figures...)) }

// alone gives a picture the style sheet, and a page behind it.
func alone(svg string) string {
	return strings.Replace(svg, ">", ">\n<style>"+Sheet+"</style>\n"+
		`<rect width="100%" height="100%" fill="var(--page)"/>`, 1)
}

func side(legend []Series, figures ...*Figure) string {
	const left, row, stroke = 46, 20, 28
	each, high := vg.Length(width), vg.Length(height)
	if legend != nil && len(figures) == 1 {
		each, high = aloneWidth, aloneHeight
	}
	all := each * vg.Length(len(figures))
	places, at := make([]vg.Point, len(legend)), vg.Point{X: left, Y: -row}
	for i, s := range legend {
		wide := stroke + 6 + textStyle(11.5).Width(s.Name)
		if i > 0 && at.X+wide > all-4 {
			at = vg.Point{X: left, Y: at.Y - row}
		}
		places[i] = at
		at.X += wide + 22
	}
	below := vg.Length(0)
	if legend != nil {
		below = 4 - at.Y
	}
	return paint(all, high+below, func(c draw.Canvas) {
		for i, f := range figures {
			if p := f.plot(); p != nil {
				from, to := each*vg.Length(i)+4, each*vg.Length(len(figures)-1-i)+14
				p.Draw(draw.Crop(c, from, -to, below+4, -4))
			}
		}
		for i, s := range legend {
			x, y := places[i].X, below+places[i].Y+4
			c.StrokeLine2(draw.LineStyle{Color: s.color, Width: 2, Dashes: s.dashes},
				x, y+4, x+stroke, y+4)
			c.FillText(textStyle(11.5), vg.Point{X: x + stroke + 6, Y: y}, s.Name)
		}
	})
}

var (
	texts  = regexp.MustCompile(`(<text [^>]*font-size:([0-9.]+)px[^"]*")>([^<]+)</text>`)
	shades = regexp.MustCompile(`#04([0-9A-F]{2})00`)
)

// paint returns the drawing as SVG, with variables for colors. Each text has its width in the font
// that placed it, for readers that substitute another font.
func paint(width, height vg.Length, with func(draw.Canvas)) string {
	canvas := vgsvg.New(width, height)
	with(draw.New(canvas))
	var b bytes.Buffer
	canvas.WriteTo(&b) // which can't fail
	svg := b.String()[strings.Index(b.String(), "<svg"):]
	for _, s := range append([]Style{text, ink, grid, band, Limit}, Lines...) {
		svg = strings.ReplaceAll(svg, fmt.Sprintf("#%02X%02X%02X", s.color.R, s.color.G, s.color.B),
			"var(--"+s.Variable+")")
	}
	svg = shades.ReplaceAllStringFunc(svg, func(c string) string {
		part, _ := strconv.ParseUint(c[3:5], 16, 8) // as the pattern has it
		return fmt.Sprintf("var(--s1);fill-opacity:%.2f", float64(part)/255)
	})
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;",
		"font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	return texts.ReplaceAllStringFunc(svg, func(text string) string {
		m := texts.FindStringSubmatch(text)
		size, _ := strconv.ParseFloat(m[2], 64)
		wide := textStyle(vg.Length(size)).Width(html.UnescapeString(m[3]))
		return fmt.Sprintf(`%s textLength="%.4g" lengthAdjust="spacingAndGlyphs">%s</text>`,
			m[1], float64(wide), m[3])
	})
}

// Short writes a number with a letter for thousands.
func Short(v float64) string {
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

// Percent writes a share.
func Percent(v float64) string { return fmt.Sprintf("%.3g %%", 100*v) }
