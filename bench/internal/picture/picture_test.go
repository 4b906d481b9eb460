package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// A picture is well-formed XML, whose texts have their widths and whose colours are variables.
func TestPictures(t *testing.T) {
	f := &Figure{Title: "a < b", X: Axis{Label: "n", Log: true, Format: Short},
		Y: Axis{Label: "a label that is longer than the axis has room for", Log: true, Format: Percent}}
	for _, style := range Lines {
		s := Series{Style: style, Name: "a name of some length: " + style.Variable}
		s.Add(0, 1) // a logarithmic axis has no place for it
		for n := 1.; n < 1e6; n *= 10 {
			s.Add(n, 1/n)
		}
		f.Lines = append(f.Lines, s)
	}
	m := &Matrix{Title: "m", X: "x", Y: "y", Across: []string{"a", "b"}, Down: []string{"c", "d"},
		Of: func(i, j int) (string, float64) { return strings.Repeat("1", i+j), .3 * float64(i+j) }}
	for name, svg := range map[string]string{"figure": Alone(f.Lines, f), "two": Alone(f.Lines, f, f),
		"matrix": m.Alone()} {
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		drawn := svg[strings.Index(svg, "</style>"):]
		texts, widths := strings.Count(drawn, "<text"), strings.Count(drawn, "textLength")
		if texts < 6 || widths != texts || strings.Contains(drawn, "#") ||
			!strings.Contains(drawn, "var(--s1)") {
			t.Errorf("%s: %d texts, %d with a width:\n%s", name, texts, widths, drawn)
		}
	}
	// All names of the legend are within the picture.
	if svg := Alone(f.Lines, f); strings.Count(svg, "a name of some length") != len(Lines) ||
		!strings.Contains(svg, `viewBox="0 0 560 364"`) {
		t.Errorf("%.200s", svg)
	}
}
