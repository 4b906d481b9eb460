package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var kinds = []string{"Numeric", "Allocating", "Maps", "Goroutines", "Strings"}

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

type report struct {
	Heading string
	Exit    int
	Notes   []string
	Numbers []reportNumber
}

type reportNumber struct {
	What, Unit string
	Base, Head float64
	Change     *float64
	Floor      float64 `json:"believed_beyond"`
	Verdict    verdict
}

func (p *project) json(flags ...string) (r report, took time.Duration) {
	p.t.Helper()
	cmd := p.command(nil, append([]string{"-json", "-base", "HEAD", "-time="}, flags...)...)
	var out, progress bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &progress
	start := time.Now()
	failed := cmd.Run()
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		p.t.Fatalf("%v, %v\n%s", err, failed, &progress)
	}
	return r, time.Since(start)
}

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

// TestKinds makes each kind of code slower by twice the floor of equal code, at least 3 %.
// GATE_RUNS is the number of runs.
func TestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: kinds of code, counted")
	}
	needs(t, "valgrind")
	runs := 1
	if text := os.Getenv("GATE_RUNS"); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil || runs < 1 {
			t.Fatalf("GATE_RUNS=%s: want a number of runs, at least 1", text)
		}
	}
	p := newKinds(t)
	insn, allocs, share := map[string]float64{}, map[string]float64{}, map[string]float64{}
	turn := 0.0 // instructions of one iteration of spend's loop
	for i := range runs {
		p.do("git", "checkout", "-q", ".")
		p.edit("kinds.go", `Version = "0"`, fmt.Sprintf("Version = %q\n\nvar _ = %q", "1",
			strings.Repeat("x", i)))
		r, took := p.json()
		if r.Exit != 0 || r.Heading != "nothing is worse" {
			t.Errorf("equal code, run %d: %s %q", i+1, r.Heading, r.Notes)
		}
		turn = r.number(t, "Spend", "insn/op").Base / 1000
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
				return fmt.Sprintf("spend(%.0f)", math.Ceil(share[kind]*insn[kind]/turn))
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
				change := n.Head/n.Base - 1
				if n.Verdict != worse || c.name == "slower" && math.Abs(change/share[kind]-1) > 0.2 {
					t.Errorf("%s, run %d, %s: %s, %+.2f %%, want worse, slower code by %.2f %%",
						c.name, i+1, kind, n.Verdict, 100*change, 100*share[kind])
				}
				t.Logf("%s %d %s %.0f %.0f floor %.2f %% %s %.0f s", c.name, i+1, kind, n.Base,
					n.Head, 100*n.Floor, n.Verdict, took.Seconds())
			}
		}
	}
}

// A benchmark's allocations hardly affect the counts of later benchmarks, because the gate's hook
// uses 64 MiB of the heap before the first benchmark, and grows the stack before each counted part.
func TestNeighbors(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: neighbors, counted")
	}
	needs(t, "valgrind")
	p := emptyProject(t)
	p.write("go.mod", "module example.com/ex\n\ngo 1.24\n")
	p.write("f_test.go", `package ex

import "testing"

var (
	sink []byte
	deep = 1
)

const size = 1 << 10

func BenchmarkFirst(b *testing.B) {
	for range b.N {
		sink = make([]byte, size)
	}
}

func BenchmarkSecond(b *testing.B) {
	for range b.N {
		sink = make([]byte, 64<<10)
	}
}

func dive(n int) (sum int) {
	var frame [100]int
	if n > 0 {
		sum = dive(n - 1)
	}
	frame[sum&7]++
	return sum + frame[1]
}

func BenchmarkThird(b *testing.B) {
	for range b.N {
		deep = dive(10) + 1
	}
}
`)
	p.commit("Begin")
	p.edit("f_test.go", "1 << 10", "1 << 20")
	r, _ := p.json()
	// The order of free pages still differs.
	for name, most := range map[string]float64{"Second": 0.2, "Third": 0.005} {
		n := r.number(t, name, "insn/op")
		if n.Verdict != equal || math.Abs(n.Head/n.Base-1) > most {
			t.Errorf("%s: %s, from %v to %v", name, n.Verdict, n.Base, n.Head)
		}
	}
	if n := r.number(t, "First", "B/op"); n.Verdict != worse {
		t.Errorf("First: %+v", n)
	}
}
