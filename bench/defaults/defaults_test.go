package main

import (
	"bytes"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// Two small problems from end to end, with the peers that are here.
func TestCompare(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: the program")
	}
	f := flags{sets: regexp.MustCompile("^made-(tiny-three|numbers-small)$"), peers: true,
		variants: true, python: "/usr/bin/python3", limit: 10 * time.Second,
		splits: 2, rounds: 2, trainers: regexp.MustCompile(""), json: t.TempDir() + "/all.json",
		numbers: "-loss squared"}
	if err := f.compare(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.json)
	if err != nil || !bytes.Contains(text, []byte(`"Variant": "rows twice"`)) ||
		!bytes.Contains(text, []byte(`"Splits": 2`)) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestMade(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: the made sets")
	}
	problems := madeProblems()
	scaled, numbers := 0, 0
	for _, p := range problems {
		if p.scaled {
			scaled++
		}
		if p.numbers {
			numbers++
		}
		if strings.Contains(p.name, "many") || strings.Contains(p.name, "rarer") {
			continue // the same code at a greater length
		}
		a, _, err := p.load()
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		b, _, _ := p.load()
		if !slices.Equal(a.y, b.y) || !slices.EqualFunc(a.x, b.x, slices.Equal) {
			t.Errorf("%s: not the same twice", p.name)
		}
		for _, row := range a.x {
			for _, v := range row {
				if v.index < 0 || v.index >= a.features || math.IsNaN(v.value) {
					t.Fatalf("%s: %v", p.name, v)
				}
			}
		}
	}
	if len(problems) < 40 || 2*scaled != len(problems) || numbers == 0 {
		t.Errorf("%d problems, %d scaled, %d numbers", len(problems), scaled, numbers)
	}
}

func TestStratified(t *testing.T) {
	x := make([][]feature, 103)
	y := make([]float64, 103)
	for i := range y {
		y[i] = float64(i % 3 / 2) // 69 of one class, 34 of the other
	}
	a, b := (&table{x, y, 1}).stratified(3, false)
	count := func(of *table) (n int) {
		for _, v := range of.y {
			n += int(v)
		}
		return n
	}
	if len(a.y) != 72 || len(b.y) != 31 || count(b) != 10 {
		t.Errorf("%d and %d rows, %d of the smaller class in the test", len(a.y), len(b.y), count(b))
	}
}

func TestGroups(t *testing.T) {
	problems := []problem{{name: "a"}, {name: "b"}, {name: "n", numbers: true}}
	of := func(name, trainer string, classes int, good float64) result {
		nan := math.NaN()
		s := score{good, good, nan, nan, .02, nan, nan}
		if classes == 0 {
			s = score{nan, nan, nan, good, .02, nan, nan}
		}
		return result{Problem: name, Trainer: trainer, Classes: classes, score: s, Test: 10}
	}
	var b bytes.Buffer
	report(&b, problems, []result{
		of("a", "x", 2, .9), of("a", "y", 2, .8), of("b", "x", 3, .5), of("b", "y", 3, .502),
		of("n", "x", 0, -7), of("n", "y", 0, .25), of("a", timing, 2, .1),
	})
	for _, want := range []string{
		"| real, classes, raw | y | 2 | 70.00 : 65.10 | 70.00 : 65.10 | - | 1/1/0 | b -0.20 |",
		"| real, numbers | y | 1 | -1.0000 : 0.2500 | - | - | 0/0/1 | n -125.00 |",
		"| a | 20.0 | 20.0 | 1.00 |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// What was written is read again, the last one of equal ones counts, and the tables can be printed.
func TestMedian(t *testing.T) {
	var all []*score
	for _, v := range []float64{9, 1, 4, 100} {
		all = append(all, &score{Accuracy: .5, Seconds: v, Whole: 2 * v})
	}
	if m := median(all); m.Seconds != 6.5 || m.Whole != 13 || m.Accuracy != .5 {
		t.Errorf("of four %+v", *m)
	}
	if m := median(all[:3]); m.Seconds != 4 || m.Whole != 8 {
		t.Errorf("of three %+v", *m)
	}
}

func TestTables(t *testing.T) {
	dir := t.TempDir()
	at := func(name string, seconds, accuracy float64) string {
		r := result{Problem: "iris", Trainer: "a", Rows: 105, Cols: 4, Classes: 3,
			Mean: map[string]float64{"seconds": seconds, "accuracy": accuracy}}
		if err := writeJSON(dir+name, []result{r}); err != nil {
			t.Fatal(err)
		}
		return dir + name
	}
	all, err := readJSON([]string{at("1", 1, .5), at("2", 2, .75)})
	if err != nil || len(all) != 1 || all[0].Seconds != 2 || all[0].Accuracy != .75 ||
		!math.IsNaN(all[0].ROCAUC) {
		t.Fatalf("%+v, %v", all, err)
	}
	var text bytes.Buffer
	report(&text, realProblems(""), all)
	if !strings.Contains(text.String(), "| iris | 105 x 4, 3 | 75.00 (NaN) |") {
		t.Error(text.String())
	}
}

// Balanced accuracy is the mean recall, of the classes that are in the test rows.
func TestRate(t *testing.T) {
	w := &work{split: &split{test: &table{y: []float64{1, 1, 1, 2}}}, problem: &problem{}}
	p := &prediction{labels: []float64{1, 1, 3, 1}, scores: []float64{-1, -2, 0, 3}}
	s, err := p.rate(w)
	if err != nil || s.Accuracy != .5 || math.Abs(s.Balanced-1./3) > 1e-12 || s.ROCAUC != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}
