package main

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

func newTest(t *testing.T) (*experiment, *strings.Builder) {
	var text strings.Builder
	return &experiment{ctx: t.Context(), out: t.TempDir(), seeds: 3, rounds: 2, w: &text}, &text
}

// isSVG reads a picture to its end and returns the texts in it.
func isSVG(t *testing.T, name string) (texts []string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := xml.NewDecoder(f)
	for elements := 0; ; elements++ {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if elements < 100 {
				t.Errorf("%s: %d elements", name, elements)
			}
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := token.(xml.CharData); ok {
			texts = append(texts, strings.TrimSpace(string(s)))
		}
	}
}

// Nobody tells all of the digits 3 and 8 apart, as far as these steps go: the second target is not reached.
func TestRows(t *testing.T) {
	train, test := dataset.DigitsSplit()
	p := problem{"3 or 8", only(train, 3, 8), only(test, 3, 8), 1e-2, []int{50, 100, 200}, [2]float64{10, 0}, 2000}
	e, text := newTest(t)
	if err := e.rows([]problem{p}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "\n| defaults | ") + strings.Count(text.String(), "\n| paper | "); n != 6 || !strings.Contains(text.String(), "not reached") {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if texts := isSVG(t, e.figure("rows.svg")); !slices.Contains(texts, "3 or 8, paper") || !slices.Contains(texts, "milliseconds") {
		t.Errorf("%q", texts)
	}
}

// A run that gets there is the shortest of those that were tried.
func TestFill(t *testing.T) {
	train, test := dataset.DigitsSplit()
	train, test = only(train, 1, 7), only(test, 1, 7)
	e, _ := newTest(t)
	c := &cell{problem: &problem{"1 or 7", train, test, 1e-2, nil, [2]float64{5, 2}, 100_000}, form: "paper", rows: train.Rows()}
	if err := e.fill(c, train, 1, 4); err != nil {
		t.Fatal(err)
	}
	for k, target := range c.problem.targets {
		steps := c.targets()[k].steps[0]
		at := func(steps int64) float64 {
			cfg := pegasos.Paper()
			cfg.Lambda, cfg.Seed, cfg.Steps = 1e-2, 4, steps
			r, err := e.train(train, cfg, 1)
			if err != nil {
				t.Fatal(err)
			}
			return testError(r.model, test)
		}
		if steps == never || at(steps) > target {
			t.Errorf("%d steps to %v %%", steps, target)
		}
		for s := 128.0; int64(s) < steps; s *= math.Pow(2, 0.25) {
			if at(int64(s)) <= target {
				t.Errorf("%d steps to %v %%, and so do %v", steps, target, s)
			}
		}
	}
}

func TestPairs(t *testing.T) {
	train, test := dataset.DigitsSplit()
	s := pairsSettings{train, test, strings.Fields("zero one two three four five six seven eight nine"), 200, []int64{50}, 1e-3, []float64{1e-2, 1}}
	e, text := newTest(t)
	if err := e.pairs(s); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n| form | lambda 0.01 | lambda 1 |\n", "\n| paper | 200 | ", "\npaper, zero or one: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	isSVG(t, e.figure("pair.svg"))
	if texts := isSVG(t, e.figure("confusion.svg")); !slices.Contains(texts, "seven") || !slices.Contains(texts, "predicted") {
		t.Errorf("%q", texts)
	}
	m, err := e.train(train, pegasos.Config{Multiclass: pegasos.OneVsOne}, 2)
	if err != nil {
		t.Fatal(err)
	}
	counts, right, total := confusion(m.model, test), 0, 0
	for i, line := range counts {
		right += line[i]
		for _, v := range line {
			total += v
		}
	}
	if want := 100 - testError(m.model, test); total != test.Rows() || math.Abs(100*float64(right)/float64(total)-want) > 1e-9 || want < 90 {
		t.Errorf("%d right of %d, want %v %%", right, total, want)
	}
	_, ok := cpuTime()
	for _, s := range []span{m.took, m.cpu} {
		if s.ready <= 0 && (ok || s != m.cpu) || s.after < 0 || s.ready > time.Minute {
			t.Errorf("%+v, CPU %+v", m.took, m.cpu)
		}
	}
}

func TestSets(t *testing.T) {
	s := dataset.Digits()
	if two := against(s, 3); two.Y[3] != 1 || two.Y[4] != -1 || s.Y[3] != 3 {
		t.Error("against")
	}
	if two := only(s, 3, 4); two.Rows() != 183+181 || two.Y[0] != 3 || two.Y[1] != 4 {
		t.Errorf("only: %d rows", two.Rows())
	}
	if have := doubles(1000, 25_000); !slices.Equal(have, []int{1000, 2000, 4000, 8000, 16000, 25000}) {
		t.Error(have)
	}
	if m, low, high := median([]int64{5, never, 1, 3, never}); m != 5 || low != 3 || high != never {
		t.Error(m, low, high)
	}
}

func TestUsage(t *testing.T) {
	e, _ := newTest(t)
	for _, args := range [][]string{nil, {"columns"}, {"rows", "pairs"}, {"rows"}} {
		if err := e.run(args, t.TempDir()); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
