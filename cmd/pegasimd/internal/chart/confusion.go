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
	blues, err := moreland.NewLuminance([]color.Color{ // the ends and the middle of ColorBrewer's Blues
		color.NRGBA{0x08, 0x30, 0x6b, 0xff}, color.NRGBA{0x42, 0x92, 0xc6, 0xff}, color.NRGBA{0xf7, 0xfb, 0xff, 0xff},
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

// Confusion draws a confusion matrix, a row for each true class, a column for each predicted one, in the order of the
// names. A cell has its count, and with few classes the share of the row, which is its colour too; cells of 0 have none.
// The picture grows with the classes, up to [MaxClasses], so that its text is readable.
func Confusion(title string, names []string, counts [][]int, format string) (*Picture, error) {
	n := len(names)
	if n > MaxClasses {
		return nil, fmt.Errorf("a picture of %d classes would not be readable: %d are possible", n, MaxClasses)
	}
	titleStyle, axis, label, number, small := style(11), style(10), style(9), style(8.5), style(7)
	labels := make([]string, n)
	var widest vg.Length
	for i, name := range names {
		labels[i] = shorten(name, 24)
		widest = max(widest, room(label, labels[i]))
	}
	cell := max(20, 160/vg.Length(n))
	for _, row := range counts {
		cell = max(cell, room(number, fmt.Sprint(slices.Max(row)))+6)
	}
	if n <= maxShares {
		cell = max(cell, 34)
	}
	if n > maxCounts {
		cell = 12
	}
	across := widest <= cell-4 // else column labels are turned
	below := label.Height("0") + 6
	if !across {
		below = widest + 6
	}
	const margin, bar, barGap = 12, 12, 14
	barText := room(label, "100 %") + 5
	left := margin + axis.Height("X") + 6 + widest + 6
	bottom := margin + axis.Height("X") + 6 + below
	side := cell * vg.Length(n)
	width := left + side + barGap + bar + barText + axis.Height("X") + 4 + margin
	height := bottom + side + 10 + titleStyle.Height("X") + margin
	width = max(width, room(titleStyle, title)+2*margin)
	c, p, err := newPicture(width, height, format)
	if err != nil {
		return nil, err
	}

	write(c, titleStyle, width/2, height-margin-titleStyle.Height("X")/2, title)
	axis.Rotation = math.Pi / 2
	write(c, axis, margin+axis.Height("X")/2, bottom+side/2, "true class")
	write(c, axis, width-margin-axis.Height("X")/2, bottom+side/2, "share of the true class")
	axis.Rotation = 0
	write(c, axis, left+side/2, margin+axis.Height("X")/2, "predicted class")

	row, column := label, label
	row.XAlign = text.XRight
	if !across {
		column.Rotation, column.XAlign = math.Pi/2, text.XRight
	}
	for i, name := range labels {
		center := cell * (vg.Length(i) + 0.5)
		write(c, row, left-6, bottom+side-center, name)
		y := bottom - 6 - label.Height("0")/2
		if !across {
			y = bottom - 6
		}
		write(c, column, left+center, y, name)
	}

	for i, row := range counts {
		rows := 0
		for _, k := range row {
			rows += k
		}
		for j, k := range row {
			share := float64(k) / float64(rows) // NaN of a class that the data do not have
			x, y := left+cell*vg.Length(j), bottom+side-cell*vg.Length(i+1)
			fill(c, rectangle(x, y, cell, cell), shade(share))
			if k == 0 || n > maxCounts {
				continue
			}
			x, y = x+cell/2, y+cell/2
			number, small := number, small
			if share > 0.45 {
				number.Color, small.Color = color.White, color.White
			}
			if n <= maxShares {
				write(c, small, x, y-7, percent(share))
				y += 4
			}
			write(c, number, x, y, fmt.Sprint(k))
		}
	}
	line := draw.LineStyle{Color: lightGrey, Width: 0.5}
	for i := range n + 1 {
		at := cell * vg.Length(i)
		c.StrokeLine2(line, left+at, bottom, left+at, bottom+side)
		c.StrokeLine2(line, left, bottom+at, left+side, bottom+at)
	}

	x := left + side + barGap
	const shades = 100
	for i := range shades {
		from := side * vg.Length(i) / shades
		fill(c, rectangle(x, bottom+from, bar, side-from), shade((float64(i)+0.5)/shades)) // over the last, so that no seam shows
	}
	row.XAlign = text.XLeft
	for i := range 6 {
		y := bottom + side*vg.Length(i)/5
		c.StrokeLine2(draw.LineStyle{Color: black, Width: 0.5}, x+bar, y, x+bar+3, y)
		write(c, row, x+bar+5, y, fmt.Sprintf("%d %%", 20*i))
	}
	return p, nil
}

// percent writes a share above 0 so that none and all of it are told from little and nearly all.
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
