package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func drawn(t *testing.T, write func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A box is where a text stands in an svg, from its baseline up to the height of digits, in points
// from the lower left.
type box struct {
	text                   string
	left, right, low, high float64
}

var attribute = regexp.MustCompile(`font-size:([0-9.]+)px`)

// texts reads an svg and returns its size and its texts.
func texts(t *testing.T, svg []byte) (width, height float64, boxes []box) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	turned := []bool{false}
	var b *box
	var x, y, size float64
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return width, height, boxes
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			get := func(name string) string {
				for _, a := range e.Attr {
					if a.Name.Local == name {
						return a.Value
					}
				}
				return ""
			}
			switch e.Name.Local {
			case "svg":
				var x0, y0 float64
				if _, err := fmt.Sscan(get("viewBox"), &x0, &y0, &width, &height); err != nil {
					t.Fatal(err)
				}
			case "g":
				turned = append(turned, turned[len(turned)-1] != strings.HasPrefix(get("transform"),
					"rotate(90"))
			case "text":
				x, _ = strconv.ParseFloat(get("x"), 64)
				y, _ = strconv.ParseFloat(get("y"), 64)
				y = -y
				m := attribute.FindStringSubmatch(get("style"))
				if m == nil || !strings.Contains(get("style"), "Arial") {
					t.Fatalf("a text's style is %q", get("style"))
				}
				size, _ = strconv.ParseFloat(m[1], 64)
				b = new(box)
			}
		case xml.CharData:
			if b != nil {
				b.text += string(e)
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "g":
				turned = turned[:len(turned)-1]
			case "text":
				w := sansStyle(size).Width(b.text).Points()
				b.left, b.right, b.low, b.high = x, x+w, y, y+0.7*size
				if turned[len(turned)-1] {
					b.left, b.right, b.low, b.high = -(y + 0.7*size), -y, x, x+w
				}
				boxes, b = append(boxes, *b), nil
			}
		}
	}
}

func sansStyle(size float64) draw.TextStyle {
	return draw.TextStyle{Font: sans(vg.Length(size)), Handler: plot.DefaultTextHandler}
}

// apart checks that no two texts overlap and that none leaves the picture.
func apart(t *testing.T, what string, svg []byte) []box {
	t.Helper()
	width, height, boxes := texts(t, svg)
	for i, a := range boxes {
		if a.left < 2 || a.right > width-2 || a.low < 2 || a.high > height-2 {
			t.Errorf("%s: %+v leaves the picture of %v x %v", what, a, width, height)
		}
		for _, b := range boxes[:i] {
			if a.left < b.right && b.left < a.right && a.low < b.high && b.low < a.high {
				t.Errorf("%s: %+v and %+v overlap", what, a, b)
			}
		}
	}
	return boxes
}

func matrix(n, largest int) (names []string, counts [][]float64) {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range n {
		names = append(names, fmt.Sprint(i))
		counts = append(counts, make([]float64, n))
		for j := range n {
			counts[i][j] = float64(r.IntN(max(2, largest/100)))
		}
		counts[i][i] = float64(r.IntN(largest))
	}
	return names, counts
}

func TestConfusionIsReadable(t *testing.T) {
	for _, n := range []int{2, 3, 10, 12, 13, 26, 40, 41, 200} {
		for _, largest := range []int{20, 1e4, 1e7} {
			names, counts := matrix(n, largest)
			if n == 3 {
				names = []string{"cat", "<dog> & its friends, of whom there are many", "bird"}
			}
			what := fmt.Sprintf("%d classes up to %d", n, largest)
			boxes := apart(t, what, drawn(t, func(w io.Writer) error {
				return writeConfusion(w, "svg",
					"some.model on test.svm: accuracy 84.9579 % (13832 of 16281)", names, counts)
			}))
			seen := map[string]int{}
			for _, b := range boxes {
				seen[b.text]++
			}
			for i, row := range counts {
				for _, k := range row {
					if text := amount(k); k > 0 && n <= mostCounts && seen[text] == 0 {
						t.Errorf("%s: the count %s is not there", what, text)
					}
				}
				if name := shorten(names[i], 24); seen[name] < 2 {
					t.Errorf("%s: the name %q is there %d times", what, name, seen[name])
				}
			}
		}
	}
	names, counts := matrix(mostClasses+1, 10)
	if err := writeConfusion(io.Discard, "svg", "", names, counts); err == nil {
		t.Error("too many classes are drawn")
	}
}

func TestPictureFormats(t *testing.T) {
	names, counts := matrix(3, 100)
	for name, start := range map[string]string{"a.svg": "<?xml", "b.PNG": "\x89PNG",
		"c.d.pdf": "%PDF", "d.svg.gz": "<?xml"} {
		format, err := pictureFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		if b := drawn(t, func(w io.Writer) error {
			return writeConfusion(w, format, "title", names, counts)
		}); !bytes.HasPrefix(b, []byte(start)) {
			t.Errorf("%s starts with %.8q", name, b)
		}
	}
	for _, name := range []string{"a", "a.gif", ".svg/a"} {
		if _, err := pictureFormat(name); err == nil {
			t.Errorf("%q is a picture", name)
		}
	}
}

func TestPanels(t *testing.T) {
	nan := math.NaN()
	steps := []float64{100, 200, 1000, 1e6}
	for what, c := range map[string]struct {
		steps  []float64
		panels []panel
		texts  []string // that are there, and with ! that are not
	}{
		"all": {steps, []panel{
			{"objective", false, []panelLine{{"upper", []float64{5, 4, 3, 2.5}},
				{"lower", []float64{0, 1, 2, 2.4}}}},
			{"gap", true, []panelLine{{"", []float64{100, 80, 30, 0.4}}}},
			{"accuracy", false, []panelLine{{"one", []float64{70, 80, 81, 82}},
				{"two", []float64{69, 71, 72, 71}}}},
		}, []string{"objective", "gap", "accuracy", "upper", "lower", "one", "two", "100", "1000",
			"1e+06", "steps"}},
		"no bound": {steps, []panel{
			{"objective", false, []panelLine{{"upper", []float64{5, 4, 3, 2.5}},
				{"lower", []float64{nan, nan, nan, nan}}}},
			{"gap", true, []panelLine{{"", []float64{nan, nan, nan, nan}}}},
		}, []string{"upper", "!lower", "!gap"}},
		"holes": {steps, []panel{{"x", true, []panelLine{{"a", []float64{5, nan, 3, 2}},
			{"b", []float64{0, -1, 1, math.Inf(1)}}}}}, []string{"a", "b"}},
		"one point": {[]float64{1}, []panel{
			{"x", false, []panelLine{{"", []float64{0.5}}}},
			{"y", true, []panelLine{{"", []float64{1e-9}}}},
			{"z", false, []panelLine{{"", []float64{0}}}},
		}, []string{"x", "y", "z"}},
		"wide": {[]float64{1, 1e15}, []panel{{"x", true, []panelLine{{"", []float64{1e-20, 1e20}}}}},
			[]string{"1e+10", "1e+14"}},
		"large": {steps, []panel{{"x", false, []panelLine{{"", []float64{1e30, -1e30, 5, 1e-30}}}}},
			[]string{"x"}},
		"constant": {steps, []panel{{"x", false, []panelLine{{"", []float64{97, 97, 97, 97}}}}},
			[]string{"97"}},
	} {
		svg := drawn(t, func(w io.Writer) error {
			return writePanels(w, "svg", "title of "+what, "steps", c.steps, c.panels)
		})
		if bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s: there are places that are no numbers", what)
		}
		seen := map[string]bool{}
		for _, b := range apart(t, what, svg) {
			seen[b.text] = true
		}
		for _, text := range c.texts {
			if not := strings.HasPrefix(text, "!"); seen[strings.TrimPrefix(text, "!")] == not {
				t.Errorf("%s: want %q among %v", what, text, seen)
			}
		}
	}
	if err := writePanels(io.Discard, "svg", "", "", steps,
		[]panel{{"", false, []panelLine{{"a", []float64{nan, nan, nan, nan}}}}}); err == nil {
		t.Error("nothing is drawn")
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{3, 40, "5 10 20"}, {80, 2e6, "100 1000 10000 100000 1e+06"}, {1100, 1900, ""},
		{1100, 3500, "2000 3000"}, {1e-4, 0.05, "0.0001 0.001 0.01"}} {
		var labels []string
		for _, m := range logTicks(c.low, c.high) {
			if m.Label != "" {
				labels = append(labels, m.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
