package predictions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
	"github.com/pegasimd/pegasimd/pegasos/kernelsvm"
)

func model(classes []float32, weights ...[]float32) *pegasos.Model {
	return &pegasos.Model{Classes: classes, Weights: weights, Bias: make([]float64, len(weights)),
		Lambda: 1, IndexBase: 1}
}

func encode(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWrite(t *testing.T) {
	binary := model([]float32{-1, 1}, []float32{1, -1})
	named := model([]float32{0, 1, 2}, []float32{1, 0}, []float32{0, 1}, []float32{-1, -1})
	named.Names = []string{"red", "green\n", "blue"}
	base0 := model([]float32{-1, 1}, []float32{1, -1})
	base0.IndexBase = 0
	regression := model(nil, []float32{2, -0.5})
	const rows = "1 1:3 2:1\n-1 1:1 2:5\n1 2:-1\n"
	for name, c := range map[string]struct {
		m    *pegasos.Model
		opt  dataset.Options
		data string
		want string
		rows int
	}{
		"binary":     {binary, dataset.Options{}, rows, "1\n-1\n1\n", 3},
		"named":      {named, dataset.Options{}, rows, "red\n\"green\\n\"\nblue\n", 3},
		"regression": {regression, dataset.Options{}, rows, "5.5\n-0.5\n0.5\n", 3},
		"base 0":     {base0, dataset.Options{}, "1 0:1\n1 1:1\n", "1\n-1\n", 2},
		"base given": {base0, dataset.Options{IndexBase: "1"}, rows, "1\n-1\n1\n", 3},
	} {
		var out bytes.Buffer
		n, size, err := Write(&out, file(t, "rows.svm", c.data), c.m, c.opt)
		if err != nil || out.String() != c.want || n != c.rows || size != int64(len(c.data)) {
			t.Errorf("%s: %q, want %q; %d rows, %d bytes, %v", name, out.String(), c.want, n, size,
				err)
		}
	}
}

func TestWriteErrors(t *testing.T) {
	with := func(change func(*pegasos.Model)) *pegasos.Model {
		m := model(nil, []float32{1e38, 1})
		change(m)
		return m
	}
	good := with(func(*pegasos.Model) {})
	rows := file(t, "rows.svm", "1 1:1\n2 1:2 2:1\n3 1:4\n")
	for name, c := range map[string]struct {
		m    *pegasos.Model
		opt  dataset.Options
		path string
		want string
	}{
		"no file":  {good, dataset.Options{}, "none.svm", "none.svm"},
		"overflow": {good, dataset.Options{}, rows, "row 2, counted from 0: the score is +Inf"},
		"hash bits": {good, dataset.Options{HashBits: 10}, rows,
			"-hash-bits 10: the model's indices are not"},
		"table": {with(func(m *pegasos.Model) { m.Table = encode(t, &dataset.Table{LabelAt: -2}) }),
			dataset.Options{}, rows, "the model's table: dataset: the LabelAt of a table"},
		"encoder": {with(func(m *pegasos.Model) { m.Table = json.RawMessage(`{"encoder":2}`) }),
			dataset.Options{}, rows, "the model's table: table: an encoder of version 2"},
	} {
		var out bytes.Buffer
		n, size, err := Write(&out, c.path, c.m, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 || n != 0 ||
			size != 0 {
			t.Errorf("%s: %v, want %q; %q", name, err, c.want, out.String())
		}
	}
}

func TestReady(t *testing.T) {
	kernel := &kernelsvm.Model{Config: kernelsvm.Config{Kernel: kernelsvm.Function}}
	if Ready(kernel) == nil {
		t.Error("a kernel that is a Go function is accepted")
	}
	kernel.Config.Kernel = kernelsvm.RBF
	if err := Ready(kernel); err != nil {
		t.Error(err)
	}
	if err := Ready(model(nil, []float32{1})); err != nil {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	encoder := json.RawMessage(`{"encoder":5,"rows":9,"label_at":-1,"columns":[` +
		`{"name":"c","kind":"number","number":{"factor":1}}]}`)
	head := pegasos.Head{Features: 1, Table: encoder, IndexBase: 1, HashBits: 12}
	opt := dataset.Options{HashBits: 12}
	e, err := Options(&opt, head)
	if err != nil || e == nil || opt.Encoder == nil || opt.Features != 1 || opt.HashBits != 12 ||
		opt.IndexBase != "1" {
		t.Errorf("encoder: error %v, options %+v", err, opt)
	}
	head.Features = 2
	if _, err := Options(&opt, head); err == nil ||
		!strings.Contains(err.Error(), "an encoder of 1 feature for a model of 2") {
		t.Errorf("a model of two features: error %v", err)
	}
	table := dataset.Table{Columns: []string{"a", "b"}, Label: "y", LabelAt: 1}
	head.Table = encode(t, table)
	opt = dataset.Options{IndexBase: "0"}
	e, err = Options(&opt, head)
	if err != nil || e != nil || opt.Table == nil || opt.Table.LabelAt != 1 ||
		opt.Features != 2 || opt.HashBits != 12 || opt.IndexBase != "0" {
		t.Errorf("table: error %v, options %+v", err, opt)
	}
	if _, err := Options(&dataset.Options{HashBits: 11}, head); err == nil {
		t.Error("HashBits that differ from the model's are accepted")
	}
	head.Table = nil
	if _, err := Options(&opt, head); err != nil || opt.Table != nil {
		t.Errorf("no table: table %v, error %v", opt.Table, err)
	}
}

func TestCheckFinite(t *testing.T) {
	inf, large := math.Inf(1), 1e39
	two := model([]float32{0, 1, 2}, []float32{1}, []float32{1})
	for name, c := range map[string]struct {
		m      *pegasos.Model
		scores []float64
		want   string // start of the error; "" for none
	}{
		"finite":             {two, []float64{1, 2, 3, 4}, ""},
		"row 11":             {two, []float64{1, 2, 3, inf}, "row 11, counted from 0: the score is +"},
		"NaN":                {two, []float64{math.NaN(), 2, 3, inf}, "row 10, counted from 0"},
		"large":              {two, []float64{1, large, 3, 4}, ""},
		"large of a number":  {model(nil, []float32{1}), []float64{1, 2, large}, "row 12"},
		"number":             {model(nil, []float32{1}), []float64{1, -2}, ""},
		"infinity of number": {model(nil, []float32{1}), []float64{large, inf}, "row 11"},
	} {
		err := CheckFinite(c.m, func(i int) int { return 10 + i }, c.scores)
		if err == nil != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestWriteLines(t *testing.T) {
	var out bytes.Buffer
	b := bufio.NewWriter(&out)
	WriteNumbers(b, []float64{0.1, -3, 1e10})
	b.Flush()
	if want := "0.1\n-3\n1e+10\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	if names := ClassNames(model([]float32{2, 5.5}, []float32{1})); len(names) != 2 ||
		names[1] != "5.5" {
		t.Errorf("class names %q, want 2 and 5.5", names)
	}
	if ClassNames(model(nil, []float32{1})) != nil || !Numbers(model(nil, []float32{1})) {
		t.Error("a regression has classes")
	}
}
