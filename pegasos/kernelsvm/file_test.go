package kernelsvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

func models(t testing.TB) []*Model {
	two, many := sample.Random(1, 30, 5, 2, 1), sample.Random(2, 40, 6, 4, 0.4)
	a := mustTrain(t, two.Dense, two.Y, Trainer{})
	a.IndexBase = 1
	b := mustTrain(t, many.Sparse, many.Y, Trainer{Config: Config{
		Kernel: Polynomial, Degree: 2, Coef0: 0.5, Gamma: 2, C: 0.3, Finish: pegasos.FinishNone,
		Steps: 100, Seed: 1<<64 - 1,
	}})
	b.Names = []string{"yes", "no\nno", `"quoted"`, "日本 <&>"}
	b.Command = "-format csv -label-column 'it'\\''s \n<&>'"
	b.HashBits, b.Table = 3, []byte(`{"columns":["a","b"],"label_at":-1}`)
	c := mustTrain(t, many.Dense, many.Y, Trainer{
		Config: Config{Kernel: Function, Multiclass: pegasos.OneVsRest, Order: pegasos.IID},
		Func:   func(x, z Row) float32 { return x.Value[0]*z.Value[0] + 1 },
	})
	d := mustTrain(t, two.Sparse, two.Y, Trainer{Config: Config{Steps: 1}})
	return []*Model{a, b, c, d}
}

func linearModel(t testing.TB) *pegasos.Model {
	t.Helper()
	p := sample.Random(1, 30, 5, 2, 1)
	m, err := pegasos.Train(context.Background(), p.Dense, p.Y, pegasos.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestModelRoundTrip(t *testing.T) {
	x := sample.Random(3, 50, 6, 2, 0.7).Dense
	for i, m := range models(t) {
		text := encode(t, m)
		have, err := Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if again := encode(t, have); !bytes.Equal(again, text) {
			t.Errorf("model %d: the file of the model read differs", i)
		}
		// as text, since NaN is not equal to itself
		if fmt.Sprintf("%#v", have.Result) != fmt.Sprintf("%#v", m.Result) {
			t.Errorf("model %d: result %+v, want %+v", i, have.Result, m.Result)
		}
		have.Func = m.Func
		if have.Hash() != m.Hash() || !reflect.DeepEqual(have.DecisionAll(x), m.DecisionAll(x)) ||
			have.Config != m.Config ||
			have.Lambda != m.Lambda || have.IndexBase != m.IndexBase ||
			!reflect.DeepEqual(have.Names, m.Names) {
			t.Errorf("model %d: %+v, want %+v", i, have, m)
		}
		if _, err := pegasos.Read(bytes.NewReader(text)); err == nil {
			t.Errorf("model %d was read as a linear model", i)
		}
	}
	var linear bytes.Buffer
	if err := linearModel(t).Write(&linear); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&linear); err == nil || !strings.Contains(err.Error(), "not a kernel model") {
		t.Errorf("Read of a linear model: error %v", err)
	}
	func() {
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "Func") {
				t.Errorf("DecisionAll without Func: the panic is %v", v)
			}
		}()
		m, err := Read(bytes.NewReader(encode(t, models(t)[2])))
		if err != nil {
			t.Fatal(err)
		}
		m.DecisionAll(x)
	}()
}

const good = `pegasimd kernel model 1
features: 2
classes: [-1,1]
index_base: 1
lambda: 0.01
config: {"kernel":"rbf","gamma":0.5,"lambda":0.01,"epochs":1,"order":"permutation","offset":"r2","average":"last-half","finish":"dual","passes":100,"tol":0.01,"multiclass":"ovo"}
layout: "sparse"
support: [1,1]
result: {"steps":10,"epochs":1,"passes":2,"violations":7,"r2":1,"t0":100,"objective":0.5,"dual_objective":0.25,"gap":1}

`

const goodBody = "\x01\x00\x00\x00\x00\x00\x00\x00" + // number of nonzeros of each row: 1 and 0
	"\x01\x00\x00\x00" + "\x00\x00\x00\x40" + // row 0 has the value 2 in column 1
	"\x00\x00\x80\xbf" + "\x00\x00\x80\x3f" // coefficients -1 and 1

func TestModelGolden(t *testing.T) {
	text := sample.Seal(good, goodBody)
	m, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if have := encode(t, m); string(have) != text {
		t.Errorf("%q\nwant\n%q", have, text)
	}
	x, err := dense.FromSlice(2, 2, []float32{0, 0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	have := m.DecisionAll(x)
	for i, want := range []float64{1 - math.Exp(-0.5*4), math.Exp(-0.5*5) - math.Exp(-0.5*1)} {
		if math.Abs(have[i]-want) > 1e-6 {
			t.Errorf("score %d is %v, want %v", i, have[i], want)
		}
	}
}

func TestModelDamage(t *testing.T) {
	for i, m := range models(t) {
		text := encode(t, m)
		for n := range text {
			if _, err := Read(bytes.NewReader(text[:n])); err == nil ||
				!strings.Contains(err.Error(), "cut short") {
				t.Fatalf("model %d cut to %d of %d bytes: %v", i, n, len(text), err)
			}
			bad := bytes.Clone(text)
			bad[n] ^= byte(1 << (n % 8))
			if _, err := Read(bytes.NewReader(bad)); err == nil {
				t.Fatalf("model %d with byte %d changed was read", i, n)
			}
		}
		if _, err := Read(bytes.NewReader(append(bytes.Clone(text), '\n'))); err == nil ||
			!strings.Contains(err.Error(), "follows") {
			t.Errorf("model %d with a byte more: %v", i, err)
		}
	}
}

func TestModelHostile(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the header has no %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	dense := edit(`"sparse"`, `"dense"`)
	body := goodBody
	put := func(at int, b string) string { return body[:at] + b + body[at+len(b):] }
	for _, c := range []struct{ header, body, want string }{
		{"", "", "does not begin with"},
		{"pegasimd model 1\n", body, "not a kernel model"},
		{edit("model 1", "model 2"), body, "version 2 is newer"},
		{edit("model 1", "model 0"), body, "version"},
		{edit("model 1", "model one"), body, "version"},
		{good, body[:len(body)-4], "cut short"},
		{good, body + "\x00\x00\x80\x3f", "checksum"},
		{good, put(0, "\x03"), "3 nonzeros, want at most the number of features, 2"},
		{good, put(0, "\xff\xff\xff\xff"), "nonzeros"},
		{good, put(8, "\x02"), "column 2"},
		{good, put(8, "\xff\xff\xff\xff"), "column -1"},
		{good, put(12, "\x00\x00\xc0\x7f"), "NaN"},
		{good, put(16, "\x00\x00\x80\x7f"), "+Inf"},
		{dense, "\x00\x00\x80\x3f", "cut short"},
		{dense, strings.Repeat("\x00\x00\xc0\x7f", 4) + body[16:], "NaN"},
		{strings.Replace(dense, "features: 2", "features: 100000000", 1), body, "cut short"},
		{strings.Replace(dense, "features: 2", "features: 0", 1), body[16:], ""},
		{strings.Replace(strings.Replace(dense, "features: 2", "features: 0", 1), "[1,1]",
			"[0,2147483647]", 1), body, "no features"},
		{edit("features: 2", "features: 2147483648"), body, "features"},
		{edit("features: 2", "features: -1"), body, "features"},
		{edit("features: 2", "features: 1.5"), body, "features"},
		{edit("features: 2\n", ""), body, "features is missing"},
		{edit("features: 2", "features: 2\nfeatures: 2"), body, "features"},
		{edit("[1,1]", "[1,2000000000]"), body, "cut short"},
		{edit("[1,1]", "[2147483647,1]"), body, "support"},
		{edit("[1,1]", "[1,9223372036854775807]"), body, "support"},
		{edit("[1,1]", "[-1,3]"), body, "support"},
		{edit("[1,1]", "[2]"), body, "1 number for 2 classes"},
		{edit("[1,1]", "null"), body, "support"},
		{edit("[-1,1]", "[]"), body, "classes: have 0"},
		{edit("[-1,1]", "[0]"), body, "classes: have 1"},
		{edit("[-1,1]", "[1,0]"), body, "ascending"},
		{edit("[-1,1]", "[0,1e39]"), body, "classes"},
		{edit("index_base", "names: [\"a\"]\nindex_base"), body, "1 name for"},
		{edit("lambda: 0.01\n", "lambda: 0\n"), body, "Lambda"},
		{edit(`"kernel":"rbf"`, `"kernel":"cosine"`), body, "Kernel"},
		{edit(`"kernel":"rbf"`, `"future":1`), body, "future"},
		{edit(`"gamma":0.5,`, ``), body, "gamma"},
		{edit(`"gamma":0.5,`, `"gamma":-1,`), body, "Gamma"},
		{edit(`"order":"permutation",`, ``), body, "defaults"},
		{edit("config: {", "config: [{"), body, "config"},
		{good, body, ""},
		{edit(`"sparse"`, `"diagonal"`), body, "layout"},
		{good[:strings.Index(good, "result")] + "result: null\n\n", body, "result"},
		{edit("\n\n", "\nextra: 1\n\n"), body, "extra"},
	} {
		_, err := Read(strings.NewReader(sample.Seal(c.header, c.body)))
		if c.want == "" {
			if err != nil {
				t.Errorf("%q %q: error %v, want none", c.header, c.body, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(),
			"pegasos: kernel model file: ") {
			t.Errorf("%q %q: error %v, want %q", c.header, c.body, err, c.want)
		}
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	if _, err := Read(strings.NewReader(sample.Seal(edit("[-1,1]", "["+strings.Join(many, ",")+"]"),
		body))); err == nil || !strings.Contains(err.Error(), "pairs") {
		t.Errorf("400 classes: %v", err)
	}
}

func TestModelMemory(t *testing.T) {
	for _, layout := range []string{"sparse", "dense"} {
		header := strings.Replace(good, "layout: \"sparse\"", "layout: \""+layout+"\"", 1)
		header = strings.Replace(strings.Replace(header, "[1,1]", "[1000000000,1000000000]", 1),
			"features: 2", "features: 1000000", 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Read(strings.NewReader(sample.Seal(header, goodBody))); err == nil {
			t.Error("no error for huge sizes")
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d bytes allocated for a file of about %d", n, len(header))
		}
	}
}

// With one support row for each class, a class has as many coefficients as problems.
func TestModelManyClasses(t *testing.T) {
	const n = 1100
	x := make([]float32, 2*n)
	y := make([]float32, n)
	for i := range y {
		y[i], x[2*i], x[2*i+1] = float32(i), float32(i%40), float32(i/40)
	}
	rows, err := dense.FromSlice(n, 2, x)
	if err != nil {
		t.Fatal(err)
	}
	tr := Trainer{Config: Config{Kernel: Linear, Lambda: 1e-3, Epochs: 1,
		Finish: pegasos.FinishNone, Multiclass: pegasos.OneVsRest}}
	m, err := tr.Train(t.Context(), rows, y)
	if err != nil {
		t.Fatal(err)
	}
	if have := m.SupportRows().Rows(); have != n {
		t.Fatalf("%d support rows, want %d", have, n)
	}
	if have, err := Read(bytes.NewReader(encode(t, m))); err != nil || have.Hash() != m.Hash() {
		t.Errorf("the model is not read, or another one: %v", err)
	}
}

func TestModelWriteError(t *testing.T) {
	for _, m := range models(t)[:2] {
		size := len(encode(t, m))
		for n := range size {
			if err := m.Write(&sample.FailingWriter{Left: n}); !errors.Is(err, sample.ErrFull) {
				t.Fatalf("space for %d of %d bytes: %v", n, size, err)
			}
		}
	}
	bad := models(t)[0]
	bad.Names = []string{"a"}
	if err := bad.Write(io.Discard); err == nil {
		t.Error("no error for a missing name")
	}
}

func TestModelFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model")
	for _, m := range models(t) {
		if err := m.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		if have, err := ReadFile(name); err != nil || have.Hash() != m.Hash() {
			t.Errorf("model %v, error %v", have, err)
		}
	}
	sample.OnlyFiles(t, filepath.Dir(name), "model")
	if _, err := ReadFile(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := linearModel(t).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(name); err == nil || !strings.Contains(err.Error(),
		"not a kernel model") ||
		!strings.Contains(err.Error(), name) {
		t.Errorf("a linear model: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, m := range models(f) {
		f.Add(encode(f, m))
	}
	f.Add([]byte(sample.Seal(good, goodBody)))
	x := sample.Random(3, 3, 6, 2, 0.7)
	f.Fuzz(func(t *testing.T, text []byte) {
		// Seal appends a correct checksum: without one, Read rejects almost every input.
		if len(text) > sha256.Size {
			body := text[:len(text)-sha256.Size]
			if m, err := Read(strings.NewReader(sample.Seal(string(body), ""))); err == nil {
				again := encode(t, m)
				if n, err := Read(bytes.NewReader(again)); err != nil || n.Hash() != m.Hash() {
					t.Fatalf("a model read and written can't be read, or is another: %v", err)
				}
				if m.Config.Kernel != Function && m.Cols() < 1<<16 {
					m.PredictAll(x.Dense)
					m.PredictAll(x.Sparse)
				}
			}
		}
		Read(bytes.NewReader(text))
	})
}
