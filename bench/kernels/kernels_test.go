package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/bench/internal/cpu"
	"github.com/pegasimd/pegasimd/bench/internal/measured"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// run runs the program, which pins itself to a core.
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

// A quick run has every kernel on every path and every training, benchstat makes tables of it, and
// the training converges.
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
				t.Errorf("%s on %v has %d samples", op, isa, n)
			}
		}
	}
	out, err := exec.Command("go", "tool", "benchstat", "-col", "/isa", "-row", "/op,/n",
		results).CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "dot 784 ") ||
		!strings.Contains(text, "train-digits ") || strings.Contains(text, "need >=") {
		t.Errorf("benchstat: %v\n%.2000s", err, text)
	}
	var report measured.Report
	text, err := os.ReadFile(filepath.Join(dir, "bench.json"))
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil || len(report.Runs) != 2 {
		t.Fatalf("%d runs of training: %v", len(report.Runs), err)
	}
	for _, r := range report.Runs {
		first, last := r.Curve[0], r.Curve[len(r.Curve)-1]
		if !(last.Gap() < first.Gap() && last.Gap() < .25) || r.Accuracy() < .7 {
			t.Errorf("%s: gap %v to %v, accuracy %v", r.Name, first.Gap(), last.Gap(), r.Accuracy())
		}
	}
}

// Every way that this build has is right, and the tables have a ratio to the best peer.
func TestPeers(t *testing.T) {
	out := run(t, "-peers", "-quick", "-rounds", "2", "-only", "^(Dot|Axpy|Sum|Gemm|Cosine)")
	for _, want := range []string{"### Dot, one float off\n", "| Go loop ",
		"| ours by the best peer's", "### DotSparse, a row of\n", "### Gemm"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "Left out:") {
		t.Errorf("a peer is wrong:\n%s", out)
	}
}

// A kernel that is wrong is not timed.
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
			t.Errorf("wrong %s: no error", name)
		}
	}
}

// On a machine with ordinary caches there are sizes for every level; on one with a huge last cache,
// a run is still predicted to be short.
func TestCells(t *testing.T) {
	all := options{rounds: 12, only: regexp.MustCompile("")}
	have := map[string]bool{}
	for _, c := range cells(all, cpu.Caches{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20}) {
		have[c.kernel.Name+" "+c.level] = true
	}
	for _, level := range []string{"L1", "L2", "L3", "DRAM"} {
		if !have["dot "+level] || !have["axpysparse "+level] && level != "DRAM" {
			t.Errorf("no size in %s", level)
		}
	}
	time := 0.
	for _, c := range cells(all, cpu.Caches{L1: 48 << 10, L2: 2 << 20, L3: 260 << 20}) {
		time += c.milliseconds(all.rounds)
		if c.bytes > mostInMemory+1<<20 {
			t.Errorf("%s has %d bytes", c.name(), c.bytes)
		}
	}
	if t.Logf("predicted: %.0f s", time/1e3); time > 180e3 {
		t.Errorf("a run takes %.0f s", time/1e3)
	}
	var b bytes.Buffer
	if err := (&measured.Report{Paths: []string{"generic"}}).Summary().Write(&b); err != nil {
		t.Error(err)
	}
}
