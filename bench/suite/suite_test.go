package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/bench/internal/training"
	"github.com/pegasimd/pegasimd/gate/machine"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/asmtest"
)

// A quick run has every kernel in every path and every training, benchstat makes tables of it
// without a complaint, and the training that it reports converges.
func TestQuickRun(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: make bench")
	}
	dir := t.TempDir()
	suite, curves, results := filepath.Join(dir, "suite"), filepath.Join(dir, "training.json"),
		filepath.Join(dir, "bench.txt")
	if out, err := exec.Command("go", "build", "-o", suite, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(suite, "-quick", "-training", curves)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	if err := os.WriteFile(results, text, 0o666); err != nil {
		t.Fatal(err)
	}

	have := map[string]int{}
	r := benchfmt.NewReader(bytes.NewReader(text), results)
	for r.Scan() {
		switch result := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(result)
		case *benchfmt.Result:
			keys := map[string]string{}
			_, parts := result.Name.Parts()
			for _, part := range parts {
				if key, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "="); ok {
					keys[key] = value
				}
			}
			have[keys["op"]+" "+keys["isa"]]++
			for _, v := range result.Values {
				if !(v.Value > 0) || math.IsInf(v.Value, 0) {
					t.Errorf("%s: %v %s", result.Name, v.Value, v.Unit)
				}
			}
		}
	}
	for _, isa := range asm.Available() {
		want := []string{"train-digits", "train-synthetic-text", "train-synthetic-dense"}
		for _, k := range asmtest.Kernels {
			want = append(want, k.Name, k.Name+"-misaligned")
		}
		for _, op := range want {
			if have[op+" "+isa.String()] < 6 {
				t.Errorf("%s on %v has %d samples, want 6 or more", op, isa,
					have[op+" "+isa.String()])
			}
		}
	}
	if better := r.Units().GetBetter("%limit"); better != 1 {
		t.Errorf("%%limit: better is %d", better)
	}

	benchstat := exec.Command("go", "tool", "benchstat", "-col", "/isa", "-row", "/op,/n", results)
	complaints.Reset()
	benchstat.Stderr = &complaints
	tables, err := benchstat.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("benchstat: %v\n%s", err, complaints.Bytes())
	}
	for _, want := range []string{"sec/op", "B/s", "x-generic", "dot 784 ", "axpy-misaligned 784 ",
		"train-digits "} {
		if !strings.Contains(string(tables), want) {
			t.Errorf("benchstat's tables lack %q", want)
		}
	}
	for _, complaint := range []string{"benchmarks vary", "need >="} {
		if strings.Contains(string(tables), complaint) {
			t.Errorf("benchstat says %q", complaint)
		}
	}

	var runs []*training.Run
	text, err = os.ReadFile(curves)
	if err == nil {
		err = json.Unmarshal(text, &runs)
	}
	if err != nil || len(runs) != 3 {
		t.Fatalf("%d runs of training: %v", len(runs), err)
	}
	for _, run := range runs {
		first, last := run.Curve[0], run.Curve[len(run.Curve)-1]
		from, to := first.Gap(), last.Gap()
		t.Logf("%s: gap %.3f to %.3f, accuracy %.3f", run.Name, from, to, run.Accuracy())
		if !(to < from && to < 0.25) || run.Accuracy() < 0.7 {
			t.Errorf("%s: gap %v to %v, accuracy %v", run.Name, from, to, run.Accuracy())
		}
		for _, p := range run.Curve {
			if p.Objective < last.Dual || p.Dual > last.Objective {
				t.Errorf("%s: after %d steps %v and the bound %v are impossible", run.Name, p.Steps,
					p.Objective, p.Dual)
			}
		}
	}
}

// What verify is for: a kernel that is wrong is not timed.
func TestWrongKernelIsNotTimed(t *testing.T) {
	k := asmtest.Kernels[0]
	call := k.Call
	for name, wrong := range map[string]func(*asmtest.Args) float32{
		"everywhere": func(a *asmtest.Args) float32 { return call(a) + 0.01 },
		"in one path": func(a *asmtest.Args) float32 {
			return call(a) * (1 + float32(asm.Active())*0x1p-20)
		},
	} {
		if name == "in one path" && len(asm.Available()) == 1 {
			t.Log("there is one path only")
			continue
		}
		k.Call = wrong
		if err := verify(k, k.New(100, memory{}, asmtest.Uniform(1))); err == nil {
			t.Errorf("wrong %s: no error", name)
		}
	}
	k.Call = call
	if err := verify(k, k.New(100, memory{}, asmtest.Uniform(1))); err != nil {
		t.Error(err)
	}
}

// On a machine with ordinary caches there are sizes for every level.
func TestLevels(t *testing.T) {
	m := &meter{options: options{sizes: []int{8, 100, 4096, 16384}, large: true},
		caches: machine.Caches{L1: 32 << 10, L2: 1 << 20, L3: 32 << 20, Known: true}}
	have := map[string]bool{}
	for _, c := range m.kernels() {
		if want := c.level == "DRAM" && c.kernel.Name != "prefetch"; m.isLong(c) != want {
			t.Errorf("%s: one call is a sample: %v", c.name(), !want)
		}
		if c.misaligned {
			have[c.kernel.Name+" misaligned"] = true
		} else {
			have[c.kernel.Name+" "+c.level] = true
		}
	}
	for _, k := range asmtest.Kernels {
		for _, level := range []string{"L1", "L2", "L3", "DRAM", "misaligned"} {
			if k.Most > 0 && (level == "L3" || level == "DRAM") {
				continue // its largest operands fit L2
			}
			if !have[k.Name+" "+level] {
				t.Errorf("%s is not measured in %s", k.Name, level)
			}
		}
	}
}

// A machine that does something else for a while does not make a short call look like a long one.
func TestPlanOnABusyMachine(t *testing.T) {
	const length = 10 * time.Millisecond
	for _, c := range []struct {
		call time.Duration
		want plan
	}{
		{8, plan{batches, 400_000}},
		{time.Millisecond, plan{batches, 3}},
		{time.Second, plan{1, 1}},
	} {
		for busy := range 60 { // at which reading of the clock
			readings := 0
			have := planFor(length, func(calls int) time.Duration {
				took := time.Duration(calls) * c.call
				if readings >= busy && readings < busy+3 {
					took += 20 * time.Millisecond
				}
				readings++
				return took
			})
			if have.batches != c.want.batches || have.calls < c.want.calls*3/4 ||
				have.calls > c.want.calls*5/4 {
				t.Errorf("%v a call, busy from reading %d on: %+v, want %+v", c.call, busy, have,
					c.want)
			}
		}
	}
	if err := (plan{1, 1}).check(sample{ns: 8}); err == nil {
		t.Error("a sample of one call of 8 ns")
	}
	if err := (plan{batches, 400_000}).check(sample{ns: 8}); err != nil {
		t.Error(err)
	}
	if err := (plan{1, 1}).check(sample{ns: 1e9}); err != nil {
		t.Error(err)
	}
}
