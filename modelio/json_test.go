package modelio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func models(t testing.TB) []*pegasos.Model {
	t.Helper()
	train := func(classes int, cfg pegasos.Config) *pegasos.Model {
		p := sample.Random(1, 40, 5, classes, 1)
		m, err := pegasos.Train(t.Context(), p.Dense, p.Y, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a := train(2, pegasos.Config{})
	a.IndexBase = 1
	b := train(4, pegasos.Config{
		C: 0.3, Steps: 100, Order: pegasos.IID, Bias: pegasos.BiasAugmented, BiasScale: 2.5,
		Seed: 1<<64 - 1,
	})
	b.Names = []string{"yes", "no\nno", `"quoted"`, "日本 <&>"}
	b.Table = []byte(`{"columns":["a","b"],"label_at":-1}`)
	c := &pegasos.Model{
		Classes: []float32{-1.5, 1e-40}, Weights: [][]float32{{}}, Lambda: 1,
		HashBits: 3, Prior: "abc", Calibration: []pegasos.Sigmoid{{A: -1, B: 0.5}},
	}
	numbers := &pegasos.Model{
		Weights: [][]float32{{1}}, Lambda: 1, Config: pegasos.Config{Loss: pegasos.EpsInsensitive},
	}
	return []*pegasos.Model{a, b, c, numbers}
}

func encode(t testing.TB, m *pegasos.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeJSON(t testing.TB, m *pegasos.Model) string {
	t.Helper()
	var b strings.Builder
	if err := WriteJSON(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONRoundTrip(t *testing.T) {
	for i, m := range models(t) {
		text := encodeJSON(t, m)
		have, err := ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Fatalf("model %d: %v\n%s", i, err, text)
		}
		if again := encodeJSON(t, have); again != text {
			t.Errorf("model %d: the JSON of the model that was read differs", i)
		}
		kept := *m
		kept.State = nil
		if a, b := encode(t, have), encode(t, &kept); !bytes.Equal(a, b) {
			t.Errorf("model %d: the model file of the model that was read differs", i)
		}
	}
}

const goodJSON = `{
  "format": "pegasimd model",
  "version": 1,
  "hash": "0f3ef3",
  "features": 2,
  "classes": [-1,1],
  "names": ["no","yes"],
  "bias": true,
  "index_base": 1,
  "lambda": 0.01,
  "config": {"loss":"hinge"},
  "result": {"steps":10,"epochs":5,"violations":3,"r2":2,"t0":200,"objective":0.75},
  "biases": [0.1],
  "weights": [
    [0.1,-1e-45]
  ]
}
`

// The format is fixed, because other programs read it.
func TestJSONGolden(t *testing.T) {
	m := &pegasos.Model{
		Classes: []float32{-1, 1}, Names: []string{"no", "yes"},
		Weights: [][]float32{{0.1, -1e-45}}, Bias: []float64{0.1},
		Lambda: 0.01, Config: pegasos.Config{Loss: pegasos.Hinge}, IndexBase: 1,
		Result: pegasos.Result{Steps: 10, Epochs: 5, Violations: 3, R2: 2, T0: 200, Objective: 0.75,
			DualObjective: math.NaN(), Gap: math.NaN()},
	}
	want := strings.Replace(goodJSON, "0f3ef3", m.Hash(), 1)
	if have := encodeJSON(t, m); have != want {
		t.Errorf("%s\nwant\n%s", have, want)
	}
	have, err := ReadJSON(strings.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprintf("%#v", have.Result) != fmt.Sprintf("%#v", m.Result) {
		t.Errorf("result %+v, want %+v", have.Result, m.Result)
	}
	have.Result, m.Result = pegasos.Result{}, pegasos.Result{}
	if !reflect.DeepEqual(have, m) {
		t.Errorf("%+v, want %+v", have, m)
	}
}

func TestJSONHostile(t *testing.T) {
	good := strings.Replace(goodJSON, `  "hash": "0f3ef3",`+"\n", "", 1)
	if _, err := ReadJSON(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the file has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":                {"", "byte 0: the text ends too early"},
		"another file":         {"pegasimd model 1\n", "invalid character 'p'"},
		"array":                {"[]", "want an object"},
		"null":                 {"null", "want an object"},
		"another object":       {"{}", "format is missing"},
		"another format":       {edit("pegasimd model", "pickle"), `"pickle"`},
		"newer version":        {edit(`"version": 1`, `"version": 2`), "version 2"},
		"wrong hash":           {goodJSON, "but the model's hash is"},
		"unknown field":        {edit(`"bias"`, `"bas"`), `unknown field "bas"`},
		"unknown field within": {edit(`"loss"`, `"lass"`), `"lass"`},
		"field twice":          {edit(`"bias": true`, `"bias": true, "bias": true`), "twice"},
		"field missing":        {edit(`  "lambda": 0.01,`, ""), "lambda is missing"},
		"result null": {
			edit(`{"steps":10,"epochs":5,"violations":3,"r2":2,"t0":200,"objective":0.75}`, "null"),
			"result"},
		"100 million features": {edit(`"features": 2`, `"features": 100000000`),
			"weights: 2 in vector 0"},
		"features overflow": {edit(`"features": 2`, `"features": 9223372036854775807`),
			"features"},
		"features negative":      {edit(`"features": 2`, `"features": -1`), "features"},
		"no classes":             {edit("[-1,1]", "[]"), "0 classes"},
		"one class":              {edit("[-1,1]", "[1]"), "1 class,"},
		"classes null":           {edit("[-1,1]", "[-1,null]"), "null"},
		"classes descending":     {edit("[-1,1]", "[1,-1]"), "ascending"},
		"one name":               {edit(`"no",`, ""), "1 name for"},
		"no biases":              {edit("[0.1],", "[],"), "biases: have 0, want 1:"},
		"bias false with biases": {edit("true", "false"), "biases: have 1, want none: bias is false"},
		"two biases":             {edit("[0.1],", "[0.1,0.2],"), "biases: have 2, want 1:"},
		"bias beyond float64":    {edit("[0.1],", "[1e999],"), "biases"},
		"two vectors": {edit("[0.1,-1e-45]", "[0.1,-1e-45],[1,2]"),
			"biases: have 1, want 2:"},
		"no vectors": {strings.Replace(edit("[0.1],", "[],"), "[0.1,-1e-45]", "", 1),
			"0 weight vectors"},
		"fewer weights":         {edit("[0.1,-1e-45]", "[0.1]"), "weights: 1 in vector 0"},
		"weight null":           {edit("[0.1,-1e-45]", "[0.1,null]"), "null"},
		"weight NaN":            {edit("[0.1,-1e-45]", "[0.1,NaN]"), "invalid character"},
		"weight beyond float32": {edit("[0.1,-1e-45]", "[0.1,1e39]"), "1e39"},
		"weight text":           {edit("[0.1,-1e-45]", `[0.1,"1"]`), "weights"},
		"shifts of no terms": {edit(`"biases"`,
			`"scaling": {"kind":"none","folded":true,"r2":1,"term_shift":[1]}, "biases"`),
			"without an expansion"},
		"shifts of other terms": {edit(`"biases"`, `"scaling": {"kind":"none","folded":false,"r2":1,`+
			`"term_shift":[1],"term_factor":[1,2],"expansion":{"kind":"products","terms":[]}}, "biases"`),
			"0 terms"},
		"lambda 0":          {edit(`"lambda": 0.01`, `"lambda": 0`), "Lambda"},
		"cut":               {good[:len(good)-3], "the text ends too early"},
		"something follows": {good + "{}", "something follows"},
		"a state":           {edit(`"biases"`, `"state": {}, "biases"`), `unknown field "state"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadJSON(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.HasPrefix(err.Error(), "modelio: model in JSON: ") {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	empty := edit(`"biases"`,
		`"scaling": {"kind":"max-abs","shift":[],"factor":[1,2],"folded":false,"r2":1}, "biases"`)
	m, err := ReadJSON(strings.NewReader(empty))
	if err != nil {
		t.Fatal(err)
	}
	m.DecisionAll(dense.New(3, 2)) // panicked: the empty shifts were subtracted
	want := errors.New("disk on fire")
	for _, n := range []int{0, 5, 100, len(good)} {
		if _, err := ReadJSON(io.MultiReader(strings.NewReader(good[:n]),
			iotest.ErrReader(want))); !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	for n := range good {
		if err := WriteJSON(&sample.FailingWriter{Left: n % 100}, models(t)[2]); !errors.Is(err,
			sample.ErrFull) {
			t.Fatalf("a writer with space for %d bytes: error %v", n%100, err)
		}
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, m := range models(f) {
		f.Add([]byte(encodeJSON(f, m)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ReadJSON(bytes.NewReader(text))
		if err != nil {
			return
		}
		again := encodeJSON(t, m)
		if n, err := ReadJSON(strings.NewReader(again)); err != nil || n.Hash() != m.Hash() {
			t.Fatalf("a model read and written can't be read, or is another: %v", err)
		}
		encode(t, m)
	})
}
