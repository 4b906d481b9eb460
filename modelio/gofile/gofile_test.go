package gofile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/rows/curves"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/table"
)

var kindsOfCells = map[string]func(r *rand.Rand, i int) string{
	"number":  func(r *rand.Rand, _ int) string { return fmt.Sprintf("%.4g", 50*r.NormFloat64()) },
	"comma":   func(r *rand.Rand, _ int) string { return fmt.Sprintf("1.%03d,%02d", r.IntN(999), r.IntN(99)) },
	"percent": func(r *rand.Rand, _ int) string { return fmt.Sprintf("%d %%", r.IntN(99)) },
	"gaps": func(r *rand.Rand, i int) string {
		if i%5 == 0 {
			return "n.a."
		}
		return fmt.Sprint(r.IntN(30) * i)
	},
	"word": func(r *rand.Rand, _ int) string {
		return []string{"Rome", "Oslo", "Łódź", `a "b"`, "x\ny", "1"}[r.IntN(6)]
	},
	"truth":  func(r *rand.Rand, _ int) string { return []string{"True", "FALSE"}[r.IntN(2)] },
	"rarely": func(r *rand.Rand, i int) string { return []string{"", "", "a", "b"}[r.IntN(4)] },
	"date": func(r *rand.Rand, i int) string {
		return fmt.Sprintf("%02d.%02d.%d", 1+r.IntN(28), 1+r.IntN(12), 1990+r.IntN(30))
	},
	"time": func(r *rand.Rand, _ int) string { return fmt.Sprintf("%d:%02d pm", 1+r.IntN(11), r.IntN(60)) },
	"text": func(r *rand.Rand, i int) string {
		var words []string
		for range 3 + r.IntN(9) {
			words = append(words, []string{"good", "BAD", "Straße", "日本語", "not", "the", "Ǆ", "x\u0301y",
				fmt.Sprint("w", r.IntN(200))}[r.IntN(9)])
		}
		return strings.Join(words, []string{" ", ", ", " - "}[r.IntN(3)])
	},
}

var oddCells = []string{"", "NA", "-", "(12.50)", "1.5K", "12kg", "1,234", "1.234", "1,234.5", "12 %",
	"$5", "-0", "1e400", "1e-400", "3e38", "nan", "∞", "٣", "0x1F", "007", "true", "TRUE", "false", "x",
	"2020-02-30", "29 Feb 2020", "3. März 1999", "4/5/2006", "20180427", "2018-04-27T12:30:05.25Z", "18:30",
	"6.30 pm", "May", "  Rome ", "good good BAD", "不好", "\xff\xfe", "'", "12-", "1'000", "1 000", "12.",
	".5", "+7", "not good", strings.Repeat("9", 70), "−3", "0000-00-00", "April 2018"}

// trained returns a model of a random table with columns of the named kinds of kindsOfCells, and
// rows to predict, some of them with a cell of oddCells.
func trained(t *testing.T, columns, label string, cfg pegasos.Config) (*pegasos.Model, [][]string) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 1))
	names := strings.Fields(columns)
	var rows, probes [][]string
	for i := range 600 {
		row := make([]string, len(names))
		for j, name := range names {
			row[j] = kindsOfCells[name](r, i)
		}
		probe := append([]string{}, row...)
		if i < 200 {
			if probe[r.IntN(len(probe))] = oddCells[r.IntN(len(oddCells))]; i%2 == 0 {
				probe = row
			}
			probes = append(probes, probe)
		}
		y := len(row[0]) % 2
		switch label {
		case "three":
			rows = append(rows, append(row, []string{"a", "b b", "ü"}[(y+len(row[1]))%3]))
		case "number":
			rows = append(rows, append(row, fmt.Sprint(float64(y)*3+r.Float64())))
		default:
			rows = append(rows, append(row, []string{"no", "yes"}[y]))
		}
	}
	m, err := table.Train(context.Background(), append(names, "y"), rows, "y", cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m.Predictor.(*pegasos.Model), probes
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, oldest, _ := strings.Cut(string(mod), "\ngo ")
	oldest, _, _ = strings.Cut(oldest, "\n")
	save := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	save("go.mod", "module leaves\n\ngo "+oldest+"\n")
	write := func(name string, m *pegasos.Model, layout dataset.Layout, test func(s *source, w io.Writer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := Write(&b, m, name, layout); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasPrefix(b.String(), Header) {
			t.Errorf("%s does not begin with the header", name)
		}
		save(name+"/"+name+".go", b.String())
		s, err := newSource(m, name, layout)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := test(s, &b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		save(name+"/rows_test.go", strings.ReplaceAll(b.String(), "TestPredict", "TestRows"))
		b.Reset()
		if err := WriteTest(&b, m, name, layout); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		save(name+"/"+name+"_test.go", b.String())
	}
	sparse := "sparse:" + strings.Repeat("0", 64)
	cfg := pegasos.Config{Lambda: 1e-3, Epochs: 3}
	with := func(change func(c *pegasos.Config)) pegasos.Config {
		c := cfg
		change(&c)
		return c
	}
	for _, c := range []struct {
		name, columns, label string
		cfg                  pegasos.Config
		change               func(m *pegasos.Model)
		layout               dataset.Layout
	}{
		{"numbers", "number comma percent gaps", "two", with(func(c *pegasos.Config) {
			c.Loss, c.Curves = pegasos.Log, pegasos.CurvesProducts
		}), nil, dataset.LayoutAuto},
		{"plain", "number gaps", "three", with(func(c *pegasos.Config) {
			c.Loss, c.Multiclass = pegasos.Log, pegasos.OneVsOne
		}), nil, dataset.LayoutSparse},
		{"words", "word truth rarely", "three", with(func(c *pegasos.Config) {
			c.Multiclass = pegasos.OneVsRest
		}), func(m *pegasos.Model) {
			m.Calibration = []pegasos.Sigmoid{{A: -1, B: 0.1}, {A: -2, B: -0.25}, {A: -0.5, B: 0}}
		}, dataset.LayoutDense},
		{"dates", "number date time", "number", with(func(c *pegasos.Config) {
			c.Loss, c.Curves = pegasos.Squared, pegasos.CurvesPieces
		}), nil, dataset.LayoutDense},
		{"text", "word text", "three", with(func(c *pegasos.Config) {
			c.Loss, c.Multiclass = pegasos.Log, pegasos.Multinomial
		}), func(m *pegasos.Model) { m.Data = sparse }, dataset.LayoutAuto},
	} {
		m, rows := trained(t, c.columns, c.label, c.cfg)
		if c.change != nil {
			c.change(m)
		}
		write(c.name, m, c.layout, func(s *source, w io.Writer) error {
			var all []testRow
			for _, row := range rows {
				all = append(all, s.rowOfCells(trimmed(row)))
			}
			return s.writeTest(w, all)
		})
	}
	r := rand.New(rand.NewPCG(1, 1))
	x, y := dense.New(200, 5000), make([]float32, 200)
	for i := range y {
		for j := range x.Cols() {
			if r.IntN(40) == 0 || j < 3 {
				x.Row(i)[j] = float32(r.NormFloat64() * 1e3)
			}
		}
		y[i] = float32(i % 2)
	}
	for name, scale := range map[string]pegasos.Scale{"unit": pegasos.ScaleUnit,
		"none": pegasos.ScaleNone, "standard": pegasos.ScaleStandard} {
		m, err := pegasos.Train(context.Background(), x, y, with(func(c *pegasos.Config) {
			c.Scale = scale
		}))
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Scaling; scale == pegasos.ScaleStandard {
			s.Folded = false // as if a column's mean were far above its standard deviation
		}
		layout := dataset.LayoutAuto
		if name == "standard" {
			layout = dataset.LayoutDense
		}
		write(name, m, layout, func(s *source, w io.Writer) error {
			var rows []testRow
			for i := range 20 {
				var index []int32
				var values []float32
				for j, v := range x.Row(i) {
					if v != 0 {
						index, values = append(index, int32(j)), append(values, v)
					}
				}
				rows = append(rows, s.rowOfFeatures(index, values))
			}
			return s.writeTest(w, rows)
		})
	}
	for _, args := range [][]string{{"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s", args, err, out)
		}
	}
}

func trimmed(cells []string) []string {
	all := make([]string, len(cells))
	for i, c := range cells {
		all[i] = strings.TrimSpace(c)
	}
	return all
}

func TestWriteOnlyNeeded(t *testing.T) {
	m, _ := trained(t, "word truth", "two", pegasos.Config{Lambda: 1e-3, Epochs: 1})
	var b bytes.Buffer
	if err := Write(&b, m, "words", ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"parseNumber", "dateParser", "gramReader", "parseFloat32", "couple",
		"expansion", "countVotes", "dotSparse"} {
		if strings.Contains(b.String(), name) {
			t.Errorf("the file of a model of words has %s", name)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	two := func() *pegasos.Model {
		m, _ := trained(t, "word", "two", pegasos.Config{Lambda: 1e-3, Epochs: 1})
		return m
	}
	writers := []func(io.Writer, *pegasos.Model, string, dataset.Layout) error{Write, WriteTest}
	for want, change := range map[string]func(m *pegasos.Model){
		"too many for a Go file": func(m *pegasos.Model) {
			m.Table, m.Weights = nil, [][]float32{make([]float32, maxWeights+1)}
		},
		"want a finite number": func(m *pegasos.Model) { m.Weights[0][0] = float32(math.NaN()) },
		"but the model has 1":  func(m *pegasos.Model) { m.Weights[0] = m.Weights[0][:1] },
	} {
		m := two()
		change(m)
		for _, write := range writers {
			if err := write(io.Discard, m, "x", ""); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	m := two()
	m.Table, m.Weights[0] = nil, append(m.Weights[0], 1)
	m.Scaling = &pegasos.Scaling{Kind: pegasos.ScaleNone, Expansion: &pegasos.Expansion{
		Kind: pegasos.CurvesProducts, Terms: []curves.Term{{0, 0}}, Shift: []float32{0},
		Factor: []float32{1}}}
	if err := Write(io.Discard, m, "x", ""); err != nil {
		t.Error(err)
	}
	if err := Write(io.Discard, m.WithCols(1), "x", ""); err == nil ||
		!strings.Contains(err.Error(), "WithCols") {
		t.Errorf("features were dropped: %v", err)
	}
	for _, write := range writers {
		if err := write(&sample.FailingWriter{}, two(), "x", ""); err != sample.ErrFull {
			t.Error(err)
		}
	}
}
