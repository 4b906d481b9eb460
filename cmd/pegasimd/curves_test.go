package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/pegasos"
)

func ringTable(rows int, word bool) string {
	r := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("a,b,c,y\n")
	for i := range rows {
		u, v := r.NormFloat64(), r.NormFloat64()
		y, c := 0, fmt.Sprintf("%.3f", r.Float64())
		if u*u+v*v < 1.4 {
			y = 1
		}
		if word {
			c = []string{"red", "green", "blue"}[i%3]
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%s,%d\n", 10*u+3, v, c, y)
	}
	return b.String()
}

func TestCurves(t *testing.T) {
	dir := t.TempDir()
	of := func(name string) string { return filepath.Join(dir, name) }
	table := file(t, "ring.csv", ringTable(400, false))
	must(t, "convert", table, of("ring.npy"))
	must(t, "convert", "-layout", "dense", table, of("ring.pgsm"))
	var weights []float32
	for i, data := range []string{table, of("ring.npy"), of("ring.pgsm")} {
		model := of(fmt.Sprint(i, ".model"))
		must(t, "train", data, model)
		m := modelOf(t, model)
		if m.Config.Curves != pegasos.CurvesProducts {
			t.Errorf("%s: %s", data, m.Settings())
		}
		if weights == nil {
			weights = m.Weights[0]
		}
		if fmt.Sprint(weights) != fmt.Sprint(m.Weights[0]) {
			t.Errorf("%s: other weights", data)
		}
	}
	model := of("0.model")
	if stdout, _ := must(t, "inspect", model); !strings.Contains(stdout, "a^2") {
		t.Errorf("inspect names no square:\n%s", stdout)
	}
	must(t, "verify", model, table)
	fails(t, exitError, "represent the model's curves", "convert", "-to", "liblinear", model, of("x"))
	must(t, "convert", "-to", "onnx", model, of("x.onnx"))
	must(t, "convert", "-to", "json", model, of("x.json"))
	must(t, "convert", "-from", "json", of("x.json"), of("again.model"))
	if read(t, of("again.model")) != read(t, model) {
		t.Error("conversion to JSON and back changes the model file")
	}
	must(t, "train", "-curves", "none", table, of("line.model"))
	if _, stderr := must(t, "eval", table, of("line.model")); strings.Contains(stderr, "curves") {
		t.Error(stderr)
	}
}

func TestCurvesBesideWords(t *testing.T) {
	table := file(t, "words.csv", ringTable(400, true))
	model := filepath.Join(t.TempDir(), "words.model")
	must(t, "train", table, model)
	m, err := pegasos.ReadFile(model)
	if err != nil || m.Scaling == nil || m.Scaling.Expansion == nil ||
		len(m.Scaling.Expansion.Terms) != 3 {
		t.Fatalf("%v, %v", m.Settings(), err)
	}
	stdout, _ := must(t, "inspect", model)
	if !strings.Contains(stdout, "b^2") {
		t.Errorf("inspect names no square:\n%s", stdout)
	}
	must(t, "verify", model, table)
	want, _ := must(t, "predict", "-scores", table, model)
	if _, told := must(t, "convert", "-to", "onnx", model, model+".onnx"); !strings.Contains(told,
		"onnx leaves out how cells are read") {
		t.Error(told)
	}
	_, stderr := must(t, "convert", "-for", model, table, model+".svm")
	if !strings.Contains(stderr, "and 3 curves computed from them") {
		t.Errorf("convert -for: %s", stderr)
	}
	must(t, "convert", "-to", "json", model, model+".json")
	must(t, "convert", "-from", "json", model+".json", model+"2")
	if have, _ := must(t, "predict", "-scores", table, model+"2"); have != want {
		t.Error("the model converted to JSON and back has other scores")
	}
}

func TestConvertCurves(t *testing.T) {
	for _, kind := range []string{"products", "pieces"} {
		for _, word := range []bool{false, true} {
			table, dir := file(t, "ring.csv", ringTable(300, word)), t.TempDir()
			model := filepath.Join(dir, "model")
			must(t, "train", "-curves", kind, table, model)
			m := modelOf(t, model)
			want := scoresOf(t, table, model)
			for _, name := range []string{"x.csv", "x.svm", "x.npy"} {
				out := filepath.Join(dir, name)
				must(t, "convert", "-for", model, table, out)
				set := setOf(t, out)
				if set.Cols() != len(m.Weights[0]) || set.Rows() != 300 {
					t.Fatalf("%s, %v, %s: %d columns, %d rows", kind, word, name, set.Cols(),
						set.Rows())
				}
				for i := range set.Y {
					z := m.Bias[0]
					for j, v := range rowOf(set, i) {
						z += float64(v) * float64(m.Weights[0][j])
					}
					if math.Abs(z-want[i]) > 1e-5*(1+math.Abs(z)) {
						t.Fatalf("%s, %v, %s: row %d has the score %v, want %v",
							kind, word, name, i, z, want[i])
					}
				}
			}
			header, _, _ := strings.Cut(read(t, filepath.Join(dir, "x.csv")), "\n")
			term := map[string]string{"products": ",a^2", "pieces": ",a above "}[kind]
			if !strings.Contains(header, term) || !strings.HasPrefix(header, "a,") {
				t.Errorf("%s, %v: the header is %s", kind, word, header)
			}
		}
	}
}

func TestVerifyOtherTerms(t *testing.T) {
	data, model := file(t, "ring.csv", ringTable(400, false)), filepath.Join(t.TempDir(), "model")
	must(t, "train", "-curves", "products", data, model)
	checks := func() bool {
		t.Helper()
		_, out, stderr := pegasimd(t, "verify", "-json", "-", model, data)
		var r verifyReport
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Verdict != "confirmed" {
			t.Fatalf("%v: %s%s", err, out, stderr)
		}
		return slices.Contains(r.Checked, "scaling.expansion") &&
			!slices.Contains(r.NotChecked, "scaling.expansion")
	}
	if !checks() {
		t.Error("the terms were not checked")
	}
	set := setOf(t, data)
	m := modelOf(t, model)
	tr := pegasos.Trainer{Config: m.Config, Fingerprint: true, CurveColumns: []int{0}}
	other, err := tr.Train(context.Background(), set.Dense, set.Y)
	if err != nil {
		t.Fatal(err)
	}
	m.Weights, m.Bias, m.Scaling, m.Lambda, m.Result = other.Weights, other.Bias, other.Scaling,
		other.Lambda, other.Result
	save(t, m, model)
	if checks() {
		t.Error("other terms count as checked")
	}
}

// Knots are in the table's units, whether the model or its encoder scales the column.
func TestInspectKnots(t *testing.T) {
	model := filepath.Join(t.TempDir(), "pieces.model")
	for _, word := range []bool{false, true} {
		table := file(t, "ring.csv", ringTable(400, word))
		must(t, "train", "-force", "-curves", "pieces", table, model)
		stdout, _ := must(t, "inspect", "-top", "99", model)
		var knots []float64
		for _, found := range regexp.MustCompile(`  a above (\S+)`).FindAllStringSubmatch(stdout, -1) {
			v, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			knots = append(knots, v)
		}
		slices.Sort(knots)
		if len(knots) != 3 || !(knots[0] < -2 && knots[1] > 0 && knots[1] < 6 && knots[2] > 8) {
			t.Errorf("the knots of a are %v, want knots for mean 3 and deviation 10", knots)
		}
		if !strings.Contains(stdout, "\ncurves    ") {
			t.Errorf("inspect counts no curves:\n%s", stdout)
		}
	}
}
