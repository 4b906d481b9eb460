package modelio_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
)

// tools skips the test if a program is not installed; with PEGASIMD_TOOLS, it fails the test.
func tools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("PEGASIMD_TOOLS") != "" {
				t.Fatalf("%v: run scripts/ci.sh only install", err)
			}
			t.Skipf("%v: NOT TESTED; scripts/ci.sh only install installs it on Debian", err)
		}
	}
}

type pair struct {
	name        string
	train, test *dataset.Set
}

func pairs(t *testing.T) []pair {
	t.Helper()
	var all []pair
	train, test := dataset.DigitsSplit()
	all = append(all, pair{"digits", train, test})
	dir := os.Getenv("PEGASIMD_DATA")
	if dir == "" || testing.Short() {
		t.Log("no PEGASIMD_DATA, or a short run: a9a AND letter WERE NOT TESTED")
		return all
	}
	read := func(name string, features int) *dataset.Set {
		s, err := dataset.Read(filepath.Join(dir, filepath.FromSlash(name)),
			dataset.Options{Features: features})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return append(all,
		pair{"a9a", read("a9a/a9a.svm.gz", 0), read("a9a/a9a.t.svm.gz", 123)},
		pair{"letter", read("letter/letter.scale.svm.gz", 0),
			read("letter/letter.scale.t.svm.gz", 16)})
}

func writeSet(t *testing.T, name string, s *dataset.Set) {
	t.Helper()
	var b bytes.Buffer
	if err := dataset.WriteSvmlight(&b, s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readModel(t *testing.T, name string) *pegasos.Model {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := modelio.ReadLiblinear(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tool(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

func predict(t *testing.T, data, model string, flags ...string) (lines []string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	tool(t, append(append([]string{"liblinear-predict"}, flags...), data, model, out)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}

// Predictions v of a regression may differ by less than 1e-6*(1+|v|).
func agree(t *testing.T, m *pegasos.Model, s *dataset.Set, lines []string) {
	t.Helper()
	if len(lines) != s.Rows() {
		t.Fatalf("liblinear-predict wrote %d lines for %d rows", len(lines), s.Rows())
	}
	differ := 0
	for i, have := range m.PredictAll(s.Examples()) {
		want, err := strconv.ParseFloat(lines[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		if m.Classes == nil && math.Abs(want-float64(have)) < 1e-6*(1+math.Abs(want)) {
			continue
		}
		if float64(have) != want {
			if differ++; differ < 5 {
				t.Errorf("row %d: label %v, liblinear predicts %s", i, have, lines[i])
			}
		}
	}
	t.Logf("%d of %d rows differ", differ, s.Rows())
}

func TestLiblinearPredictsOurModels(t *testing.T) {
	tools(t, "liblinear-train", "liblinear-predict")
	for _, p := range pairs(t) {
		dir := t.TempDir()
		data := filepath.Join(dir, "data")
		writeSet(t, data, p.test)
		for _, cfg := range []pegasos.Config{
			{Epochs: 3},
			{Epochs: 3, Bias: pegasos.BiasAugmented, BiasScale: 3},
			{Epochs: 3, Loss: pegasos.Log, Bias: pegasos.BiasAugmented},
			{Epochs: 3, Loss: pegasos.SquaredHinge},
			{Epochs: 3, Multiclass: pegasos.CrammerSinger, Bias: pegasos.BiasUnregularised},
			{Epochs: 3, Multiclass: pegasos.Multinomial},
		} {
			full := cfg.Plain()
			t.Run(fmt.Sprintf("%s/%s,%s,bias=%s", p.name, full.Multiclass, full.Loss, full.Bias),
				func(t *testing.T) {
					m, err := pegasos.Train(t.Context(), p.train.Examples(), p.train.Y, full)
					if err != nil {
						t.Fatal(err)
					}
					var text bytes.Buffer
					if err := modelio.WriteLiblinear(&text, m); err != nil {
						t.Fatal(err)
					}
					model := filepath.Join(dir, "model")
					if err := os.WriteFile(model, text.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
					agree(t, m, p.test, predict(t, data, model))
					again, err := modelio.ReadLiblinear(&text)
					if err != nil {
						t.Fatalf("read again: %v", err)
					}
					again.IndexBase = m.IndexBase // the file counts features from 1
					if again.Hash() != m.Hash() && len(m.Weights) != 2 {
						t.Errorf("the model is another when read again")
					}
					if cfg.Loss == pegasos.Log {
						probabilities(t, m, p.test, predict(t, data, model, "-b", "1"))
					}
				})
		}
	}
}

func probabilities(t *testing.T, m *pegasos.Model, s *dataset.Set, lines []string) {
	t.Helper()
	columns := strings.Fields(lines[0])[1:]
	scores := m.DecisionAll(s.Examples())
	n := len(m.Weights)
	for i, line := range lines[1:] {
		fields := strings.Fields(line)[1:]
		var sum float64
		want := make([]float64, len(m.Classes))
		for k := range m.Classes {
			z := scores[i*n+min(k, n-1)]
			if n == 1 && k == 0 {
				z = -z
			}
			want[k] = 1 / (1 + math.Exp(-z))
			sum += want[k]
		}
		for at, label := range columns {
			v, err := strconv.ParseFloat(label, 32)
			k := slices.Index(m.Classes, float32(v))
			have, err2 := strconv.ParseFloat(fields[at], 64)
			if err != nil || err2 != nil || math.Abs(have-want[k]/sum) > 2e-6 {
				t.Fatalf("row %d, label %s: probability %s, want %v", i, label, fields[at], want[k]/sum)
			}
		}
	}
}

func TestLiblinearModelsPredict(t *testing.T) {
	tools(t, "liblinear-train", "liblinear-predict")
	for _, p := range pairs(t) {
		dir := t.TempDir()
		train, data := filepath.Join(dir, "train"), filepath.Join(dir, "data")
		writeSet(t, train, p.train)
		writeSet(t, data, p.test)
		solvers, biases := []string{"0", "1", "2", "3", "4", "5", "6", "7", "11", "12", "13"},
			[]string{"-1", "0", "2.5"}
		if p.name != "digits" {
			solvers, biases = []string{"2", "4", "7"}, []string{"-1", "2.5"}
		}
		for _, solver := range solvers {
			for _, bias := range biases {
				t.Run(fmt.Sprintf("%s/s=%s,B=%s", p.name, solver, bias), func(t *testing.T) {
					model := filepath.Join(dir, "model")
					tool(t, "liblinear-train", "-q", "-s", solver, "-B", bias, "-e", "0.1",
						train, model)
					m := readModel(t, model)
					lines := predict(t, data, model)
					agree(t, m, p.test, lines)
					var text bytes.Buffer
					if err := modelio.WriteLiblinear(&text, m); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(model, text.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
					agree(t, m, p.test, predict(t, data, model))
				})
			}
		}
	}
}

func TestLiblinearTiesWithTheTool(t *testing.T) {
	tools(t, "liblinear-train", "liblinear-predict")
	dir := t.TempDir()
	data, model := filepath.Join(dir, "data"), filepath.Join(dir, "model")
	const rows = "1\n1 7:3\n1 1:1\n1 1:-1\n1 1:0.5 2:-0.25\n"
	if err := os.WriteFile(data, []byte(rows), 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := dataset.Read(data, dataset.Options{Format: dataset.FormatSvmlight, Features: 7})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ header, w string }{
		{"nr_class 2 label 1 -1", "2\n4"}, {"nr_class 2 label -1 1", "2\n4"},
		{"nr_class 3 label 1 2 3", "2 -2 2\n4 -4 4"}, {"nr_class 3 label 3 1 2", "2 -2 1\n4 4 -4"},
		{"nr_class 4 label 2 9 -1 4", "1 2 3 4\n1 1 1 1"}, {"nr_class 4 label 9 -1 4 2",
			"1 2 3 4\n-1 -2 -3 -4"},
	} {
		for _, bias := range []struct{ scale, w string }{{"-1", ""}, {"0", "1 2 3 4"},
			{"1", "0 0 0 0"}, {"0.5", "3 3 3 3"}, {"1", "3 5 5 3"}} {
			n := len(strings.Fields(strings.Split(c.w, "\n")[0]))
			text := fmt.Sprintf("solver_type L2R_L2LOSS_SVC\n%s\nnr_feature 2\nbias "+
				"%s\nw\n%s\n%s\n", strings.Replace(c.header, " label", "\nlabel", 1),
				bias.scale, c.w,
				strings.Join(strings.Fields(bias.w)[:min(n, len(strings.Fields(bias.w)))], " "))
			if err := os.WriteFile(model, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			m, err := modelio.ReadLiblinear(strings.NewReader(text))
			if err != nil {
				t.Fatalf("%s\n%v", text, err)
			}
			lines := predict(t, data, model)
			agree(t, m, set, lines)
			if t.Failed() {
				t.Fatal(text)
			}
		}
	}
}
