package main

import (
	"math"
	"strings"
	"testing"
)

const source = `// Package p is somebody's.
package p

import (
	"errors"
	"math"
	"math/rand/v2"

	"example.com/fast"
)

var number = rand.Int()

// Dot stays where it is.
func Dot(a, b []float32) (float32, error) {
	if len(a) != len(b) {
		return 0, errors.New("lengths")
	}
	var sum float32
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum, nil
}

func Norm(a []float32) float64 { return math.Sqrt(float64(fast.Dot(a, a))) }
`

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		edit edit
		want []string // lines that the result has
		gone []string
	}{
		{edit{fn: "Dot", loop: true, with: "sum = dense.Dot(a, b)", uses: dense},
			[]string{"\tsum = dense.Dot(a, b)", "\treturn sum, nil", "\t\"errors\"",
				"\t\"" + dense + "\""}, []string{"\tfor i := range a {"}},
		{edit{fn: "Dot", with: "return dense.Dot(a, b), nil", uses: dense},
			[]string{"\treturn dense.Dot(a, b), nil", "// Dot stays where it is."},
			[]string{"\t\"errors\"", "\tvar sum float32"}},
		{edit{old: "fast.Dot", with: "fast.Implementation{}.Dot", uses: blas},
			[]string{"\tfast \"" + blas + "\""}, nil},
		{edit{old: "fast.Dot", with: "dense.Dot", uses: dense}, []string{"\t\"math/rand/v2\""},
			[]string{"\t\"example.com/fast\""}},
	} {
		got, err := c.edit.apply([]byte(source))
		if err != nil {
			t.Errorf("%v: %v", c.edit, err)
		}
		has := map[string]bool{}
		for _, line := range strings.Split(string(got), "\n") {
			has[line] = true
		}
		for _, line := range c.want {
			if !has[line] {
				t.Errorf("%v: %q is not in\n%s", c.edit, line, got)
			}
		}
		for _, line := range c.gone {
			if has[line] {
				t.Errorf("%v: %q is in\n%s", c.edit, line, got)
			}
		}
		if strings.Count(string(got), "\""+c.edit.uses+"\"") != 1 {
			t.Errorf("%v: not imported once:\n%s", c.edit, got)
		}
	}
}

// An edit of code that a project no longer has is an error, not a patch that does nothing.
func TestEditsThatMiss(t *testing.T) {
	for want, e := range map[string]edit{
		"there is no function Cosine":  {fn: "Cosine", uses: dense},
		"function Norm has no loop":    {fn: "Norm", loop: true, uses: dense},
		`"vek32.Dot" is not there`:     {old: "vek32.Dot", uses: dense},
		"expected statement, found ']": {fn: "Norm", with: "]", uses: dense},
	} {
		if _, err := e.apply([]byte(source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", e, err, want)
		}
	}
}

func TestLower(t *testing.T) {
	got := map[string]float64{}
	for _, ns := range []string{"14", "12.5", "13"} {
		lower(got, "goos: linux\nBenchmarkX/a_b/8 \t 100\t "+ns+" ns/op\t 3 MB/s\nBenchmarkZ\nok\n")
	}
	if len(got) != 1 || math.Round(got["X/a_b/8"]*1e10) != 125 {
		t.Errorf("got %v", got)
	}
}

// Every project names its module, edits and calls, and each edit replaces one thing.
func TestProjects(t *testing.T) {
	projects, err := readProjects()
	if err != nil || len(projects) != 8 {
		t.Fatalf("%d projects: %v", len(projects), err)
	}
	for _, p := range projects {
		if p.module == "" || p.version == "" || p.folder == "" || len(p.edits) == 0 ||
			len(p.calls) == 0 || p.theirs == "" {
			t.Errorf("%s: %+v", p.name, p)
		}
		for _, e := range p.edits {
			calls := strings.Contains(e.with, "dense.") || strings.Contains(e.with, "fast.")
			if e.fn != "" && e.old != "" || e.file == "" || e.with == "" || calls != (e.uses != "") {
				t.Errorf("%s: %+v", p.name, e)
			}
		}
	}
}

// A line or a section that has no meaning is an error.
func TestBadProjects(t *testing.T) {
	for want, text := range map[string]string{
		"unknown line":    "name: a\nnmae: b\n",
		"unknown section": "name: a\n-- a.go add x --\ny\n",
		"invalid syntax":  "rows: many\n",
	} {
		if _, err := parseProject([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
