package chart

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// helvetica lists the widths of the characters from space to ~, in thousandths of the font's size.
var helvetica = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

const fonts = `font-family="Liberation Sans,Arial,Helvetica,sans-serif"`

const (
	titleSize = 13
	textSize  = 11.5
	smallSize = 10.5
)

// width returns the width of a text in SVG units, and whether the width is exact. Characters from
// U+2E80 on, where East Asian scripts are, count as wide as the font's size.
func width(text string, size float64) (w float64, exact bool) {
	exact = true
	for _, r := range text {
		i := int(r - ' ')
		switch {
		case i >= 0 && i < len(helvetica):
			w += float64(helvetica[i])
			continue
		case r >= 0x2e80:
			w += 1000
		default:
			w += 722
		}
		exact = false
	}
	return w * size / 1000, exact
}

func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// fit shortens a text until it is at most space wide, or has at most two characters.
func fit(text string, size, space float64) string {
	short := text
	for n := len([]rune(text)); n > 1; n-- {
		short = shorten(text, n)
		if w, _ := width(short, size); w <= space {
			break
		}
	}
	return short
}

type canvas struct{ strings.Builder }

func (c *canvas) add(format string, a ...any) { fmt.Fprintf(c, format, a...) }

// anchor is start, middle or end.
func (c *canvas) text(class string, size, x, y float64, anchor, text string) {
	c.turned(class, size, x, y, anchor, text, "")
}

// turned adds the attributes in more. An exact width becomes an attribute of the element, in case
// the viewer uses another font.
func (c *canvas) turned(class string, size, x, y float64, anchor, text, more string) {
	if text == "" {
		return
	}
	if w, exact := width(text, size); exact {
		more += ` textLength="` + num(w) + `" lengthAdjust="spacingAndGlyphs"`
	}
	c.add(`<text class="%s" x="%s" y="%s" font-size="%s" text-anchor="%s"%s>`, class, num(x),
		num(y), num(size), anchor, more)
	xml.EscapeText(c, []byte(text)) // no error: c is in memory
	c.WriteString("</text>")
}

func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func (c *canvas) svg(width, height float64, label string) string {
	var of strings.Builder
	xml.EscapeText(&of, []byte(label))
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" `+
		`aria-label="%s" %s>%s</svg>`, num(width), num(height), of.String(), fonts, c.String())
}

// alone makes an SVG file from an svg element.
func alone(mark, svg string, width, height float64) string {
	head := fmt.Sprintf(`<svg width="%s" height="%s"`, num(width), num(height))
	svg = strings.Replace(svg, "<svg", head, 1)
	return mark + strings.Replace(svg, ">", ">\n<style>"+Sheet+"</style>\n"+
		`<rect class="page" width="100%" height="100%" fill="#ffffff"/>`, 1) + "\n"
}
