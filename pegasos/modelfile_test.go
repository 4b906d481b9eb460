package pegasos_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/files"
	"github.com/pegasimd/pegasimd/pegasos"
)

func models(t testing.TB) []*pegasos.Model {
	two, many := random(1, 40, 5, 2, 1), random(2, 40, 3, 4, 1)
	a := mustTrain(t, two.dense, two.y, pegasos.Config{})
	a.IndexBase = 1
	b := mustTrain(t, many.dense, many.y, pegasos.Config{C: 0.3, Steps: 100, Order: pegasos.IID,
		Bias: pegasos.BiasAugmented, BiasScale: 2.5, Seed: 1<<64 - 1})
	b.Names = []string{"yes", "no\nno", `"quoted"`, "日本 <&>"}
	b.Command = "-format csv -label-column 'it'\\''s \n<&>'"
	b.Table = []byte(`{"columns":["a","b"],"label_at":-1}`)
	c := &pegasos.Model{Classes: []float32{-1.5, 1e-40}, Weights: [][]float32{{}}, Lambda: 1}
	sparse := &pegasos.Model{Classes: []float32{0, 1, 2}, Bias: []float64{1, 0, -1}, Lambda: 1}
	for k := range 3 {
		w := make([]float32, 101)
		w[k], w[50], w[100] = 1, float32(math.Copysign(0, -1)), -1e-45
		sparse.Weights = append(sparse.Weights, w)
	}
	return []*pegasos.Model{a, b, c, sparse}
}

func encode(t testing.TB, m *pegasos.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestModelRoundTrip(t *testing.T) {
	for i, m := range models(t) {
		text := encode(t, m)
		have, err := pegasos.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		// Results are compared as text, because NaN is not equal to itself.
		if fmt.Sprintf("%#v", have.Result) != fmt.Sprintf("%#v", m.Result) {
			t.Errorf("model %d: result %+v, want %+v", i, have.Result, m.Result)
		}
		if sparse := bytes.Contains(text, []byte("\nsparse: true\n")); sparse != (i == 3) {
			t.Errorf("model %d: written in sparse form: %v", i, sparse)
		}
		if again := encode(t, have); !bytes.Equal(again, text) {
			t.Errorf("model %d: writing the read model gives other bytes", i)
		}
		have.Result, m.Result = pegasos.Result{}, pegasos.Result{}
		if !reflect.DeepEqual(have, m) {
			t.Errorf("model %d: %+v, want %+v", i, have, m)
		}
	}
}

// Weights of which most are 0 are written in sparse form, unless readers would reject the file.
func TestModelSparse(t *testing.T) {
	dir := t.TempDir()
	for name, sparse := range map[string]bool{"model.gz": true, "larger.gz": false} {
		m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{make([]float32, 4<<20)},
			Lambda: 1}
		if name == "larger.gz" {
			m.Weights[0] = append(m.Weights[0], 0)
		}
		m.Weights[0][17] = 1
		path := filepath.Join(dir, name)
		if err := m.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		have, err := pegasos.ReadFile(path)
		if err != nil || !slices.Equal(have.Weights[0], m.Weights[0]) {
			t.Errorf("%s: other weights are read: %v", name, err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		plain, _, err := files.Unpack(f, "")
		head := make([]byte, 100)
		if err == nil {
			_, err = io.ReadFull(plain, head)
		}
		f.Close()
		if have := strings.Contains(string(head), "\nsparse: true\n"); err != nil || have != sparse {
			t.Errorf("%s: %v, %q", name, err, head)
		}
		os.Remove(path)
	}
}

func TestModelGolden(t *testing.T) {
	m := &pegasos.Model{
		Classes: []float32{-1, 1}, Names: []string{"no", "yes"}, Weights: [][]float32{{1, -2}},
		Bias: []float64{0.5}, Lambda: 0.01, Config: pegasos.Config{Lambda: 0.01}.Plain(),
		IndexBase: 1, Result: pegasos.Result{Steps: 10, Epochs: 5, Violations: 3, R2: 2, T0: 200,
			Objective: 0.75, DualObjective: 0.5, Gap: 0.5},
	}
	file := func(scale string) string {
		text := `pegasimd model 1
features: 2
classes: [-1,1]
names: ["no","yes"]
bias: true
index_base: 1
lambda: 0.01
config: {"loss":"hinge","multiclass":"ovr","lambda":0.01,"epochs":20,"order":"shuffled","block":64` +
			`,"offset":"auto","average":"last-half","bias":"none"` + scale + `}
result: {"steps":10,"epochs":5,"violations":3,"r2":2,"t0":200,"objective":0.75,` +
			`"dual_objective":0.5,"gap":0.5}

` + "\x00\x00\x80\x3f\x00\x00\x00\xc0" + "\x00\x00\x00\x00\x00\x00\xe0\x3f"
		sum := sha256.Sum256([]byte(text))
		return text + string(sum[:])
	}
	want := file(`,"scale":"none","target_scale":"none","curves":"none"`)
	if have := encode(t, m); string(have) != want {
		t.Errorf("%q\nwant\n%q", have, want)
	}
	if have, err := pegasos.Read(strings.NewReader(want)); err != nil || !reflect.DeepEqual(have, m) {
		t.Errorf("%+v, %v", have, err)
	}
	m.Config.Scale, m.Config.TargetScale, m.Config.Curves = "", "", ""
	have, err := pegasos.Read(strings.NewReader(file("")))
	if err != nil || !reflect.DeepEqual(have, m) || have.Config.Plain().Scale != pegasos.ScaleNone {
		t.Errorf("%+v, %v", have, err)
	}
}

func TestModelDamage(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 7
	}
	for i, m := range models(t) {
		text := encode(t, m)
		for n := 0; n < len(text); n += step {
			if _, err := pegasos.Read(bytes.NewReader(text[:n])); err == nil ||
				!strings.Contains(err.Error(), "cut short") {
				t.Fatalf("model %d cut to %d of %d bytes: %v", i, n, len(text), err)
			}
			bad := bytes.Clone(text)
			bad[n] ^= 1
			if _, err := pegasos.Read(bytes.NewReader(bad)); err == nil {
				t.Fatalf("model %d with byte %d changed was read", i, n)
			}
		}
		if _, err := pegasos.Read(bytes.NewReader(append(bytes.Clone(text), '\n'))); err == nil ||
			!strings.Contains(err.Error(), "follows") {
			t.Errorf("model %d with an additional byte: %v", i, err)
		}
	}
}

func TestModelHostile(t *testing.T) {
	const good = `pegasimd model 1
features: 1
classes: [0,1]
bias: false
index_base: 0
lambda: 1
config: {}
result: {"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}

`
	if _, err := pegasos.Read(strings.NewReader(seal(good, "\x00\x00\x80\x3f"))); err != nil {
		t.Fatal(err)
	}
	const bits = "features: 1\nsparse: true"
	if _, err := pegasos.Read(strings.NewReader(seal(strings.Replace(good, "features: 1", bits, 1),
		"\x01\x00\x00\x80\x3f"))); err != nil {
		t.Fatal(err)
	}
	edit := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the valid file lacks %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, header, numbers, want string }{
		{"empty", "", "", "does not begin with"},
		{"bad magic: liblinear", "solver_type L2R_L2LOSS_SVC\n", "", "does not begin with"},
		{"truncated: no weights", good, "", "cut short"},
		{"weight NaN", good, "\x00\x00\xc0\x7f", "NaN"},
		{"weight infinite", good, "\x00\x00\x80\x7f", "+Inf"},
		{"dims lie: two weights for one feature", good, "\x00\x00\x80\x3f\x00\x00\x80\x3f",
			"checksum"},
		{"dims lie: 100 million features", edit("features: 1", "features: 100000000"),
			"\x00\x00\x80\x3f", "cut short"},
		{"dims lie: a billion features", edit("features: 1", "features: 1000000000"),
			"\x00\x00\x80\x3f", ""}, // too many features on 32-bit machines, else a file cut short
		{"dims lie: features of 63 bits", edit("features: 1", "features: 9223372036854775807"),
			"\x00\x00\x80\x3f", "features"},
		{"dims lie: features beyond 64 bits", edit("features: 1", "features: 92233720368547758070"),
			"\x00\x00\x80\x3f", "features"},
		{"features negative", edit("features: 1", "features: -1"), "\x00\x00\x80\x3f", "features"},
		{"features not whole", edit("features: 1", "features: 1.5"), "\x00\x00\x80\x3f",
			"features"},
		{"features twice", edit("features: 1", "features: 1\nfeatures: 1"), "\x00\x00\x80\x3f",
			"features"},
		{"features missing", edit("features: 1\n", ""), "\x00\x00\x80\x3f", "features is missing"},
		{"class count 0", edit("[0,1]", "[]"), "\x00\x00\x80\x3f", "0 classes"},
		{"classes null", edit("[0,1]", "null"), "\x00\x00\x80\x3f", "0 classes"},
		{"class count 1", edit("[0,1]", "[0]"), "\x00\x00\x80\x3f", "1 class,"},
		{"classes descending", edit("[0,1]", "[1,0]"), "\x00\x00\x80\x3f", "ascending"},
		{"classes equal", edit("[0,1]", "[1,1]"), "\x00\x00\x80\x3f", "ascending"},
		{"class beyond float32", edit("[0,1]", "[1,1e39]"), "\x00\x00\x80\x3f", "classes"},
		{"class NaN", edit("[0,1]", "[1,NaN]"), "\x00\x00\x80\x3f", "classes"},
		{"truncated: no biases", edit("bias: false", "bias: true"), "\x00\x00\x80\x3f",
			"cut short"},
		{"bias NaN", edit("bias: false", "bias: true"),
			"\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\xf8\x7f", "bias 0 is NaN"},
		{"one name for two classes", edit("bias: false", "names: [\"a\"]\nbias: false"),
			"\x00\x00\x80\x3f", "1 name for"},
		{"lambda 0", edit("lambda: 1", "lambda: 0"), "\x00\x00\x80\x3f", "Lambda"},
		{"lambda negative", edit("lambda: 1", "lambda: -1"), "\x00\x00\x80\x3f", "Lambda"},
		{"order unknown", edit("config: {}", "config: {\"order\":\"sideways\"}"),
			"\x00\x00\x80\x3f", "Order"},
		{"setting unknown", edit("config: {}", "config: {\"future\":1}"), "\x00\x00\x80\x3f",
			"future"},
		{"config an array", edit("config: {}", "config: []"), "\x00\x00\x80\x3f", "config"},
		{"result null", edit(`result: {"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}`,
			"result: null"), "\x00\x00\x80\x3f", "result"},
		{"line unknown", edit("\n\n", "\nextra: 1\n\n"), "\x00\x00\x80\x3f", "extra"},
		{"lines in another order", edit("index_base: 0\nlambda: 1", "lambda: 1\nindex_base: 0"),
			"\x00\x00\x80\x3f", "index_base"},
		{"a billion features in 50 bytes",
			"pegasimd model 1\nfeatures: 1000000000\nclasses: [0", "", "header: classes"},
		{"dims lie: state of a billion numbers",
			edit("\n\n", "\nstate: {\"arrays\":[1000000000]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "cut short"},
		{"dims lie: state of less than nothing", edit("\n\n", "\nstate: {\"arrays\":[-1]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "negative"},
		{"dims lie: state of more than is there", edit("\n\n", "\nstate: {\"arrays\":[1,1]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "cut short"},
		{"sparse: no bits", edit("features: 1", bits), "", ""}, // the checksum is read as bits
		{"sparse: weight NaN", edit("features: 1", bits), "\x01\x00\x00\xc0\x7f", "NaN"},
		{"sparse: not true", edit("features: 1", bits+"1"), "\x01\x00\x00\x80\x3f", "sparse"},
		{"sparse: a hundred million features", edit("features: 1", "features: 100000000\nsparse: true"),
			"\x01\x00\x00\x80\x3f", "cut short"},
		{"sparse: features of 62 bits",
			edit("features: 1", "features: 1152921504606846975\nsparse: true"),
			"\x01\x00\x00\x80\x3f", ""},
		{"state not an object", edit("\n\n", "\nstate: []\n\n"), "\x00\x00\x80\x3f", "state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := pegasos.Read(strings.NewReader(seal(c.header, c.numbers)))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.HasPrefix(err.Error(), "pegasos: model file: ") {
				t.Errorf("%q %q: %v, want %q", c.header, c.numbers, err, c.want)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<19 {
				t.Errorf("%q: %d bytes allocated", c.header, n)
			}
		})
	}
}

func TestModelHostileCurves(t *testing.T) {
	const one = "\x00\x00\x80\x3f"
	const good = `pegasimd model 1
features: 2
classes: [0,1]
bias: false
index_base: 0
lambda: 1
config: {}
result: {"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}
scaling: {"kind":"none","folded":false,"r2":1,"expansion":{"kind":"products","terms":[[0,1]]}}

`
	const numbers = one + one + one + one + one // three weights, a shift, a factor
	m, err := pegasos.Read(strings.NewReader(seal(good, numbers)))
	if err != nil {
		t.Fatal(err)
	}
	if z := m.Score([]float32{3, 5}, nil)[0]; z != 3+5+3*4-1 {
		t.Errorf("the score is %v", z)
	}
	for _, c := range []struct{ from, to, numbers, want string }{
		{`[0,1]]`, `[0,2]]`, numbers, "0*2"},
		{`[0,1]]`, `[-1,1]]`, numbers, "-1*1"},
		{`[0,1]]`, `[1,0]]`, numbers, "1*0"},
		{`[0,1]]`, `[0,1,1]]`, numbers, "3 columns"},
		{`[0,1]]`, `[0]]`, numbers, "1 column,"},
		{`[0,1]]`, `null]`, numbers, "null"},
		{`[0,1]]`, `[0,4294967297]]`, numbers, "4294967297"},
		{`[[0,1]]`, `[[0,1],[0,1]]`, numbers + one + one + one, "term 1 is 0*1:"},
		{`[[0,1]]`, `[[0,1],[0,0]]`, numbers + one + one + one, "term 1 is 0*0:"},
		{`[[0,1]]`, `[[0,1],[1,1]]`, numbers, "cut short"},
		{`[[0,1]]`, `[]`, one + one, "0 terms"},
		{`[[0,1]]`, `null`, one + one, "0 terms"},
		{`{"kind":"products","terms":[[0,1]]}`, `null`, one + one, "null"},
		{`"products"`, `"none"`, numbers, `"none"`},
		{`"products"`, `"pieces"`, numbers, `"pieces"`},
		{`"products","terms":[[0,1]]`, `"pieces","terms":[[0,1]],"knots":[0]`, numbers, "columns 0 and 1"},
		{`"products"`, `"products","knots":[0]`, numbers, `"products"`},
		{`"none","folded":false`, `"none","folded":true`, numbers, "folded"},
		{`"none","folded"`, `"unit","folded"`, numbers, "unit"},
		{`"none","folded"`, `"standard","folded"`, numbers, "cut short"},
		{"features: 2", "features: 1", one + one + one + one, "0*1"},
		{"features: 2", "features: 9223372036854775807", numbers, "features"},
		{"", "", one + one + one + one + "\x00\x00\x00\x00", "factor 0"},
		{"", "", one + one + one + one + "\x00\x00\x80\xbf", "factor -1"},
		{"", "", one + one + one + "\x00\x00\x80\x7f" + one, "not valid"},
		{"", "", one + one + one + one, "cut short"},
	} {
		if !strings.Contains(good, c.from) {
			t.Fatalf("the valid file lacks %q", c.from)
		}
		file := seal(strings.Replace(good, c.from, c.to, 1), c.numbers)
		m, err := pegasos.Read(strings.NewReader(file))
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "pegasos: model file: ") {
			t.Errorf("%s for %s: %v, %v, want %q", c.to, c.from, m, err, c.want)
		}
	}
}

func TestModelWriteError(t *testing.T) {
	for _, m := range models(t) {
		size := len(encode(t, m))
		for n := 0; n < size; n += 13 {
			if err := m.Write(&failingWriter{Left: n}); !errors.Is(err, errFull) {
				t.Fatalf("space for %d of %d bytes: %v", n, size, err)
			}
		}
	}
	bad := models(t)[0]
	bad.Weights = nil
	if err := bad.Write(io.Discard); err == nil {
		t.Error("a model without weights was written")
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model")
	ms := models(t)
	for _, m := range ms {
		if err := m.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		have, err := pegasos.ReadFile(name)
		if err != nil || have.Hash() != m.Hash() {
			t.Errorf("%v, %v", have, err)
		}
	}
	zipped := filepath.Join(dir, "model.gz")
	if err := ms[0].WriteFile(zipped); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(zipped)
	if err != nil || !strings.HasPrefix(string(text), "\x1f\x8b") {
		t.Errorf("a name that ends in .gz: %.20q, %v", text, err)
	}
	if have, err := pegasos.ReadFile(zipped); err != nil || have.Hash() != ms[0].Hash() {
		t.Errorf("a compressed model: %v, %v", have, err)
	}
	os.Remove(zipped)
	if _, err := pegasos.ReadFile(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	err = ms[0].WriteFile(filepath.Join(dir, "none", "model"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if err := ms[0].WriteFile(dir); err == nil {
		t.Error("WriteFile succeeds for a folder")
	}
	only(t, dir, "model")
}

func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	// In this folder WriteFile succeeds only for root.
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	err := models(t)[0].WriteFile(name)
	text, _ := os.ReadFile(name)
	if err != nil && string(text) != "old" || err == nil && string(text) == "old" {
		t.Errorf("%v, and the file is %.10q", err, text)
	}
	t.Logf("read-only folder: %v", err)
	only(t, dir, "model")
}

func TestWriteFileKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("Windows has no file modes and few symbolic links: NOT TESTED")
		return
	}
	dir := t.TempDir()
	m := models(t)[0]
	name, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	chain, dangling := filepath.Join(dir, "c"), filepath.Join(dir, "d")
	for _, err := range []error{
		os.WriteFile(name, nil, 0o640), os.Chmod(name, 0o640), // despite the umask
		os.Symlink("a", link), os.Symlink(link, chain), os.Symlink("e", dangling),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []string{link, chain, dangling} {
		if err := m.WriteFile(n); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Readlink(n); err != nil {
			t.Errorf("%s is no longer a symbolic link", n)
		}
		if have, err := pegasos.ReadFile(n); err != nil || have.Hash() != m.Hash() {
			t.Errorf("%s: %v", n, err)
		}
	}
	if s, err := os.Stat(name); err != nil || s.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, want 0640 as before", s.Mode())
	}
	only(t, dir, "a", "b", "c", "d", "e")
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteFile(filepath.Join(dir, "loop")); err == nil {
		t.Error("WriteFile succeeds for a symbolic link to itself")
	}
	if err := m.WriteFile(os.DevNull); err != nil {
		t.Errorf("%s: %v", os.DevNull, err)
	}
}

func FuzzReadModel(f *testing.F) {
	for _, m := range models(f) {
		f.Add(encode(f, m))
	}
	f.Add([]byte("pegasimd model 1\nfeatures: 1000000000\nclasses: [0,1]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		// Correct the checksum: Read would reject nearly every input.
		if len(text) > sha256.Size {
			body := text[:len(text)-sha256.Size]
			if m, err := pegasos.Read(strings.NewReader(seal(string(body), ""))); err == nil {
				if err := m.Validate(); err != nil {
					t.Fatal(err)
				}
				again := encode(t, m)
				if n, err := pegasos.Read(bytes.NewReader(again)); err != nil || n.Hash() != m.Hash() {
					t.Fatalf("the model that was read and written can't be read, or has another hash: %v", err)
				}
			}
		}
		pegasos.Read(bytes.NewReader(text))
	})
}
