package chart

import (
	"math"
	"strings"
)

type Matrix struct {
	Title, X, Y string
	Across      []string // names of the columns, from the left
	Down        []string // names of the rows, from the top
	// Of returns the text of a cell, which may have several lines, and the shade from 0 to 1, or
	// NaN for a cell without a value. A cell is not drawn if the result there is false.
	Of func(row, column int) (text string, shade float64, there bool)
	// Least is the least side of a cell in SVG units. Cells are larger if a text needs more.
	Least float64
}

// opacity of a cell of shade 1
const deepest = .5

// Alone returns the matrix as an SVG file, which begins with mark, "" or an XML comment.
func (m *Matrix) Alone(mark string) string {
	side := max(m.Least, 12)
	for i := range m.Down {
		for j := range m.Across {
			text, _, _ := m.Of(i, j)
			lines := strings.Split(text, "\n")
			if text != "" {
				side = max(side, 14*float64(len(lines))+4)
			}
			for _, line := range lines {
				if w, _ := width(line, smallSize); w > 0 {
					side = max(side, w+8)
				}
			}
		}
	}
	names := func(all []string) (short []string, widest float64) {
		for _, name := range all {
			name = shorten(name, 24)
			w, _ := width(name, textSize)
			short, widest = append(short, name), max(widest, w)
		}
		return short, widest
	}
	down, left := names(m.Down)
	across, above := names(m.Across)
	turned := above > side-6
	if !turned {
		above = textSize
	}
	var c canvas
	title := strings.Split(m.Title, "\n")
	for i, line := range title {
		c.text("ink", titleSize, 14, float64(22+17*i), "start", line)
	}
	at := box{left: left + 24, top: float64(46 + 17*len(title))}
	c.text("", textSize, 14, at.top-18, "start", m.Y+" \\ "+m.X)
	at.top += above
	at.right, at.bottom = at.left+side*float64(len(across)), at.top+side*float64(len(down))
	for i, name := range down {
		c.text("", textSize, at.left-8, at.top+side*(float64(i)+.5)+4, "end", name)
	}
	for j, name := range across {
		x := at.left + side*(float64(j)+.5)
		if turned {
			c.turned("", textSize, x+4, at.top-6, "start", name,
				` transform="rotate(-90 `+num(x+4)+" "+num(at.top-6)+`)"`)
		} else {
			c.text("", textSize, x, at.top-6, "middle", name)
		}
	}
	var frames strings.Builder
	for i := range down {
		for j := range across {
			x, y := at.left+side*float64(j), at.top+side*float64(i)
			text, shade, there := m.Of(i, j)
			switch {
			case !there:
				continue
			case math.IsNaN(shade):
				c.add(`<rect class="band" x="%s" y="%s" width="%s" height="%s" fill="#f3f5f8"/>`, num(x),
					num(y), num(side), num(side))
			case shade > 0:
				c.add(`<rect class="f1" x="%s" y="%s" width="%s" height="%s" fill="#0b62a4" `+
					`fill-opacity="%s"/>`, num(x), num(y), num(side), num(side), num(deepest*shade))
			}
			frames.WriteString("M" + num(x) + "," + num(y) + "h" + num(side) + "v" + num(side) + "h-" +
				num(side) + "z")
			lines := strings.Split(text, "\n")
			for k, line := range lines {
				c.text("ink", smallSize, x+side/2, y+side/2+4+7*float64(2*k+1-len(lines)), "middle", line)
			}
		}
	}
	c.add(`<path class="rule" d="%s" fill="none" stroke="#d0d7de"/>`, frames.String())
	wide := at.right + 14
	for _, line := range append(title, m.Y+" \\ "+m.X) {
		w, _ := width(line, titleSize)
		wide = max(wide, w+28)
	}
	return alone(mark, c.svg(wide, at.bottom+14, strings.Join(title, ", ")), wide, at.bottom+14)
}
