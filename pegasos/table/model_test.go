package table

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/modelio"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

var columnsOfVisits = []string{"visit", "colour", "age", "seen", "label"}

func says(err error, words string) bool {
	return err != nil && strings.Contains(err.Error(), words)
}

func reading(text string) func(dataset.Options) (*dataset.Set, error) {
	return func(opt dataset.Options) (*dataset.Set, error) {
		return dataset.ReadFrom(strings.NewReader(text), "a.csv", opt)
	}
}

func written(t testing.TB, rows [][]string) string {
	t.Helper()
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// visits returns rows for columnsOfVisits. With 0 classes the label is a number.
func visits(classes int) (rows [][]string) {
	r := rand.New(rand.NewPCG(3, 3))
	colours := []string{"red", "green", "blue", "grey"}
	for i := range 200 {
		k, age := r.IntN(len(colours)), r.IntN(60)
		label := string(rune('a' + k%max(classes, 1)))
		if classes == 0 {
			label = strconv.Itoa(10*k + age/2)
		}
		row := []string{strconv.Itoa(i), colours[k], strconv.Itoa(age), "yes", label}
		if i%9 == 0 {
			row[2] = "NA"
		}
		if i%2 == 0 {
			row[3] = "no"
		}
		rows = append(rows, row)
	}
	return rows
}

// predicted returns the number of rows predicted correctly; a number's error must be below 8.
func predicted(t *testing.T, m *Model, rows [][]string) (right int) {
	t.Helper()
	for _, row := range rows {
		have, err := m.Predict(row[:len(row)-1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := strconv.ParseFloat(have, 64)
		want, _ := strconv.ParseFloat(row[len(row)-1], 64)
		if have == row[len(row)-1] || err == nil && math.Abs(got-want) < 8 {
			right++
		}
	}
	return right
}

func reread(t *testing.T, m *Model) *Model {
	t.Helper()
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	p, err := modelio.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	back, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func checkScores(t *testing.T, m *Model, names []string, rows [][]string) {
	t.Helper()
	opt := dataset.Options{Layout: dataset.LayoutSparse}
	opt.Encoder = m.encoder.Coder()
	set, err := reading(written(t, slices.Concat([][]string{names}, rows)))(opt)
	if err != nil {
		t.Fatal(err)
	}
	batch, back := m.DecisionAll(set.Sparse), reread(t, m)
	for i, row := range rows {
		named := map[string]string{}
		for k, cell := range row {
			named[names[k]] = cell
		}
		cells, err := m.Order(named)
		if err != nil {
			t.Fatal(err)
		}
		have, err := m.Score(cells)
		if want := batch[i*m.Outputs():][:m.Outputs()]; err != nil || !slices.Equal(have, want) {
			t.Fatalf("row %d: %v, %v, want %v", i, have, err, want)
		}
		if again, err := back.Score(cells); err != nil || !slices.Equal(again, have) {
			t.Fatalf("row %d: %v, %v of the file, want %v", i, again, err, have)
		}
	}
}

func TestTrain(t *testing.T) {
	for _, c := range []struct {
		name    string
		classes int
		numbers bool // labels are numbers, not names
		cfg     pegasos.Config
		right   int // least number of correct predictions for the 200 rows
	}{
		{"two classes", 2, false, pegasos.Config{}, 200},
		{"two classes of numbers", 2, true, pegasos.Config{}, 200},
		{"four classes", 4, false, pegasos.Config{}, 200},
		{"four classes, one vs one", 4, false, pegasos.Config{Multiclass: pegasos.OneVsOne}, 200},
		{"scaled again", 4, false, pegasos.Config{Scale: pegasos.ScaleStandard}, 200},
		{"numbers", 0, false, pegasos.Config{Loss: pegasos.Squared}, 170},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := visits(c.classes)
			for i := range rows {
				if c.numbers {
					rows[i][4] = strconv.Itoa(int(rows[i][4][0] - 'a'))
				}
			}
			m, err := Train(t.Context(), columnsOfVisits, rows, "label", c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if right := predicted(t, m, rows); right < c.right {
				t.Errorf("%d of %d are right", right, len(rows))
			}
			if c := m.Columns()[0]; m.encoder.Label.Name != "label" || c.Name != "visit" || c.Kind != "left out" {
				t.Errorf("label %q, %+v", m.encoder.Label.Name, c)
			}
			checkScores(t, m, columnsOfVisits, rows)
		})
	}
}

// The name may have another meaning in dataset.Options.
func TestTrainLabel(t *testing.T) {
	rows := visits(2)
	for i, row := range rows {
		rows[i] = append([]string{" " + row[4] + " "}, row[1:4]...)
	}
	for _, label := range []string{"last", "3", "", "label", `l"a, b`} {
		m, err := Train(t.Context(), []string{label, "colour", "age", "seen"}, rows, label,
			pegasos.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			have, err := m.Predict([]string{" " + row[1], row[2] + "\t", row[3]})
			if err != nil || have != strings.TrimSpace(row[0]) {
				t.Fatalf("label %q: %q, %v, want %q", label, have, err, row[0])
			}
		}
	}
}

func TestTrainErrors(t *testing.T) {
	rows := visits(2)
	for _, c := range []struct {
		name  string
		names []string
		rows  [][]string
		label string
		want  string
	}{
		{"no such label", columnsOfVisits, rows, "class", `no column is called "class"`},
		{"label twice", []string{"a", "y", "b", "c", "y"}, rows, "y", `several columns are called "y"`},
		{"no rows", columnsOfVisits, nil, "label", "no rows"},
		{"no names", nil, rows, "label", `no column is called "label"`},
		{"one column", []string{"y"}, [][]string{{"a"}, {"b"}}, "y", "one column only"},
		{"short row", columnsOfVisits, append(rows[:5:5], []string{"a"}), "label",
			"table: row 5: 1 cell, want 5"},
		{"missing label", columnsOfVisits, append(rows[:5:5], []string{"1", "red", "3", "yes", ""}),
			"label", "missing label"},
		{"one class", columnsOfVisits, visits(1), "label", "class"},
		{"nothing to learn from", []string{"a", "y"}, [][]string{{"red", "a"}, {"red", "b"}}, "y",
			"no column has a feature"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Train(t.Context(), c.names, c.rows, c.label, pegasos.Config{})
			if m != nil || !says(err, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestScoreErrors(t *testing.T) {
	m, err := Train(t.Context(), columnsOfVisits, visits(2), "label", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range [][]string{nil, {"1", "red", "3"}, {"1", "red", "3", "yes", "a"}} {
		want := fmt.Sprintf("table: %d cells, want 4", len(cells))
		if scores, err := m.Score(cells); scores != nil || !says(err, want) {
			t.Errorf("%q: %v, want %q", cells, err, want)
		}
		if name, err := m.Predict(cells); name != "" || !says(err, want) {
			t.Errorf("%q: %q, %v", cells, name, err)
		}
	}
	missing, err := m.Score([]string{"1", "", "", "yes"})
	if err != nil {
		t.Fatal(err)
	}
	for _, odd := range []string{"old", "3 kg", "1e39", strings.Repeat("x", 1000), "\xff"} {
		have, err := m.Score([]string{"1", odd, odd, "yes"})
		if err != nil || !slices.Equal(have, missing) {
			t.Errorf("%q: %v, %v, want %v as without a value", odd, have, err, missing)
		}
	}
}

func TestPredictTooLarge(t *testing.T) {
	var rows [][]string
	for i := range 30 {
		rows = append(rows, []string{strconv.Itoa(i), strconv.Itoa(i * i)})
	}
	trained, err := Train(t.Context(), []string{"a", "y"}, rows, "y", pegasos.Config{
		Loss: pegasos.Squared})
	if err != nil {
		t.Fatal(err)
	}
	linear := *trained.Predictor.(*pegasos.Model)
	linear.Weights, linear.Bias = [][]float32{{0}}, []float64{-6e38}
	m, err := New(&linear)
	if err != nil {
		t.Fatal(err)
	}
	if z, err := m.Predict([]string{"1"}); z != "" || !says(err, "table: a score is -6e+38: ") {
		t.Errorf("%q, %v", z, err)
	}
}

// Cells may look like a comment, header or separator line.
func TestTrainFormOfCells(t *testing.T) {
	rows := visits(2)
	rows[3] = []string{"#3", "visit", "age", "seen", rows[3][4]}
	rows[4] = append([]string{"sep=;", "a;b", "", ""}, rows[4][4])
	for i := 5; i < 200; i += 3 {
		rows[i][1] = []string{"red; blue\n\"x\"", "# green|a\tb", "1;5"}[i/3%3]
	}
	m, err := Train(t.Context(), columnsOfVisits, rows, "label", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if m.encoder.Rows != len(rows) || len(m.Columns()) != 4 || m.encoder.Columns[1].Name != "colour" {
		t.Errorf("%d rows, %+v", m.encoder.Rows, m.Columns())
	}
}

func TestTrainNumbers(t *testing.T) {
	var rows [][]string
	for i := range 200 {
		rows = append(rows, []string{strconv.Itoa(i * i % 97), fmt.Sprintf("%d.5", i%13),
			[]string{"a", "b"}[i*i%97/60]})
	}
	m, err := Train(t.Context(), []string{"m", "n", "y"}, rows, "y", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := reading(written(t, rows))(dataset.Options{Header: dataset.HeaderNo})
	if err != nil {
		t.Fatal(err)
	}
	want, err := pegasos.Train(t.Context(), set.Examples(), set.Y, pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if have := m.Predictor.(*pegasos.Model); !slices.Equal(have.Weights[0], want.Weights[0]) {
		t.Errorf("weights %v, want %v", have.Weights[0], want.Weights[0])
	}
	checkScores(t, m, []string{"m", "n", "y"}, rows[:9])
}

func TestKernelMachine(t *testing.T) {
	rows := visits(4)
	text := written(t, slices.Concat([][]string{columnsOfVisits}, rows))
	for _, layout := range []dataset.Layout{dataset.LayoutSparse, dataset.LayoutDense} {
		opt, encoder, err := Fit(dataset.Options{Layout: layout}, reading(text))
		if err != nil {
			t.Fatal(err)
		}
		set, err := reading(text)(opt)
		if err != nil {
			t.Fatal(err)
		}
		k, err := kernelsvm.Train(t.Context(), set.Examples(), set.Y,
			kernelsvm.Config{Gamma: 0.3, Lambda: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		k.Names, k.IndexBase, k.Table = set.Names, set.IndexBase, encoder
		m, err := New(k)
		if err != nil {
			t.Fatal(err)
		}
		if right := predicted(t, m, rows); right != len(rows) {
			t.Errorf("%s: %d of %d are right", layout, right, len(rows))
		}
		checkScores(t, m, columnsOfVisits, rows[:20])
	}
}

func TestNewErrors(t *testing.T) {
	m, err := Train(t.Context(), columnsOfVisits, visits(2), "label", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	linear := *m.Predictor.(*pegasos.Model)
	text := "size,city,y\n1,Rome,a\n2,Oslo,b\n3,Rome,a\n4,Oslo,b\n"
	_, other, err := Fit(dataset.Options{}, reading(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		table json.RawMessage
		want  string
	}{
		{nil, "table: the model has no encoder: it predicts rows of numbers"},
		{json.RawMessage(`{"columns":["a"],"label_at":-1}`),
			"table: the model has no encoder: it predicts rows of numbers"},
		{json.RawMessage(`{"encoder":9}`), "table: an encoder of version 9"},
		{other, fmt.Sprintf("table: the encoder has 2 features, but the model has %d", m.Cols())},
	} {
		linear.Table = c.table
		if m, err := New(&linear); m != nil || !says(err, c.want) {
			t.Errorf("%s: %v, want %q", c.table, err, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	var rows [][]string
	for i := range 30 {
		rows = append(rows, []string{strconv.Itoa(i), []string{"Rome", "Oslo"}[i%2], strconv.Itoa(i % 5),
			[]string{"a", "b"}[i%2]})
	}
	m, err := Train(t.Context(), []string{"id", "city", "age", "y"}, rows, "y", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		named map[string]string
		want  []string
		err   string
	}{
		{map[string]string{"age": "3", "city": "Rome", "id": "9"}, []string{"9", "Rome", "3"}, ""},
		{map[string]string{"age": "3", "city": "", "other": "9"}, []string{"", "", "3"}, ""},
		{map[string]string{"age": "3", "id": "9"}, nil, `table: no cell for the column "city"`},
		{map[string]string{"Age": "3", "city": "Rome"}, nil, `table: no cell for the column "age"`},
		{nil, nil, `table: no cell for the column "city"`},
	} {
		have, err := m.Order(c.named)
		if !slices.Equal(have, c.want) || (err != nil || c.err != "") && !says(err, c.err) {
			t.Errorf("%v: %q, %v", c.named, have, err)
		}
	}
}

func TestOrderOfEqualNames(t *testing.T) {
	var rows [][]string
	for i := range 30 {
		rows = append(rows, []string{strconv.Itoa(i % 7), strconv.Itoa(i % 5), []string{"a", "b"}[i%2]})
	}
	m, err := Train(t.Context(), []string{"size", "size", "y"}, rows, "y", pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `table: two columns are called "size"`
	if _, err := m.Order(map[string]string{"size": "3"}); !says(err, want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestTrainCurves(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 7))
	var rows [][]string
	for i := range 300 {
		u, v := g.NormFloat64(), g.NormFloat64()
		label := "outside"
		if u*u+v*v < 1.4 {
			label = "inside"
		}
		rows = append(rows, []string{fmt.Sprintf("%.3f", 10*u+3), []string{"red", "green", "blue"}[i%3],
			fmt.Sprintf("%.4f", v), label})
	}
	names := []string{"a", "color", "b", "label"}
	for _, curves := range []pegasos.Curves{"", pegasos.CurvesProducts, pegasos.CurvesNone} {
		m, err := Train(t.Context(), names, rows, "label", pegasos.Config{Curves: curves})
		if err != nil {
			t.Fatal(err)
		}
		bends := curves != pegasos.CurvesNone
		linear := m.Predictor.(*pegasos.Model)
		if bends != (linear.Config.Curves == pegasos.CurvesProducts) {
			t.Errorf("curves %q: %s", curves, linear.Settings())
		}
		if right := predicted(t, m, rows); bends != (right > 280) {
			t.Errorf("curves %q: %d of %d are right", curves, right, len(rows))
		}
		checkScores(t, m, names, rows)
	}
}
