package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

func bytesOf(t *testing.T, p *Picture, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
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
				w := style(vg.Length(size)).Width(b.text).Points()
				b.left, b.right, b.low, b.high = x, x+w, y, y+0.7*size
				if turned[len(turned)-1] {
					b.left, b.right, b.low, b.high = -(y + 0.7*size), -y, x, x+w
				}
				boxes, b = append(boxes, *b), nil
			}
		}
	}
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

func matrix(n, largest int) (names []string, counts [][]int) {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for i := range n {
		names = append(names, fmt.Sprint(i))
		counts = append(counts, make([]int, n))
		for j := range n {
			counts[i][j] = r.IntN(max(2, largest/100))
		}
		counts[i][i] = r.IntN(largest)
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
			p, err := Confusion("some.model on test.svm: accuracy 84.9579 % (13832 of 16281)",
				names, counts, "svg")
			boxes := apart(t, what, bytesOf(t, p, err))
			seen := map[string]int{}
			for _, b := range boxes {
				seen[b.text]++
			}
			for i, row := range counts {
				for _, k := range row {
					if text := fmt.Sprint(k); k > 0 && n <= maxCounts && seen[text] == 0 {
						t.Errorf("%s: the count %s is not there", what, text)
					}
				}
				if name := shorten(names[i], 24); seen[name] < 2 {
					t.Errorf("%s: the name %q is there %d times", what, name, seen[name])
				}
			}
		}
	}
	names, counts := matrix(MaxClasses+1, 10)
	if _, err := Confusion("", names, counts, "svg"); err == nil {
		t.Error("too many classes are drawn")
	}
}

// Colours get darker with the share, evenly; a class without rows has none of them.
func TestShade(t *testing.T) {
	last := math.Inf(1)
	for i := range 101 {
		r, g, b, _ := shade(float64(i) / 100).RGBA()
		light := 0.2126*float64(r) + 0.7152*float64(g) + 0.0722*float64(b)
		if light >= last {
			t.Errorf("%d %% is not darker than the share before", i)
		}
		last = light
	}
	if shade(math.NaN()) != lightGrey {
		t.Errorf("no share has the colour %v", shade(math.NaN()))
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{1: "100 %", 0.99999: ">99.9 %", 0.9994: "99.9 %",
		0.99: "99.0 %", 0.9: "90 %",
		0.1: "10 %", 0.0994: "9.9 %", 0.001: "0.1 %", 1e-9: "<0.1 %"} {
		if got := percent(share); got != want {
			t.Errorf("%v is %s, want %s", share, got, want)
		}
	}
}

func TestFormats(t *testing.T) {
	names, counts := matrix(3, 100)
	for name, start := range map[string]string{"a.svg": "<?xml", "b.PNG": "\x89PNG",
		"c.d.pdf": "%PDF"} {
		format, err := Format(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Confusion("title", names, counts, format)
		if b := bytesOf(t, p, err); !bytes.HasPrefix(b, []byte(start)) {
			t.Errorf("%s starts with %.8q", name, b)
		} else if format == "png" {
			if img, err := png.Decode(bytes.NewReader(b)); err != nil || img.Bounds().Dx() < 400 {
				t.Errorf("a png of %v, %v", img.Bounds(), err)
			}
		}
	}
	for _, name := range []string{"a", "a.gif", ".svg/a", ""} {
		if _, err := Format(name); err == nil {
			t.Errorf("%q is a picture", name)
		}
	}
}

func TestCurves(t *testing.T) {
	nan := math.NaN()
	steps := []float64{100, 200, 1000, 1e6}
	for what, c := range map[string]struct {
		steps  []float64
		panels []Panel
		texts  []string // that are there, and with ! that are not
	}{
		"all": {steps, []Panel{
			{Label: "objective", Band: true, Lines: []Line{{"upper", []float64{5, 4, 3, 2.5}},
				{"lower", []float64{0, 1, 2, 2.4}}}},
			{Label: "gap", Log: true, Lines: []Line{{"distance", []float64{100, 80, 30, 0.4}}}},
			{Label: "accuracy", Lines: []Line{{"one", []float64{70, 80, 81, 82}},
				{"two", []float64{69, 71, 72, 71}}, {"three", []float64{1, 2, 3, 4}}}},
		}, []string{"objective", "gap", "accuracy", "upper", "lower", "one", "two", "three", "100",
			"1k", "10k", "100k", "1M", "steps"}},
		"no bound": {steps, []Panel{
			{Label: "objective", Band: true, Lines: []Line{{"upper", []float64{5, 4, 3, 2.5}},
				{"lower", []float64{nan, nan, nan, nan}}}},
			{Label: "gap", Log: true, Lines: []Line{{"distance", []float64{nan, nan, nan, nan}}}},
		}, []string{"upper", "!lower", "!gap"}},
		"holes": {steps,
			[]Panel{{Label: "x", Log: true, Band: true,
				Lines: []Line{{"a", []float64{5, nan, 3, 2}},
					{"b", []float64{0, -1, 1, math.Inf(1)}}}}}, []string{"a", "b"}},
		"one point": {[]float64{1}, []Panel{
			{Label: "x", Lines: []Line{{"a", []float64{0.5}}}},
			{Label: "y", Log: true, Lines: []Line{{"b", []float64{1e-9}}}},
			{Label: "z", Lines: []Line{{"c", []float64{0}}}},
		}, []string{"a", "b", "c", "0.50"}},
		"wide": {[]float64{1, 1e15},
			[]Panel{{Label: "x", Log: true, Lines: []Line{{"a", []float64{1e-20, 1e20}}}}},
			[]string{"10G", "1e+14"}},
		"large": {steps,
			[]Panel{{Label: "x", Lines: []Line{{"a", []float64{1e30, -1e30, 5, 1e-30}}}}},
			[]string{"a"}},
		"constant": {steps, []Panel{{Label: "x", Lines: []Line{{"a", []float64{97, 97, 97, 97}}}}},
			[]string{"94", "96"}},
	} {
		p, err := Curves("title of "+what, "steps", c.steps, c.panels, "svg")
		svg := bytesOf(t, p, err)
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
	if _, err := Curves("", "", steps,
		[]Panel{{Lines: []Line{{"a", []float64{nan, nan, nan, nan}}}}}, "svg"); err == nil {
		t.Error("nothing is drawn")
	}
}

func TestTicks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		low := (r.Float64() - 0.5) * math.Pow10(r.IntN(12)-6)
		high := low + math.Abs(low)*math.Pow10(r.IntN(6)-3)
		marks := ticks{}.Ticks(low, high)
		if len(marks) < 4 || len(marks) > 11 {
			t.Errorf("%d marks from %v to %v", len(marks), low, high)
		}
		for i, m := range marks {
			v, err := strconv.ParseFloat(m.Label, 64)
			if err != nil || math.Abs(v-m.Value) > (high-low)/1000 || m.Value < low ||
				m.Value > high || m.Label[0] == '-' && v == 0 {
				t.Errorf("a mark at %v says %q, from %v to %v", m.Value, m.Label, low, high)
			}
			if i > 0 && m.Value <= marks[i-1].Value {
				t.Errorf("marks %v", marks)
			}
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{3, 40, "5 10 20"}, {80, 2e6, "100 1k 10k 100k 1M"}, {1100, 1900, ""}, {1100, 3500, "2k 3k"},
		{1e-4, 0.05, "0.0001 0.001 0.01"}} {
		var labels []string
		for _, m := range (logTicks{}).Ticks(c.low, c.high) {
			if m.Label != "" {
				labels = append(labels, m.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
