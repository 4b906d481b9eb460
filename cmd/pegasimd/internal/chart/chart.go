// Package chart draws what the command measures: curves of a training run and confusion matrices.
//
// Colours are told apart by readers who don't see all of them: lines have those of Okabe and Ito
// (2008) each with its mark, cells a scale of one hue whose lightness, in CIELAB, falls evenly with
// the value.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"gonum.org/v1/plot"
)

// Format returns the kind of picture that a file's name asks for: svg, png or pdf.
func Format(name string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".svg", ".png", ".pdf":
		return ext[1:], nil
	default:
		return "", fmt.Errorf("%q: a picture's name ends in .svg, .png or .pdf", name)
	}
}

// A Picture is ready to be written.
type Picture struct {
	canvas vg.CanvasWriterTo
	svg    bool
}

const dpi = 192 // of a png

// newPicture returns a white canvas and what it is drawn for.
func newPicture(width, height vg.Length, format string) (draw.Canvas, *Picture, error) {
	p := &Picture{svg: format == "svg"}
	if format == "png" {
		p.canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height),
			vgimg.UseDPI(dpi))}
	} else {
		var err error
		if p.canvas, err = draw.NewFormattedCanvas(width, height, format); err != nil {
			return draw.Canvas{}, nil, err
		}
	}
	c := draw.New(p.canvas)
	fill(c, c.Rectangle, color.White)
	return c, p, nil
}

// Write writes the picture.
func (p *Picture) Write(w io.Writer) error {
	if !p.svg {
		_, err := p.canvas.WriteTo(w)
		return err
	}
	var b bytes.Buffer
	if _, err := p.canvas.WriteTo(&b); err != nil {
		return err
	}
	// Who does not have the font has one of the same widths, by which the text was placed.
	svg := bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	_, err := w.Write(svg)
	return err
}

var (
	black     = color.Gray{Y: 0x20}
	lightGrey = color.Gray{Y: 0xe0}
)

// style is that of text, centred on its place.
func style(size vg.Length) text.Style {
	return text.Style{
		Color:   black,
		Font:    font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size),
		XAlign:  text.XCenter,
		YAlign:  text.YCenter,
		Handler: plot.DefaultTextHandler,
	}
}

// textWidth returns the width that a text needs. It is a little more than measured: a reader of an
// svg may have no font of the same widths.
func textWidth(s text.Style, txt string) vg.Length { return 1.15 * s.Width(txt) }

// write puts a text on its place, at the height of which is the middle of its digits.
func write(c draw.Canvas, s text.Style, x, y vg.Length, txt string) {
	up := 0.1 * s.Font.Size
	if s.Rotation != 0 {
		c.FillText(s, vg.Point{X: x - up, Y: y}, txt)
		return
	}
	c.FillText(s, vg.Point{X: x, Y: y + up}, txt)
}

// fill fills a rectangle.
func fill(c draw.Canvas, r vg.Rectangle, clr color.Color) {
	c.SetColor(clr)
	c.Fill(r.Path())
}

func rectangle(x, y, width, height vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + width, Y: y + height}}
}

// shorten cuts what is longer than n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
