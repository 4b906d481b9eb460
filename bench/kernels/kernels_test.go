package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// run runs the program in a process of its own, since the program pins itself to a core.
func run(t *testing.T, args ...string) string {
	program := filepath.Join(t.TempDir(), "kernels")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, args...)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	return string(out)
}

func TestQuickRun(t *testing.T) {
	dir := t.TempDir()
	run(t, "-quick", "-dir", dir)
	results := filepath.Join(dir, "bench.txt")
	f, err := os.Open(results)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	have := map[string]int{}
	key := regexp.MustCompile(`op=([^/]*).*/isa=([^/]*)$`)
	for r := benchfmt.NewReader(f, results); r.Scan(); {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			if bad, ok := r.Result().(*benchfmt.SyntaxError); ok {
				t.Error(bad)
			}
			continue
		}
		k := key.FindStringSubmatch(string(result.Name))
		have[k[1]+" "+k[2]]++
		for _, v := range result.Values {
			if !(v.Value > 0) || math.IsInf(v.Value, 0) {
				t.Errorf("%s: %v %s", result.Name, v.Value, v.Unit)
			}
		}
	}
	for _, isa := range asm.Available() {
		want := []string{"train-digits", "train-made-text"}
		for _, k := range asmtest.Kernels {
			want = append(want, k.Name, k.Name+"-misaligned")
		}
		for _, op := range want {
			if n := have[op+" "+isa.String()]; n < leastRounds {
				t.Errorf("%s on %v has %d samples, want at least %d", op, isa, n, leastRounds)
			}
		}
	}
	out, err := exec.Command("go", "tool", "benchstat", "-col", "/isa", "-row", "/op,/n",
		results).CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "dot 784 ") ||
		!strings.Contains(text, "train-digits ") || strings.Contains(text, "need >=") {
		t.Errorf("benchstat: %v\n%.2000s", err, text)
	}
	report, err := measured.Read(dir)
	if err != nil || len(report.Runs) != 2 || len(report.Head) < 10 ||
		!slices.Equal(report.Paths, paths()) {
		t.Fatalf("report %+v, error %v", report, err)
	}
	for _, k := range report.Kernels {
		for _, s := range k.Sizes {
			if !(slices.Min(s.GBs) > 0 && s.ToGo > 0) || s.Limit > 0 != (s.OfLimit > 0) || s.Level == "" {
				t.Errorf("%s: %+v", k.Name, s)
			}
		}
	}
	for _, r := range report.Runs {
		first, last := r.Curve[0], r.Curve[len(r.Curve)-1]
		if !(last.Gap() < first.Gap() && last.Gap() < .25) || r.Accuracy() < .7 {
			t.Errorf("%s: gap %v to %v, accuracy %v", r.Name, first.Gap(), last.Gap(), r.Accuracy())
		}
	}
}

func paths() (names []string) {
	for _, isa := range asm.Available() {
		names = append(names, isa.String())
	}
	return names
}

func TestWays(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "ways")
	if out, err := exec.Command("go", "build", "-o", program, "./ways").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ours, _ := filepath.Glob("ways_gen*.go")
	for _, name := range ours {
		have, failed := os.ReadFile(name)
		want, err := os.ReadFile(filepath.Join(dir, name))
		if failed != nil || err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not current: run go generate ./kernels (%v, %v)", name, failed, err)
		}
	}
	if made, _ := filepath.Glob(filepath.Join(dir, "*.go")); len(made) != len(ours) || len(ours) < 8 {
		t.Errorf("%d files ways_gen*.go, but go generate writes %d; want 8 or more", len(ours),
			len(made))
	}
}

func TestPeers(t *testing.T) {
	dir := t.TempDir()
	out := run(t, "-peers", "-quick", "-dir", dir, "-rounds", "2", "-only", "^(Dot|Axpy|Sum|Gemm|Cosine)|TopMany")
	if strings.Count(out, "### Where we are behind") != 2 || strings.Index(out,
		"### Where we are behind") > strings.Index(out, "### Dot\n") {
		t.Error("the summary is not at the beginning and at the end")
	}
	for _, want := range []string{"### Dot, one float off\n", "| Go loop ",
		"| **ours / Go's best** ", "### DotSparse, a row of\n", "### Gemm"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "Left out:") {
		t.Errorf("a peer has wrong results:\n%s", out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "peers.csv"))
	if err != nil || !strings.Contains(string(text), "\n\"Dot, one float off\",Go loop,256,0,") {
		t.Errorf("%v: %.200s", err, text)
	}
}

func TestPath(t *testing.T) {
	t.Setenv(asm.Variable, "generic")
	out := run(t, "-peers", "-quick", "-dir", t.TempDir(), "-rounds", "2", "-only", "^Axpy$")
	if !strings.Contains(out, "our path: generic") ||
		!strings.Contains(out, "Command: "+asm.Variable+"=generic kernels ") {
		t.Errorf("the output does not name our path:\n%s", out)
	}
}

// seconds[i][k] is the time of way k at the i-th size.
func made(name string, o operation, seconds [][]float64) *table {
	t := &table{operation: &o, Grid: frame.Grid{Title: name}, ways: o.ways}
	for _, w := range o.ways {
		t.Rows = append(t.Rows, w.name)
	}
	for i, times := range seconds {
		var race frame.Race
		for _, s := range times {
			race = append(race, []float64{s, s, s})
		}
		t.sizes, t.Races = append(t.sizes, 8<<i), append(t.Races, race)
		t.Columns = append(t.Columns, fmt.Sprint(8<<i))
	}
	return t
}

func TestSummary(t *testing.T) {
	defer func(was []string) { inC = was }(inC)
	inC = []string{"a library"}
	ways := []way{{name: readLoop}, {name: ours}, {name: ours + ", otherwise"}, {name: "gopher"},
		{name: "sea", inC: true}}
	vectors := operation{both: true, ten: true, ways: ways}
	var b strings.Builder
	err := summary(&b, []*table{
		made("Dot", vectors, [][]float64{{1, 10, 5, 10, 10}, {1, 11, 11, 10, 11}, {1, 12, 12, 13, 10}}),
		made("Sum", vectors, [][]float64{{1, 20, 20, 10, 5}}),
		made("Rows", operation{ways: ways[:3]}, [][]float64{{1, 2, 1}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"| the ten operations, aligned | 4 | 2 | 1 | 4 | 3 | 2 |",
		"Our time is over 1.05 of Go's best: Sum 8 (2.00, gopher); Dot 16 (1.10, gopher).",
		"Our time is over 1.05 of the best, which is in C: Sum 8 (4.00, sea); " +
			"Dot 32 (1.20, sea).",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, b.String())
		}
	}
	if strings.Contains(text, "rows, batches") {
		t.Errorf("operations without peers are counted: %s", b.String())
	}
	b.Reset()
	off := made("Dot", operation{name: "Dot", both: true, ways: ways}, [][]float64{{1, 3, 1, 4, 1}})
	off.off = 1
	if err := overview(&b, []*table{off}); err != nil || !strings.Contains(b.String(), "| Dot +1 | 0.75 |") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

func TestBatch(t *testing.T) {
	const count = 500
	b := batch[float32, float32]{least: float32(math.Inf(-1))}
	b.prepare(2, func(i int) []float32 { return make([]float32, batchCols) })
	score := func(q, i int) float32 { return float32((i*7919 + q*31) % 1009) }
	for _, strip := range []int{1, 7, count, mostInStrip} {
		b.rank(count, strip, func(first, n int) {
			for q := range b.queries {
				for i := range n {
					b.scores[q*n+i] = score(q, first+i)
				}
			}
		})
		for q := range b.queries {
			var all []float32
			for i := range count {
				all = append(all, score(q, i))
			}
			slices.SortFunc(all, func(a, b float32) int { return cmp.Compare(b, a) })
			for k, h := range b.hits[q] {
				if h.score != all[k] || score(q, h.row) != h.score {
					t.Errorf("strips of %d, query %d: hit %d is %v, want %v", strip, q, k, h, all[k])
				}
			}
		}
	}
}

func TestWrongKernelIsNotTimed(t *testing.T) {
	k := asmtest.Kernels[0]
	call := k.Call
	if err := verify(k, 100, 0); err != nil {
		t.Error(err)
	}
	for name, wrong := range map[string]func(*asmtest.Args) float32{
		"everywhere": func(a *asmtest.Args) float32 { return call(a) + 0.01 },
		"in one path": func(a *asmtest.Args) float32 {
			return call(a) * (1 + float32(asm.Active())*0x1p-22)
		},
	} {
		k.Call = wrong
		if one := len(asm.Available()) == 1; verify(k, 100, 0) == nil && (name == "everywhere" || !one) {
			t.Errorf("a kernel that is wrong %s: no error", name)
		}
	}
}

func TestCells(t *testing.T) {
	all := options{rounds: 12, only: regexp.MustCompile("")}
	have := map[string]bool{}
	for _, c := range cells(all, cpu.Caches{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}) {
		have[c.kernel.Name+" "+c.level] = true
	}
	for _, level := range []string{"L1", "L2", "L3", "DRAM"} {
		if !have["dot "+level] || !have["axpysparse "+level] && level != "DRAM" {
			t.Errorf("dot or axpysparse has no size in %s", level)
		}
	}
	for _, c := range cells(all, cpu.Caches{L1: 48 << 10, L2: 2 << 20, L3: 260 << 20}) {
		if c.bytes > mostInMemory+1<<20 {
			t.Errorf("%s has %d bytes, want about %d at most", c.name(), c.bytes, mostInMemory)
		}
	}
	var b bytes.Buffer
	if err := (&measured.Report{Paths: []string{"generic"}}).Summary().Write(&b); err != nil {
		t.Error(err)
	}
}
