package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// kinds are the benchmarks of testdata/kinds.
var kinds = []string{"Numeric", "Allocating", "Maps", "Goroutines", "Strings"}

// newKinds returns a project with a benchmark of each kind of code.
func newKinds(t *testing.T) *project {
	p := emptyProject(t)
	p.write("go.mod", "module example.com/kinds\n\ngo 1.26\n")
	for _, file := range []string{"kinds.go", "kinds_test.go"} {
		text, err := os.ReadFile(filepath.Join("testdata/kinds", file+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		p.write(file, string(text))
	}
	p.commit("Begin")
	return p
}

// json runs the gate and returns its report, and how long it took.
func (p *project) json(flags ...string) (r report, took time.Duration) {
	p.t.Helper()
	cmd := exec.Command(p.gate, append([]string{"-json", "-base", "HEAD", "-time="}, flags...)...)
	var out, progress bytes.Buffer
	cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GITHUB_STEP_SUMMARY=")
	cmd.Stdout, cmd.Stderr = &out, &progress
	start := time.Now()
	failed := cmd.Run()
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		p.t.Fatalf("%v, %v\n%s", err, failed, &progress)
	}
	return r, time.Since(start)
}

// number returns a number of the report.
func (r report) number(t *testing.T, what, unit string) reportNumber {
	t.Helper()
	for _, n := range r.Numbers {
		if n.What == what && n.Unit == unit {
			return n
		}
	}
	t.Errorf("%s %s was not measured: %s, %q", what, unit, r.Heading, r.Notes)
	return reportNumber{}
}

// Equal code of each kind passes, and never seems better. A change of twice the floor, or of 3 % if
// that is more, and allocations that are twice as many, are found in each kind. GATE_RUNS is how
// often (make gate-runs).
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: kinds of code, counted")
	}
	needs(t, "valgrind")
	runs := 1
	if text := os.Getenv("GATE_RUNS"); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	p := newKinds(t)
	insn, allocs, share := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for i := range runs {
		p.do("git", "checkout", "-q", ".")
		p.edit("kinds.go", `Version = "0"`, fmt.Sprintf("Version = %q\n\nvar _ = %q", "1",
			strings.Repeat("x", i)))
		r, took := p.json()
		if r.Exit != 0 || r.Heading != "nothing is worse" {
			t.Errorf("equal code, run %d: %s %q", i+1, r.Heading, r.Notes)
		}
		for _, kind := range kinds {
			n := r.number(t, kind, "insn/op")
			insn[kind], share[kind] = n.Base, max(0.03, 2*n.Floor, share[kind])
			allocs[kind] = r.number(t, kind, "allocs/op").Base
			if n.Verdict != equal {
				t.Errorf("equal code, run %d, %s: %s", i+1, kind, n.Verdict)
			}
			t.Logf("equal %d %s %.0f %.0f floor %.2f %% %s %.0f s", i+1, kind, n.Base, n.Head,
				100*n.Floor, n.Verdict, took.Seconds())
		}
	}
	for i := range runs {
		for _, c := range []struct {
			name, unit string
			call       func(kind string) string
		}{
			{"slower", "insn/op", func(kind string) string {
				// A turn of the loop in spend has at most 5 instructions.
				return fmt.Sprintf("spend(%.0f)", math.Ceil(share[kind]*insn[kind]/4))
			}},
			{"allocating", "allocs/op", func(kind string) string {
				return fmt.Sprintf("allocate(%.0f)", max(1, allocs[kind]))
			}},
		} {
			p.do("git", "checkout", "-q", ".")
			for _, kind := range kinds {
				p.edit("kinds.go", "// more: "+kind+"\n", c.call(kind)+"\n")
			}
			p.edit("kinds.go", `Version = "0"`, fmt.Sprintf("Version = %q", strconv.Itoa(i+1)))
			r, took := p.json()
			if r.Exit != exitRegression {
				t.Errorf("%s, run %d: %s", c.name, i+1, r.Heading)
			}
			for _, kind := range kinds {
				n := r.number(t, kind, c.unit)
				if n.Verdict != worse {
					t.Errorf("%s, run %d, %s: %s", c.name, i+1, kind, n.Verdict)
				}
				t.Logf("%s %d %s %.0f %.0f floor %.2f %% %s %.0f s", c.name, i+1, kind, n.Base,
					n.Head, 100*n.Floor, n.Verdict, took.Seconds())
			}
		}
	}
}
