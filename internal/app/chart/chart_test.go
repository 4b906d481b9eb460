package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An area is the part of a picture that a text covers, from the baseline to the height of digits.
type area struct {
	text                     string
	left, right, top, bottom float64
}

func textsOf(t *testing.T, svg string) (wide, high float64, areas []area) {
	t.Helper()
	var now *area
	var x, y, size float64
	var anchor, turn string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return wide, high, areas
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			of := map[string]string{}
			for _, a := range e.Attr {
				of[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				v, err := strconv.ParseFloat(of[name], 64)
				if err != nil {
					t.Fatalf("%s of %v: %v", name, e, err)
				}
				return v
			}
			switch e.Name.Local {
			case "svg":
				var from float64
				fmt.Sscan(of["viewBox"], &from, &from, &wide, &high)
			case "text":
				x, y, size = number("x"), number("y"), number("font-size")
				anchor, turn, now = of["text-anchor"], of["transform"], new(area)
			}
		case xml.CharData:
			if now != nil {
				now.text += string(e)
			}
		case xml.EndElement:
			if e.Name.Local != "text" {
				continue
			}
			w, _ := width(now.text, size)
			left := x - w*map[string]float64{"start": 0, "middle": .5, "end": 1}[anchor]
			now.left, now.right, now.top, now.bottom = left, left+w, y-.7*size, y
			if turn != "" { // turned counterclockwise about the start of the text
				now.left, now.right, now.top, now.bottom = x-.7*size, x, y-w, y
			}
			areas, now = append(areas, *now), nil
		}
	}
}

var coordinate = regexp.MustCompile(`NaN|Inf`)

// check checks that a picture is well-formed and without NaN and Inf, and that texts neither
// overlap nor leave the picture. It returns the number of occurrences of each text.
func check(t *testing.T, what, svg string) map[string]int {
	t.Helper()
	wide, high, areas := textsOf(t, svg)
	if _, drawn, _ := strings.Cut(svg, "</style>"); coordinate.MatchString(drawn) {
		t.Errorf("%s: the picture has NaN or Inf:\n%.3000s", what, svg)
	}
	seen := map[string]int{}
	for i, a := range areas {
		seen[a.text]++
		if a.left < 0 || a.right > wide || a.top < 0 || a.bottom > high {
			t.Errorf("%s: %+v leaves the picture of %v x %v", what, a, wide, high)
		}
		for _, b := range areas[:i] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				t.Errorf("%s: %+v and %+v overlap", what, a, b)
			}
		}
	}
	return seen
}

func line(style int, name string, y ...float64) Series {
	s := Series{Style: Lines[style], Name: name}
	for i, v := range y {
		s.Add(math.Pow(10, float64(i)), v)
	}
	return s
}

func TestFigures(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	long := strings.Repeat("a name of some length ", 6)
	for what, c := range map[string]struct {
		f     Figure
		texts []string
		parts int // points in the first line's path
	}{
		"log": {Figure{Title: "a < b", X: Axis{Label: "n", Log: true}, Y: Axis{Label: "y", Log: true},
			Lines: []Series{line(0, "", 1, 0, 1e-3, 1e-4)}}, []string{"a < b", "n", "y", "0.001"}, 3},
		"holes": {Figure{X: Axis{Log: true}, Lines: []Series{line(0, "", 5, nan, 3, -inf, 2)}},
			[]string{"100", "10000"}, 3},
		"legend": {Figure{Legend: true, Lines: []Series{line(0, "one", 1, 2), line(1, "two", 2, 3),
			line(2, long, 3, 4), line(3, "four", 4, 5)}}, []string{"one", "two", "four"}, 2},
		"long": {Figure{Title: long, X: Axis{Label: long}, Y: Axis{Label: long}, Legend: true,
			Lines: []Series{line(0, long, 1, 2)}}, nil, 2},
		"wide": {Figure{X: Axis{Log: true}, Lines: []Series{line(0, "", 1e-20, 1e20)}},
			[]string{"1e+20"}, 2},
		"huge":     {Figure{Lines: []Series{line(0, "", 1e299, -1e299, 0)}}, []string{"0"}, 3},
		"constant": {Figure{Lines: []Series{line(0, "", 97, 97)}}, []string{"97.00"}, 2},
		"close":    {Figure{Lines: []Series{line(0, "", .95, .97)}}, []string{"0.950", "0.955"}, 2},
		"zero":     {Figure{Lines: []Series{line(0, "", 0)}}, []string{"0"}, 1},
		"large":    {Figure{Lines: []Series{line(0, "", 123456, 123556)}}, []string{"123500"}, 2},
		"shares": {Figure{X: Axis{Range: &[2]float64{0, 1}}, Y: Axis{Range: &[2]float64{0, 1}},
			Lines: []Series{{Style: Lines[0], Points: []Point{{0, 0}, {.3, .9}, {1, 1}}}}},
			[]string{"0.2", "1.0"}, 3},
		"marks": {Figure{X: Axis{Marks: []Tick{{0, "a1b2c3d"}, {.1, "b1b2c3d"}, {2, "c1b2c3d"}}},
			Lines: []Series{{Style: Lines[0], Points: []Point{{0, 1}, {.1, 2}, {2, 3}}}}},
			[]string{"a1b2c3d", "c1b2c3d"}, 3},
		"bands": {Figure{X: Axis{Log: true}, Bands: []Band{{"L1", 1, 30}, {"L2", 30, 1000}},
			Lines: []Series{line(0, "", 1, 2, 3, 4)}}, []string{"L1", "L2"}, 4},
	} {
		svg := string(c.f.SVG())
		seen := check(t, what, svg)
		for _, text := range c.texts {
			if seen[text] == 0 {
				t.Errorf("%s: want %q among %v", what, text, seen)
			}
		}
		_, path, _ := strings.Cut(svg[strings.LastIndex(svg, `class="rule"`):], `class="s1" d="`)
		path, _, _ = strings.Cut(path, `"`)
		if n := strings.Count(path, "M") + strings.Count(path, "L"); n != c.parts {
			t.Errorf("%s: %d points in %q, want %d", what, n, path, c.parts)
		}
	}
	for _, f := range []*Figure{{}, {Lines: []Series{line(0, "", nan, inf, 1e308)}},
		{Y: Axis{Log: true}, Lines: []Series{line(0, "", 0, -1)}}} {
		if !f.Empty() || strings.Contains(string(f.SVG()), "<path") {
			t.Errorf("%+v: Empty is %v, want true and no path", f, f.Empty())
		}
	}
}

func TestMarks(t *testing.T) {
	few, many := Series{Style: Lines[0]}, Series{Style: Lines[0]}
	for i := range mostMarks {
		few.Add(float64(i), float64(i*i))
	}
	for i := range mostMarks + 1 {
		many.Add(float64(i), float64(i*i))
	}
	dots, bars := many, few
	dots.Dots, bars.Bars = true, 1
	for _, c := range []struct {
		s             Series
		lines, marked int
	}{{few, 1, 1}, {many, 1, 0}, {dots, 0, 1}, {bars, 0, 0}} {
		svg := string((&Figure{Lines: []Series{c.s}}).SVG())
		lines, marked := strings.Count(svg, `class="s1" d`), strings.Count(svg, `class="s1 dots"`)
		if lines != c.lines || marked != c.marked ||
			strings.Contains(svg, `class="f1"`) != (c.s.Bars > 0) {
			t.Errorf("%d lines, %d with marks, want %d, %d; bars %v, or their fill is wrong", lines,
				marked, c.lines, c.marked, c.s.Bars)
		}
	}
}

func TestFiles(t *testing.T) {
	f := &Figure{Title: "t", X: Axis{Log: true}, Lines: []Series{line(0, "one", 1, 2, 3),
		line(1, "two", 3, 2, 1)}}
	for what, svg := range map[string]string{"alone": Alone(f.Lines, f),
		"beside": Alone(f.Lines, f, f), "above": Stack("<!-- mark -->\n", "title", f, f, f)} {
		check(t, what, svg)
		if strings.Count(svg, "<style>") != 1 || !strings.Contains(svg, `<svg width="`) ||
			strings.HasPrefix(svg, "<!-- mark -->\n<svg") != (what == "above") {
			t.Errorf("%s is not a complete file:\n%.300s", what, svg)
		}
	}
}

func TestNamesAreEscaped(t *testing.T) {
	const name = `"><script>alert(1)</script><a b='`
	f := &Figure{Title: name, X: Axis{Label: name}, Y: Axis{Label: name}, Legend: true,
		Lines: []Series{line(0, name, 1, 2)}, Bands: []Band{{name, 1, 2}}}
	m := &Matrix{Title: name, X: name, Y: name, Across: []string{name}, Down: []string{name + "\x00"},
		Of: func(int, int) (string, float64, bool) { return name, 1, true }}
	for _, svg := range []string{string(f.SVG()), Stack("", name, f), m.Alone("")} {
		if strings.Contains(svg, "<script") || strings.Contains(svg, "<a") ||
			!strings.Contains(svg, "&lt;script&gt;") {
			t.Errorf("a name is not escaped:\n%s", svg)
		}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestMatrix(t *testing.T) {
	for _, n := range []int{1, 2, 3, 12, 41, 200} {
		for _, text := range []string{"", "7", "1234567\n12.3 %"} {
			if n > 41 && text != "" {
				continue // the comparison of all texts would take long
			}
			m := &Matrix{Title: "a title\nof two lines", X: "predicted", Y: "true", Least: 20}
			for i := range n {
				m.Down = append(m.Down, fmt.Sprint("class ", i))
			}
			m.Down[0] = "<dog> & its friends, of whom there are many"
			m.Across = m.Down
			m.Of = func(i, j int) (string, float64, bool) {
				if i == 1 {
					return "", math.NaN(), true
				}
				return text, float64(j) / float64(n), i >= j
			}
			what := fmt.Sprintf("%d classes with %q", n, text)
			seen, line := check(t, what, m.Alone("")), strings.Split(text, "\n")[0]
			cells := n * (n + 1) / 2
			if n > 1 {
				cells -= 2
			}
			if line != "" && seen[line] != cells || seen["class 1"] != 2*min(1, n-1) {
				t.Errorf("%s: %d cells, want %d; class 1 is named %d times", what, seen[line], cells,
					seen["class 1"])
			}
		}
	}
}
