package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/model/proof"
	"github.com/pegasimd/pegasimd/internal/sys/bandwidth"
	"github.com/pegasimd/pegasimd/metrics"
	"github.com/pegasimd/pegasimd/pegasos"
)

func TestDigits(t *testing.T) {
	sets := digits()
	if len(sets) != 2 || sets[0].name != "pixels" || sets[1].name != "units" {
		t.Fatalf("%d sets, want pixels and units", len(sets))
	}
	for part, s := range map[string][2]*dataset.Set{
		"train": {sets[0].train, sets[1].train}, "test": {sets[0].test, sets[1].test}} {
		powers := map[float64]bool{}
		for i := range s[0].Rows() {
			for j, v := range s[0].Dense.Row(i) {
				unit := math.Pow10([]int{-4, 1, -2, 3, 0, -3, 2, -1}[j%8])
				powers[unit] = true
				have := s[1].Dense.Row(i)[j]
				if have != float32(float64(v)*unit) || v < 0 || v > 1 {
					t.Fatalf("%s, row %d, column %d: %v for %v", part, i, j, have, v)
				}
			}
		}
		if !slices.Equal(s[0].Y, s[1].Y) || len(powers) != 8 {
			t.Errorf("%s: the labels differ, or there are %d units, want 8", part, len(powers))
		}
	}
}

func few(t *testing.T) []problem {
	t.Helper()
	sets := digits()
	for k := range sets {
		for _, s := range []*dataset.Set{sets[k].train, sets[k].test} {
			s.Dense, s.Y = s.Dense.Take(rows(150)), s.Y[:150]
		}
	}
	return sets
}

func rows(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	return all
}

func TestExport(t *testing.T) {
	dir := t.TempDir()
	var out strings.Builder
	if err := run(&out, digits(), dir); err != nil || out.Len() > 0 {
		t.Fatalf("%v, %q", err, out.String())
	}
	for _, p := range digits() {
		for part, want := range map[string]*dataset.Set{"train": p.train, "test": p.test} {
			name := filepath.Join(dir, p.name+"."+part+".svm")
			have, err := dataset.Read(name, dataset.Options{Features: want.Cols()})
			if err != nil {
				t.Fatal(err)
			}
			if have.Rows() != want.Rows() || !slices.Equal(have.Y, want.Y) {
				t.Fatalf("%s: %d rows of %d, or other labels", name, have.Rows(), want.Rows())
			}
			row := make([]float32, want.Cols())
			for i := range want.Rows() {
				clear(row)
				have.Examples().Axpy(i, 1, row)
				if !slices.Equal(row, want.Dense.Row(i)) {
					t.Fatalf("%s: row %d differs", name, i)
				}
			}
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 4 {
		t.Errorf("%d files", len(entries))
	}
	if err := run(&out, digits(), dir); !os.IsExist(err) {
		t.Errorf("existing files: %v", err)
	}
}

func line(t *testing.T, out, pattern string) []string {
	t.Helper()
	m := regexp.MustCompile("(?m)^" + pattern + "$").FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("no line matches %s:\n%s", pattern, out)
	}
	return m[1:]
}

func TestCompare(t *testing.T) {
	sets := few(t)
	sets[1].test.Y[3]++
	secondsPerCall(t, 3)
	var b strings.Builder
	if err := compare(&b, sets); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	have := line(t, out, `Pegasimd, here, in 1\.50 s +(\S+) % +(\S+) %`)
	for k, p := range sets {
		m, err := pegasos.Train(t.Context(), p.train.Dense, p.train.Y, pegasos.Config{})
		if err != nil {
			t.Fatal(err)
		}
		accuracy := 100 * metrics.Accuracy(p.test.Y, m.PredictAll(p.test.Dense), nil)
		if want := fmt.Sprintf("%.2f", accuracy); have[k] != want || accuracy < 50 {
			t.Errorf("%s: accuracy %s, want %s", p.name, have[k], want)
		}
		if k == 1 && !strings.Contains(out, "Chosen: "+m.Settings()+".\n") {
			t.Errorf("other settings than %s:\n%s", m.Settings(), out)
		}
	}
	if have[0] == have[1] {
		t.Error("both sets have the same accuracy")
	}
	line(t, out, "150 handwritten digits of 64 pixels, ten classes; 150 more to test.")
	line(t, out, `liblinear-train 2\.3\.0 +95\.77 % +60\.36 %`)
	line(t, out, `scikit-learn 1\.2\.1, LinearSVC\(\) +95\.55 % +73\.05 %`)
	line(t, out, `scikit-learn 1\.2\.1, SGDClassifier\(\) +95\.55 % +73\.94 %`)
	line(t, out, `scikit-learn 1\.2\.1, LogisticRegression\(\) +95\.32 % +78\.17 %`)
}

func TestProve(t *testing.T) {
	p := few(t)[0]
	secondsPerCall(t, 3)
	var b strings.Builder
	m, err := prove(&b, p)
	if err != nil {
		t.Fatal(err)
	}
	if m.Config.Multiclass != pegasos.OneVsRest || !(m.Result.Gap <= 0.01) || len(m.Weights) != 10 {
		t.Errorf("%v, gap %v", m.Config, m.Result.Gap)
	}
	worst, k := m.Result.WorstGap()
	want := fmt.Sprintf("Objective %.6f, at most %s above the optimum (digit %d, the worst, %s).\n",
		m.Result.Objective, proof.Percent(m.Result.Gap), k, proof.Percent(worst))
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s, want %s", b.String(), want)
	}
	line(t, b.String(), `Asked for 1 % \(Tol: 0\.01\), .*: 3\.00 s\.`)

	isa := asm.Active()
	b.Reset()
	if err := check(&b, m, p); err != nil {
		t.Fatal(err)
	}
	if asm.Active() != isa {
		t.Errorf("the instruction set is %v afterwards", asm.Active())
	}
	out := b.String()
	objective := line(t, out, `.*: the claim is confirmed\. Objective (\S+), at`)
	if want := fmt.Sprintf("%.6f", m.Result.Objective); objective[0] != want {
		t.Errorf("objective %s, want %s", objective[0], want)
	}
	v, err := new(pegasos.Trainer).Verify(t.Context(), m, p.train.Dense, p.train.Y,
		pegasos.VerifyOptions{Passes: 20})
	if err != nil {
		t.Fatal(err)
	}
	line(t, out, "most "+proof.Percent(v.Gap)+" above the optimum .*")
	line(t, out, m.Hash()+", as on any machine.")

	m.Weights[0][0] = math.Nextafter32(m.Weights[0][0], 1)
	if err := check(&b, m, p); err == nil || !strings.Contains(err.Error(), "1 threads") {
		t.Errorf("a changed model: %v", err)
	}
}

func secondsPerCall(t *testing.T, seconds int) {
	var calls time.Duration
	start := time.Now()
	now = func() time.Time {
		calls++
		return start.Add(calls * time.Duration(seconds) * time.Second)
	}
	t.Cleanup(func() { now = time.Now })
}

func TestTour(t *testing.T) {
	secondsPerCall(t, 1)
	var b strings.Builder
	if err := run(&b, few(t), ""); err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, part := range []string{"Pegasimd on ", "\n1. No flags\n\n150 handwritten", "accuracy",
		"\n2. How good is the model?\n\nAsked for 1 %", "\n3. Who can check that?\n\nVerified",
		"\n4. The kernels on this machine\n\nns a call", "dotsparse", "\nTry next\n\n    go doc"} {
		next := strings.Index(b.String()[at:], part)
		if next < 0 {
			t.Fatalf("%q is missing or misplaced:\n%s", part, b.String())
		}
		at += next
	}
	bad := few(t)
	bad[0].train.Y = bad[0].train.Y[1:]
	if err := run(&b, bad, ""); err == nil {
		t.Error("149 labels for 150 rows are accepted")
	}
}

func TestMain(m *testing.M) {
	if os.Getenv("PEGASIMD_TEST_DEMO") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestProgram(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string // beginning of an error; empty if the program succeeds and prints nothing
	}{
		{[]string{"-export", dir}, ""}, {[]string{"x"}, "demo: \"x\": want flags only\n"},
		{[]string{"-export", dir + "/none"}, "demo: open " + dir},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), "PEGASIMD_TEST_DEMO=1")
		out, err := cmd.CombinedOutput()
		if err == nil != (c.want == "") || !strings.HasPrefix(string(out), c.want) ||
			c.want == "" && len(out) > 0 {
			t.Errorf("%q: %v, %s", c.args, err, out)
		}
	}
}

func TestTrainedIn(t *testing.T) {
	if _, err := trainedIn(asm.Generic, pegasos.Trainer{Config: pegasos.Config{Epochs: -1}},
		few(t)[0]); err == nil {
		t.Error("an invalid Config is accepted")
	}
}

// fakeClock replaces the clock. A run takes 16 ms in plain Go, 8 ms for the next contender, and 12
// ms for the one after it.
func fakeClock(t *testing.T) {
	var elapsed time.Duration
	calls := 0
	start := time.Now()
	now = func() time.Time {
		calls++
		switch {
		case asm.Active() == asm.Generic:
			calls = 0
			elapsed += 16 * time.Millisecond
		case calls <= 2:
			elapsed += 8 * time.Millisecond
		default:
			elapsed += 12 * time.Millisecond
		}
		return start.Add(elapsed)
	}
	t.Cleanup(func() { now = time.Now })
}

// The last column is the time of the loop that only loads and stores, relative to the instruction
// set's time.
func TestTimeKernels(t *testing.T) {
	if asm.Active() == asm.Generic {
		t.Skip("not tested: this machine has no assembly, so that there are no ratios")
	}
	fakeClock(t)
	var b strings.Builder
	timeKernels(&b)
	for _, kernel := range timedKernels {
		limit := ""
		if kernel.shape != bandwidth.None && bandwidth.Available() {
			limit = ` +150 %`
		}
		for _, n := range []string{"100", "784", "4096"} {
			line(t, b.String(), kernel.name+` +`+n+` +1000000\.0 +500000\.0 +2\.0x`+limit)
		}
	}
	line(t, b.String(), fmt.Sprintf(`ns a call +n +plain Go +%v +ratio +of the limit`, asm.Active()))
	if lines := strings.Count(b.String(), "\n"); lines != 1+3*len(timedKernels)+3 {
		t.Errorf("%d lines:\n%s", lines, b.String())
	}
}

func TestTime(t *testing.T) {
	calls, used := 0, asm.Generic
	start := time.Now()
	now = func() time.Time { return start.Add(time.Duration(calls) * 10 * time.Microsecond) }
	defer func() { now = time.Now }()
	isa := asm.Active()
	ns := contender{asm.Generic, func() { calls++; used = asm.Active() }}.time()
	if ns != 10_000 || calls != 16+32+64+128+256+512 || used != asm.Generic || asm.Active() != isa {
		t.Errorf("%v ns, %d calls with %v, then %v", ns, calls, used, asm.Active())
	}
}

func TestMedians(t *testing.T) {
	var elapsed time.Duration
	step := 0
	start := time.Now()
	now = func() time.Time { return start.Add(elapsed) }
	defer func() { now = time.Now }()
	slow := func() { elapsed += time.Duration(5+step/16) * time.Millisecond; step++ }
	fast := func() { elapsed += time.Millisecond; step++ }
	isa := asm.Active()
	// In its seven samples the slow contender takes 5, 7 ... 17 ms a call: the median is 11 ms.
	ns := medians([]contender{{isa, slow}, {isa, fast}})
	if !slices.Equal(ns, []float64{11e6, 1e6}) {
		t.Errorf("%v", ns)
	}
}
