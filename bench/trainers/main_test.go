package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/bench/internal/sets"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The program itself verifies objectives and bounds.
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
		"-losses hinge,log -sets digits-8 -peers [ls]* -out " + dir: {
			"| Pegasimd, proven ", "### digits-8, 1797 x 64", "hinge, lambda 0.0001: f* = 0.0821",
			"log, lambda 0.0001", "| liblinear -s 7, default ", noCurves},
		"-peers none -sets digits -threads 1,2 -out " + dir: {"| Pegasimd, plain, 2 threads "},
		"-seeds -peers sklearn -out " + dir:                 {"Command: ", noCurves},
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
			absent := strings.Contains(errors.String(), "absent: liblinear")
			if absent && strings.HasPrefix(want, "| liblinear") {
				t.Log("without liblinear, whose headers are missing")
			} else if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in\n%s", flags, want, out)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "trainers.csv"))
	if err != nil || !strings.HasPrefix(string(text), "table,row,column,round,seconds\n\"digits") {
		t.Errorf("%v: %.200s", err, text)
	}
	if svg, _ := filepath.Glob(filepath.Join(dir, "*.svg")); len(svg) != 6 {
		t.Errorf("figures %v, want 6", svg)
	}
}

// On dense standardized columns the default would choose curves.
func TestNoCurves(t *testing.T) {
	of, err := sets.OpenSplit("digits-8")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := of.Train.WithLayout(dataset.LayoutDense)
	if err != nil {
		t.Fatal(err)
	}
	for curves, more := range map[pegasos.Curves]bool{"": true, pegasos.CurvesNone: false} {
		cfg := same("hinge", 0)
		cfg.Scale = pegasos.ScaleStandard
		if cfg.Curves != pegasos.CurvesNone {
			t.Fatalf("the configuration of same has curves %q", cfg.Curves)
		}
		cfg.Curves = curves
		m, err := pegasos.Train(t.Context(), rows.Examples(), rows.Y, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if has := m.Scaling.Expansion != nil; has != more {
			t.Errorf("curves %q: the model has curves: %v", curves, has)
		}
	}
	for _, form := range []string{"library", "paper"} {
		if cfg := formOf(form); cfg.Curves != pegasos.CurvesNone {
			t.Errorf("formOf(%q) has curves %q", form, cfg.Curves)
		}
	}
}

func TestVerify(t *testing.T) {
	p := &problem{session: &session{}, set: &sets.Set{}, bound: 1}
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
			t.Errorf("%+v with the objective %v: error %v", c.t, c.f, err)
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
		t.Errorf("three classes: objective %v, want %v", got, 1+10./12)
	}
	predicted := predict(three, classes(three), each)
	if got := accuracy(three.Y, predicted); got != 75 {
		t.Errorf("labels %v: accuracy %v %%, want 75", predicted, got)
	}
}
