package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The whole program, with the peers that are installed. It fails by itself if an objective or a
// bound can't be right.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "trainers")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const noCurves = "Curves: none, in all runs of Pegasimd"
	for flags, wants := range map[string][]string{
		"-sections objective,proofs -losses hinge,log -sets digits-8 -peers [ls]*": {
			"| **Pegasimd, proven** ", "### digits-8, 1797 x 64", "hinge, lambda 0.0001: f* = 0.0821",
			"log, lambda 0.0001", "liblinear -s 7, within 1 %", noCurves},
		"-sections objective -peers none -sets digits-scaled -threads 1,2": {
			"| **Pegasimd, 2 threads** "},
		"-sections threads,memory -threads 1,2": {
			"| digits-8, 1797 x 64, 32.7 nonzeros a row, 0.0001, 1 %             | 2 ",
			"| made-text-scaled, 3000 x 8000", "| digits-scaled, 1797 x 64", "| digits-8         | 5 "},
		"-defaults -peers liblinear,sklearn": {"| made-tiny-three, 4", "| Pegasimd -curves none ",
			"| made-numbers-small, 63 x 10", "Curves: none in Pegasimd -curves none; chosen from"},
		"-seeds -peers sklearn -out " + dir: {"Command: ", noCurves},
	} {
		cmd := exec.Command(binary, append([]string{"-quick"}, strings.Fields(flags)...)...)
		cmd.Env = append(os.Environ(), "PEGASIMD_DATA=")
		var errors strings.Builder
		cmd.Stderr = &errors
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s%s", flags, err, out, errors.String())
		}
		for _, want := range wants {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in\n%s", flags, want, out)
			}
		}
	}
	if svg, _ := filepath.Glob(filepath.Join(dir, "*.svg")); len(svg) != 6 {
		t.Errorf("figures: %v", svg)
	}
}

// Ours trains on the peers' columns alone, even on dense standardized columns, where curves would be
// chosen.
func TestNoCurves(t *testing.T) {
	of, err := openNamed("digits-8")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := of.train.WithLayout(dataset.LayoutDense)
	if err != nil {
		t.Fatal(err)
	}
	for curves, more := range map[pegasos.Curves]bool{"": true, pegasos.CurvesNone: false} {
		cfg := same("hinge", 0)
		cfg.Scale = pegasos.ScaleStandard
		if cfg.Curves != pegasos.CurvesNone {
			t.Fatalf("the configuration beside peers has curves %q", cfg.Curves)
		}
		cfg.Curves = curves
		m, err := pegasos.Train(t.Context(), rows.Examples(), rows.Y, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if has := m.Scaling.Expansion != nil; has != more {
			t.Errorf("curves %q: expanded %v", curves, has)
		}
	}
	for _, form := range []string{"library", "paper"} {
		if cfg := formOf(form); cfg.Curves != pegasos.CurvesNone {
			t.Errorf("the %s's form has curves %q", form, cfg.Curves)
		}
	}
}

// An objective that contradicts a proof, or what the library says, is an error.
func TestVerify(t *testing.T) {
	p := &problem{session: &session{}, set: &set{}, bound: 1}
	for _, c := range []struct {
		t  training
		f  float64
		ok bool
	}{
		{training{}, 1.5, true}, {training{}, .999, false}, {training{}, math.NaN(), false},
		{training{objective: 1.5, bound: 1.4}, 1.5, true}, {training{objective: 1.6}, 1.5, false},
		{training{objective: 1.5, bound: 1.51}, 1.5, false},
	} {
		if err := p.verify(&c.t, c.f); (err == nil) != c.ok {
			t.Errorf("%+v, %v: %v", c.t, c.f, err)
		}
	}
}

func rowsOf(t *testing.T, text string) *dataset.Set {
	t.Helper()
	s, err := dataset.ReadFrom(strings.NewReader(text), "rows.svm",
		dataset.Options{Layout: dataset.LayoutSparse})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Objectives are those worked out by hand, for two classes and for three.
func TestObjective(t *testing.T) {
	two := rowsOf(t, "-1 1:1\n1 2:1\n")
	for loss, want := range map[string]float64{
		"hinge": .25 + 1, "squared-hinge": .25 + 1.25, "log": .25 + .5*math.Log(1+math.Exp(.5)) +
			.5*math.Log(1+math.Exp(-.5)),
	} {
		if got := objective(two, loss, 1, []float64{.5, .5}); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", loss, got, want)
		}
	}
	three := rowsOf(t, "1 1:1\n2 2:1\n3 3:1\n3 1:1\n")
	each := []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}
	// Hinge losses of the classes: 0+1+1+2, 1+0+1+1, 1+1+0+1.
	if got := objective(three, "hinge", 2, each); math.Abs(got-(1+10./12)) > 1e-12 {
		t.Errorf("three classes: %v", got)
	}
	predicted := predict(three, classes(three), each)
	if got := accuracy(three.Y, predicted); got != 75 {
		t.Errorf("%v: %v %%", predicted, got)
	}
}

// Two rows far apart: K is the identity, so that with C of 1 each alpha is 1, every margin 1 and
// the gap 0; of half the alphas |w|^2 = 1/2, P = 1/8 + 1/2, D = 1/2 - 1/8.
func TestMachineGap(t *testing.T) {
	s := rowsOf(t, "1 1:100\n-1 1:-100\n")
	m := machineOf{gamma: 1, lambda: .5}
	if gap := m.gap(s, []float64{1, -1}, 0); math.Abs(gap) > 1e-12 {
		t.Errorf("gap %v, want 0", gap)
	}
	if gap := m.gap(s, []float64{.5, -.5}, 0); math.Abs(gap-2./3) > 1e-12 {
		t.Errorf("gap %v, want 2/3", gap)
	}
}

// Rows of all classes are for testing, and a row that is tested twice is one observation.
func TestSplits(t *testing.T) {
	y := make([]float32, 103)
	for i := range y {
		y[i] = float32(i % 3 / 2) // 69 of one class, 34 of the other
	}
	whole := &set{train: fromRows(1, y, func(int, func(int, float32)) {})}
	split, rows := whole.kept(3)
	ones := 0
	for k, i := range rows {
		if split.test.Y[k] != y[i] {
			t.Fatalf("row %d has the label %v", i, split.test.Y[k])
		}
		ones += int(y[i])
	}
	if split.train.Rows() != 72 || len(rows) != 31 || ones != 10 {
		t.Errorf("%d and %d rows, %d of the smaller class", split.train.Rows(), len(rows), ones)
	}
	a := &result{rows: []tested{{1, 1}, {2, 1}, {1, 1}, {2, 0}}}
	b := &result{rows: []tested{{1, 0}, {2, 1}, {1, 0}, {2, 0}}}
	if difference, deviation := a.minus(b); difference != .5 || deviation != math.Sqrt(2)/4 {
		t.Errorf("%v ± %v", difference, deviation)
	}
}

// A row in a hundred is 100 times as long as most or longer.
func TestOutliers(t *testing.T) {
	r := recipe{Rows: 5000, Cols: 30, Classes: 2, Noise: .5, Outliers: true}
	s, err := r.timed()
	if err != nil {
		t.Fatal(err)
	}
	long := 0
	for i := range s.Rows() {
		_, values := s.Sparse.Row(i)
		if dense.Norm(values) > 200 {
			long++
		}
	}
	if long < 25 || long > 75 {
		t.Errorf("%d long rows", long)
	}
}

// Made sets are the same twice, and hold what they should.
func TestMade(t *testing.T) {
	for _, s := range madeSources() {
		if strings.Contains(s.name, "many") || testing.Short() {
			continue // the same code at a greater length
		}
		a, err := s.open()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := s.open()
		same := slices.Equal(a.train.Y, b.train.Y)
		for i := range a.train.Rows() {
			idx, val := a.train.Sparse.Row(i)
			idx2, val2 := b.train.Sparse.Row(i)
			same = same && slices.Equal(idx, idx2) && slices.Equal(val, val2)
		}
		if n := len(classes(a.train)); !same || n < 2 {
			t.Errorf("%s: same %v, %d classes", s.name, same, n)
		}
	}
}
