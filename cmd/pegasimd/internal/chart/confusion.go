package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// MaxClasses is how many classes a picture of a confusion matrix can have.
const MaxClasses = 200

// Above so many classes cells have no numbers, and above so few only a count.
const (
	maxCounts = 40
	maxShares = 12
)

// shade is the colour of a share, from nearly white to dark blue.
var shade = func() func(share float64) color.Color {
	// the ends and the middle of ColorBrewer's Blues
	blues, err := moreland.NewLuminance([]color.Color{
		color.NRGBA{0x08, 0x30, 0x6b, 0xff}, color.NRGBA{0x42, 0x92, 0xc6, 0xff},
		color.NRGBA{0xf7, 0xfb, 0xff, 0xff},
	})
	if err != nil {
		panic(err) // they are in order of luminance
	}
	blues.SetMin(0)
	blues.SetMax(1)
	return func(share float64) color.Color {
		c, err := blues.At(1 - share)
		if err != nil { // NaN
			return lightGrey
		}
		return c
	}
}()

// Confusion draws a confusion matrix, a row for each true class, a column for each predicted one,
// in the order of the names. A cell has its count, and with few classes the share of the row, which
// is its colour too; cells of 0 have none. The picture grows with the classes, up to [MaxClasses],
// so that its text is readable.
func Confusion(title string, names []string, counts [][]int, format string) (*Picture, error) {
	if n := len(names); n > MaxClasses {
		return nil, fmt.Errorf("a picture of %d classes would not be readable: %d are possible", n,
			MaxClasses)
	}
	m := newConfusion(title, names, counts)
	c, p, err := newPicture(m.width, m.height, format)
	if err != nil {
		return nil, err
	}
	m.drawTitles(c)
	m.drawLabels(c)
	m.drawCells(c)
	m.drawScale(c)
	return p, nil
}

// Lengths in the picture of a matrix.
const (
	margin  = 12
	barGap  = 14 // between the cells and the scale of colours
	bar     = 12 // the scale's width
	textGap = 6  // between the cells and the labels
)

// A confusionMatrix is a confusion matrix, with the places of its parts.
type confusionMatrix struct {
	title  string
	labels []string // of the classes, cut where they are long
	counts [][]int

	titles, axis, label, number, small text.Style

	cell         vg.Length // side of a cell
	side         vg.Length // of all cells
	left, bottom vg.Length // corner of the cells
	across       bool      // column labels are not turned
	width        vg.Length // of the picture
	height       vg.Length
}

// newConfusion finds the places.
func newConfusion(title string, names []string, counts [][]int) *confusionMatrix {
	m := &confusionMatrix{
		title: title, counts: counts,
		titles: style(11), axis: style(10), label: style(9), number: style(8.5), small: style(7),
	}
	var widest vg.Length
	for _, name := range names {
		short := shorten(name, 24)
		m.labels = append(m.labels, short)
		widest = max(widest, textWidth(m.label, short))
	}
	m.cell = m.cellSide()
	m.across = widest <= m.cell-4
	below := m.label.Height("0") + textGap
	if !m.across {
		below = widest + textGap
	}
	axis := m.axis.Height("X")
	m.side = m.cell * vg.Length(len(names))
	m.left = margin + axis + textGap + widest + textGap
	m.bottom = margin + axis + textGap + below
	scale := bar + textWidth(m.label, "100 %") + 5
	m.width = m.left + m.side + barGap + scale + axis + 4 + margin
	m.width = max(m.width, textWidth(m.titles, title)+2*margin)
	m.height = m.bottom + m.side + 10 + m.titles.Height("X") + margin
	return m
}

// cellSide returns the side of a cell, in which its numbers have space.
func (m *confusionMatrix) cellSide() vg.Length {
	n := len(m.labels)
	if n > maxCounts {
		return 12
	}
	cell := max(20, 160/vg.Length(n))
	for _, row := range m.counts {
		cell = max(cell, textWidth(m.number, fmt.Sprint(slices.Max(row)))+6)
	}
	if n <= maxShares {
		cell = max(cell, 34)
	}
	return cell
}

// drawTitles writes the title and what the axes are.
func (m *confusionMatrix) drawTitles(c draw.Canvas) {
	write(c, m.titles, m.width/2, m.height-margin-m.titles.Height("X")/2, m.title)
	upright, half := m.axis, m.axis.Height("X")/2
	upright.Rotation = math.Pi / 2
	write(c, upright, margin+half, m.bottom+m.side/2, "true class")
	write(c, upright, m.width-margin-half, m.bottom+m.side/2, "share of the true class")
	write(c, m.axis, m.left+m.side/2, margin+half, "predicted class")
}

// drawLabels writes the names of rows and columns.
func (m *confusionMatrix) drawLabels(c draw.Canvas) {
	row, column := m.label, m.label
	row.XAlign = text.XRight
	if !m.across {
		column.Rotation, column.XAlign = math.Pi/2, text.XRight
	}
	for i, name := range m.labels {
		center := m.cell * (vg.Length(i) + 0.5)
		write(c, row, m.left-textGap, m.bottom+m.side-center, name)
		y := m.bottom - textGap
		if m.across {
			y -= m.label.Height("0") / 2
		}
		write(c, column, m.left+center, y, name)
	}
}

// drawCells draws the cells and the lines between them.
func (m *confusionMatrix) drawCells(c draw.Canvas) {
	for i, row := range m.counts {
		rows := 0
		for _, k := range row {
			rows += k
		}
		for j, k := range row {
			share := float64(k) / float64(rows) // NaN of a class that the data do not have
			x, y := m.left+m.cell*vg.Length(j), m.bottom+m.side-m.cell*vg.Length(i+1)
			fill(c, rectangle(x, y, m.cell, m.cell), shade(share))
			if k > 0 && len(m.labels) <= maxCounts {
				m.writeCell(c, x+m.cell/2, y+m.cell/2, k, share)
			}
		}
	}
	line := draw.LineStyle{Color: lightGrey, Width: 0.5}
	for i := range len(m.labels) + 1 {
		at := m.cell * vg.Length(i)
		c.StrokeLine2(line, m.left+at, m.bottom, m.left+at, m.bottom+m.side)
		c.StrokeLine2(line, m.left, m.bottom+at, m.left+m.side, m.bottom+at)
	}
}

// writeCell writes a cell's count, and its share if there is space, around its centre.
func (m *confusionMatrix) writeCell(c draw.Canvas, x, y vg.Length, count int, share float64) {
	number, small := m.number, m.small
	if share > 0.45 {
		number.Color, small.Color = color.White, color.White
	}
	if len(m.labels) <= maxShares {
		write(c, small, x, y-7, percent(share))
		y += 4
	}
	write(c, number, x, y, fmt.Sprint(count))
}

// drawScale draws which colour is which share.
func (m *confusionMatrix) drawScale(c draw.Canvas) {
	x := m.left + m.side + barGap
	const shades = 100
	for i := range shades {
		from := m.side * vg.Length(i) / shades
		// Each over the last, so that no seam shows.
		fill(c, rectangle(x, m.bottom+from, bar, m.side-from), shade((float64(i)+0.5)/shades))
	}
	label := m.label
	label.XAlign = text.XLeft
	for i := range 6 {
		y := m.bottom + m.side*vg.Length(i)/5
		c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, x+bar, y, x+bar+3, y)
		write(c, label, x+bar+5, y, fmt.Sprintf("%d %%", 20*i))
	}
}

// percent writes a share above 0 so that little differs from none, and nearly all from all.
func percent(share float64) string {
	switch {
	case share < 0.0005:
		return "<0.1 %"
	case share < 0.0995, share >= 0.99 && share < 0.9995:
		return fmt.Sprintf("%.1f %%", 100*share)
	case share >= 0.9995 && share < 1:
		return ">99.9 %"
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}
