package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
)

// The whole program, with the peers that are installed. It fails by itself if an objective or a
// bound can't be right.
func TestQuick(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	binary := filepath.Join(t.TempDir(), "trainers")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(binary, "-quick", "-json")
	cmd.Env = append(os.Environ(), "PEGASIMD_DATA=")
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	t.Logf("%s", errors.String())
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Tables []struct {
			Set  string
			Rows []struct {
				Name    string
				Ours    bool
				Best    float64 `json:"best_over_optimum"`
				Seconds []*float64
			}
		}
		Many []struct{ Rows []manyRow } `json:"many_classes"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 2 || len(r.Many) != 1 {
		t.Fatalf("%d tables of two classes and %d of more, want 2 and 1", len(r.Tables),
			len(r.Many))
	}
	for _, table := range r.Tables {
		ours := 0
		for _, row := range table.Rows {
			if row.Best < 1-1e-4 || row.Seconds[0] == nil && row.Ours {
				t.Errorf("%s, %s: %+v", table.Set, row.Name, row)
			}
			if row.Ours {
				ours++
			}
		}
		if ours < 3 {
			t.Errorf("%s: %d rows of ours", table.Set, ours)
		}
	}
	for _, row := range r.Many[0].Rows {
		if row.Ours && row.Effort >= 4 && row.Accuracy < 90 {
			t.Errorf("%+v", row)
		}
	}
}

// Curves are read off between points, and at the first one.
func TestReadOff(t *testing.T) {
	o := &optimum{lower: 1, upper: 1}
	c := &contender{}
	for k, above := range []float64{0.4, 0.1, 0.02, 0.03, 0.001} {
		at := point{Effort: float64(k), CPU: []float64{math.Pow(2, float64(k))},
			Objective: []float64{1 + above}, Accuracy: []float64{80 + float64(k)}}
		c.points = append(c.points, at)
	}
	for _, test := range []struct{ f, seconds float64 }{
		{1.5, 1}, {1.4, 1}, {1.2, math.Sqrt2}, {1.1, 2}, {1.02, 4}, {1.001, 16},
		{1.0001, math.NaN()},
	} {
		got, ok := c.toObjective(o, test.f, (*point).cpu)
		if ok != (test.seconds == test.seconds) || ok && math.Abs(got-test.seconds) > 1e-9 {
			t.Errorf("to %g: %v, want %v", test.f, got, test.seconds)
		}
	}
	for _, test := range []struct{ percent, seconds float64 }{
		{79, 1}, {80.5, 2}, {84, 16}, {85, math.NaN()},
	} {
		got, ok := c.toAccuracy(test.percent)
		if ok != (test.seconds == test.seconds) || ok && got != test.seconds {
			t.Errorf("to %g %%: %v, want %v", test.percent, got, test.seconds)
		}
	}
}

// Rows that are written to a file and read again are the same.
func TestRows(t *testing.T) {
	train, _, err := digits8(true)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "rows")
	if err := writeRows(name, train); err != nil {
		t.Fatal(err)
	}
	again, err := readRows(name)
	if err != nil {
		t.Fatal(err)
	}
	if again.Rows() != train.Rows() || again.Cols() != train.Cols() ||
		!slices.Equal(again.Y, train.Y) {
		t.Fatal("another size or other labels")
	}
	for i := range train.Rows() {
		idx, val := train.Sparse.Row(i)
		idx2, val2 := again.Sparse.Row(i)
		if !slices.Equal(idx, idx2) || !slices.Equal(val, val2) {
			t.Fatalf("row %d is another one", i)
		}
	}
}

// One vector a class or one a pair: both kinds of models are judged.
func TestAccuracyOfMany(t *testing.T) {
	s, err := dataset.ReadFrom(strings.NewReader("1 1:1\n2 2:1\n3 3:1\n3 1:1\n"), "four rows.svm",
		dataset.Options{Layout: dataset.LayoutSparse})
	if err != nil {
		t.Fatal(err)
	}
	each := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	// 1 or 2, 1 or 3, 2 or 3: positive for the second
	pairs := [][]float64{{-1, 1, 0}, {-1, 0, 1}, {0, -1, 1}}
	if got, err := accuracyOfMany(s, each, false); err != nil || got != 75 {
		t.Errorf("a vector a class: %v %%, want 75 (%v)", got, err)
	}
	if got, err := accuracyOfMany(s, pairs, true); err != nil || got != 75 {
		t.Errorf("a vector a pair: %v %%, want 75 (%v)", got, err)
	}
	if _, err := accuracyOfMany(s, each[:2], false); err == nil {
		t.Error("two vectors for three classes: no error")
	}
}

// The settings are JSON that the trainer takes.
func TestSettings(t *testing.T) {
	for _, choices := range studies {
		configs, values := combinations(choices)
		n := 1
		for _, c := range choices {
			n *= len(c.values)
		}
		if len(configs) != n || len(values) != n {
			t.Fatalf("%d combinations, want %d", len(configs), n)
		}
		for i, c := range configs {
			if _, err := config(compact(c)); err != nil {
				t.Errorf("%s: %v", c, err)
			}
			if len(values[i]) != len(choices) {
				t.Errorf("%s: %v", c, values[i])
			}
		}
	}
	for _, s := range slices.Concat(settings, settingsOfMany) {
		if _, err := config(compact(s.config)); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}
