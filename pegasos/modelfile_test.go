package pegasos_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/atomicfile"
	"github.com/pegasimd/pegasimd/internal/files"
	"github.com/pegasimd/pegasimd/pegasos"
)

// models are a few that differ in all that a file can hold.
func models(t testing.TB) []*pegasos.Model {
	two, many := random(1, 40, 5, 2, 1), random(2, 40, 3, 4, 1)
	a := mustTrain(t, two.dense, two.y, pegasos.Config{})
	a.IndexBase = 1
	b := mustTrain(t, many.dense, many.y, pegasos.Config{
		C: 0.3, Steps: 100, Order: pegasos.IID, Bias: pegasos.BiasAugmented, BiasScale: 2.5, Seed: 1<<64 - 1,
	})
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
		// NaN is not equal to itself, so that the results are compared as text.
		if fmt.Sprintf("%#v", have.Result) != fmt.Sprintf("%#v", m.Result) {
			t.Errorf("model %d: result %+v, want %+v", i, have.Result, m.Result)
		}
		if again := encode(t, have); !bytes.Equal(again, text) {
			t.Errorf("model %d: written again it differs", i)
		}
		have.Result, m.Result = pegasos.Result{}, pegasos.Result{}
		if !reflect.DeepEqual(have, m) {
			t.Errorf("model %d: %+v, want %+v", i, have, m)
		}
	}
}

// Weights that are 0 take a bit each where that makes a file smaller by a tenth. All others keep
// their bits, -0 among them, and other files stay as they are.
func TestModelSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		classes, features := 2+rng.IntN(3), 1+rng.IntN(2000)
		if i%20 == 0 {
			features = 30_000 + rng.IntN(9) // more than are written at a time
		}
		vectors := classes
		if classes == 2 {
			vectors = 1
		}
		m := &pegasos.Model{Lambda: 1, Config: pegasos.Config{Multiclass: pegasos.OneVsRest}}
		for c := range classes {
			m.Classes = append(m.Classes, float32(c))
		}
		stored, share := 0, rng.Float64()
		for range vectors {
			w := make([]float32, features)
			for j := range w {
				if rng.Float64() < share {
					w[j] = float32(rng.NormFloat64()) * float32(rng.IntN(2)) * -1 // or -0
				}
				if math.Float32bits(w[j]) != 0 {
					stored++
				}
			}
			m.Weights = append(m.Weights, w)
		}
		all := vectors * features
		saved := 4*all - (all+7)/8 - 4*stored
		text := encode(t, m)
		header, numbers, _ := strings.Cut(string(text[:len(text)-sha256.Size]), "\n\n")
		want, sparse := 4*all, saved >= 1024 && 10*saved >= 4*all
		if sparse {
			want -= saved
		}
		if len(numbers) != want || sparse != strings.Contains(header, "\nsparse: true\n") {
			t.Errorf("%d of %d weights: %d bytes, want %d: %s", stored, all, len(numbers), want, header)
		}
		have, err := pegasos.Read(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if have.Hash() != m.Hash() || !bytes.Equal(encode(t, have), text) {
			t.Errorf("%d of %d weights: another model is read", stored, all)
		}
	}
}

// A model of which hardly anything is left is as large in a file as readers trust it to be; whether
// it is compressed is no matter.
func TestModelSparseLimit(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		features, stored int
		sparse           bool
	}{
		"model":           {4 << 20, 1, true},
		"wide":            {8 << 20, 1, true}, // 16 times a MB of bits
		"empty":           {16 << 20, 1, false},
		"half empty":      {16 << 20, 1 << 20, true},
		"model.gz":        {4 << 20, 1, true},
		"more.gz":         {4<<20 + 1, 1, false},
		"half empty.gz":   {8 << 20, 4 << 20, false},
		"two by three.gz": {6, 2, false},
	} {
		m := &pegasos.Model{Classes: []float32{0, 1}, Weights: [][]float32{make([]float32, c.features)},
			Lambda: 1}
		for j := range c.stored {
			m.Weights[0][j*(c.features/c.stored)] = 1 // compresses best
		}
		path := filepath.Join(dir, name)
		if err := m.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		if have, err := pegasos.ReadFile(path); err != nil || have.Hash() != m.Hash() {
			t.Errorf("%s: %v", name, err)
		}
		s, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(c.features/8 + 4*c.stored)
		if small := s.Size() < size+1000; !strings.HasSuffix(name, ".gz") && small != c.sparse {
			t.Errorf("%s: %d bytes for %d weights", name, s.Size(), c.stored)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		plain, _, err := files.Unzip(f, false)
		head := make([]byte, 100)
		if err == nil {
			_, err = io.ReadFull(plain, head)
		}
		f.Close()
		if have := strings.Contains(string(head), "\nsparse: true\n"); err != nil || have != c.sparse {
			t.Errorf("%s: %v, %q", name, err, head)
		}
		os.Remove(path)
	}
}

// The header is for people too, and older programs' files are to be read for ever.
func TestModelGolden(t *testing.T) {
	m := &pegasos.Model{
		Classes: []float32{-1, 1}, Names: []string{"no", "yes"}, Weights: [][]float32{{1, -2}},
		Bias:   []float64{0.5},
		Lambda: 0.01, Config: pegasos.Config{Lambda: 0.01}.Plain(), IndexBase: 1,
		Result: pegasos.Result{
			Steps: 10, Epochs: 5, Violations: 3, R2: 2, T0: 200,
			Objective: 0.75, DualObjective: 0.5, Gap: 0.5,
		},
	}
	file := func(multiclass, order, scale, gap string) string {
		text := `pegasimd model 1
features: 2
classes: [-1,1]
names: ["no","yes"]
bias: true
index_base: 1
lambda: 0.01
config: {"loss":"hinge",` + multiclass + `"lambda":0.01,"epochs":20,"order":` + order +
			`,"offset":"r2","average":"last-half","bias":"none"` + scale + `}
result: {"steps":10,"epochs":5,"violations":3,"r2":2,"t0":200,"objective":0.75,` +
			`"dual_objective":0.5,"gap":` + gap + `}

` + "\x00\x00\x80\x3f\x00\x00\x00\xc0" + "\x00\x00\x00\x00\x00\x00\xe0\x3f"
		sum := sha256.Sum256([]byte(text))
		return text + string(sum[:])
	}
	want := file(`"multiclass":"ovr",`, `"shuffled","block":64`,
		`,"scale":"none","target_scale":"none"`, "0.5")
	if have := encode(t, m); string(have) != want {
		t.Errorf("%q\nwant\n%q", have, want)
	}
	if have, err := pegasos.Read(strings.NewReader(want)); err != nil || !reflect.DeepEqual(have, m) {
		t.Errorf("%+v, %v", have, err)
	}
	// Of before rows could be scaled.
	m.Config.Scale, m.Config.TargetScale = "", ""
	have, err := pegasos.Read(
		strings.NewReader(file(`"multiclass":"ovr",`, `"shuffled","block":64`, "",
			"0.5")),
	)
	if err != nil || !reflect.DeepEqual(have, m) || have.Config.Plain().Scale != pegasos.ScaleNone {
		t.Errorf("%+v, %v", have, err)
	}
	// Of before there were choices of Multiclass, when the gap was a share of the objective.
	m.Config.Multiclass, m.Config.Order, m.Config.Block = "", pegasos.Permutation, 0
	have, err = pegasos.Read(strings.NewReader(file("", `"permutation"`, "", "0.3333333333333333")))
	if err != nil || !reflect.DeepEqual(have, m) {
		t.Errorf("%+v, %v", have, err)
	}
}

// A file that is cut short, has one byte changed or one too many is never read as a model.
func TestModelDamage(t *testing.T) {
	for i, m := range models(t) {
		text := encode(t, m)
		for n := range text {
			if _, err := pegasos.Read(bytes.NewReader(text[:n])); err == nil ||
				!strings.Contains(err.Error(), "cut short") {
				t.Fatalf("model %d cut to %d of %d bytes: %v", i, n, len(text), err)
			}
		}
		step := 1
		if testing.Short() {
			step = 5
		}
		for n := 0; n < len(text); n += step {
			for _, flip := range []byte{1, 0x80} {
				bad := bytes.Clone(text)
				bad[n] ^= flip
				if _, err := pegasos.Read(bytes.NewReader(bad)); err == nil {
					t.Fatalf("model %d with byte %d changed was read", i, n)
				}
			}
		}
		if _, err := pegasos.Read(bytes.NewReader(append(bytes.Clone(text), '\n'))); err == nil ||
			!strings.Contains(err.Error(), "follows") {
			t.Errorf("model %d with a byte more: %v", i, err)
		}
	}
}

// A malformed file gives an error and takes no more memory than a small file deserves.
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
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, header, numbers, want string }{
		{"empty", "", "", "not a model"},
		{"bad magic: a zip", "PK\x03\x04", "", "not a model"},
		{"bad magic: liblinear", "solver_type L2R_L2LOSS_SVC\n", "", "not a model"},
		{"newer version", edit("model 1", "model 2"), "\x00\x00\x80\x3f", "version 2 is newer"},
		{"version 0", edit("model 1", "model 0"), "\x00\x00\x80\x3f", "version"},
		{"version not a number", edit("model 1", "model one"), "\x00\x00\x80\x3f", "version"},
		{"truncated: no weights", good, "", "cut short"},
		{"weight NaN", good, "\x00\x00\xc0\x7f", "NaN"},
		{"weight infinite", good, "\x00\x00\x80\x7f", "+Inf"},
		{"dims lie: two weights for one feature", good, "\x00\x00\x80\x3f\x00\x00\x80\x3f",
			"checksum"},
		{"dims lie: 100 million features", edit("features: 1", "features: 100000000"),
			"\x00\x00\x80\x3f", "cut short"},
		{"dims lie: a billion features", edit("features: 1", "features: 1000000000"),
			"\x00\x00\x80\x3f", ""}, // too many for 32 bits
		{"dims lie: features of 63 bits", edit("features: 1", "features: 9223372036854775807"),
			"\x00\x00\x80\x3f", "features"},
		{"dims lie: features beyond 64 bits", edit("features: 1", "features: 92233720368547758070"),
			"\x00\x00\x80\x3f", "features"},
		{"features negative", edit("features: 1", "features: -1"), "\x00\x00\x80\x3f", "features"},
		{"features not whole", edit("features: 1", "features: 1.5"), "\x00\x00\x80\x3f",
			"features"},
		{"features two numbers", edit("features: 1", "features: 1 1"), "\x00\x00\x80\x3f",
			"features"},
		{"features twice", edit("features: 1", "features: 1\nfeatures: 1"), "\x00\x00\x80\x3f",
			"features"},
		{"features missing", edit("features: 1\n", ""), "\x00\x00\x80\x3f", "features is missing"},
		{"class count 0", edit("[0,1]", "[]"), "\x00\x00\x80\x3f", "0 classes"},
		{"classes null", edit("[0,1]", "null"), "\x00\x00\x80\x3f", "0 classes"},
		{"class count 1", edit("[0,1]", "[0]"), "\x00\x00\x80\x3f", "1 classes"},
		{"classes descending", edit("[0,1]", "[1,0]"), "\x00\x00\x80\x3f", "ascending"},
		{"classes equal", edit("[0,1]", "[1,1]"), "\x00\x00\x80\x3f", "ascending"},
		{"class beyond float32", edit("[0,1]", "[1,1e39]"), "\x00\x00\x80\x3f", "classes"},
		{"class NaN", edit("[0,1]", "[1,NaN]"), "\x00\x00\x80\x3f", "classes"},
		{"truncated: no biases", edit("bias: false", "bias: true"), "\x00\x00\x80\x3f",
			"cut short"},
		{"bias NaN", edit("bias: false", "bias: true"),
			"\x00\x00\x80\x3f\x00\x00\x00\x00\x00\x00\xf8\x7f", "bias 0 is NaN"},
		{"one name for two classes", edit("bias: false", "names: [\"a\"]\nbias: false"),
			"\x00\x00\x80\x3f", "1 names"},
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
		{"truncated: header without end", good[:len(good)-1], "", ""},
		{"a billion features in 50 bytes",
			"pegasimd model 1\nfeatures: 1000000000\nclasses: [0", "", "header: classes"},
		{"dims lie: state of a billion numbers",
			edit("\n\n", "\nstate: {\"arrays\":[1000000000]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "cut short"},
		{"dims lie: state of less than nothing", edit("\n\n", "\nstate: {\"arrays\":[-1]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "negative"},
		{"dims lie: state of more than is there", edit("\n\n", "\nstate: {\"arrays\":[1,1]}\n\n"),
			"\x00\x00\x80\x3f\x00\x00\x80\x3f", "cut short"},
		{"sparse: no bits", edit("features: 1", bits), "", ""}, // those of the checksum
		{"sparse: fewer weights than bits", edit("features: 1", bits), "\x01\x00\x00\x80", "cut short"},
		{"sparse: more weights than bits", edit("features: 1", bits), "\x00\x00\x00\x80\x3f",
			"checksum"},
		{"sparse: bits of no weight", edit("features: 1", bits),
			"\x03\x00\x00\x80\x3f\x00\x00\x80\x3f", "bits of more weights"},
		{"sparse: weight NaN", edit("features: 1", bits), "\x01\x00\x00\xc0\x7f", "NaN"},
		{"sparse: not true", edit("features: 1", bits+"1"), "\x01\x00\x00\x80\x3f", "sparse"},
		{"sparse: a hundred million features", edit("features: 1", "features: 100000000\nsparse: true"),
			"\x01\x00\x00\x80\x3f", "cut short"},
		{"sparse: features of 62 bits",
			edit("features: 1", "features: 1152921504606846975\nsparse: true"),
			"\x01\x00\x00\x80\x3f", ""},
		{"sparse: twice", edit("features: 1", bits+"\nsparse: true"), "\x01\x00\x00\x80\x3f",
			"sparse"},
		{"state not one", edit("\n\n", "\nstate: []\n\n"), "\x00\x00\x80\x3f", "state"},
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
				t.Errorf("%q takes %d bytes", c.header, n)
			}
		})
	}
}

// A header that promises much and a file that holds little take little memory.
func TestModelMemory(t *testing.T) {
	text := seal("pegasimd model 1\nfeatures: 1000000000\nclasses: [0,1]\n"+
		"bias: false\nindex_base: 0\nlambda: 1\nconfig: {}\n"+
		`result: {"steps":1,"epochs":1,"violations":1,"r2":1,"t0":1}`+"\n\n", "12345678")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := pegasos.Read(strings.NewReader(text)); err == nil {
		t.Error("no error")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("%d bytes for a file of %d", n, len(text))
	}
	// A line without end is given up.
	endless := io.MultiReader(strings.NewReader("pegasimd model 1\nfeatures: "), endlessReader{})
	if _, err := pegasos.Read(endless); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("endless line: %v", err)
	}
}

type endlessReader struct{}

func (endlessReader) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '1'
	}
	return len(b), nil
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

func TestModelReadError(t *testing.T) {
	want := errors.New("disk on fire")
	text := encode(t, models(t)[0])
	for _, n := range []int{0, 5, 100, len(text) - 5, len(text)} {
		_, err := pegasos.Read(io.MultiReader(bytes.NewReader(text[:n]), failingReader{want}))
		if !errors.Is(err, want) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestModelWriteError(t *testing.T) {
	for _, m := range models(t) {
		size := len(encode(t, m))
		for n := range size {
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
		t.Errorf("a file that is not there: %v", err)
	}
	err = ms[0].WriteFile(filepath.Join(dir, "none", "model"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := ms[0].WriteFile(dir); err == nil {
		t.Error("a folder was written to")
	}
	only(t, dir, "model")
}

// A write that fails leaves the old file untouched and nothing beside it.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "model")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := atomicfile.WriteFile(name, func(w io.Writer) error {
		io.WriteString(w, "half of the new")
		return errFull
	})
	if !errors.Is(err, errFull) {
		t.Error(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "old" {
		t.Errorf("%q, %v", text, err)
	}
	only(t, dir, "model")

	// The folder can't be written to, except by root.
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	err = models(t)[0].WriteFile(name)
	text, _ := os.ReadFile(name)
	if err != nil && string(text) != "old" || err == nil && string(text) == "old" {
		t.Errorf("%v, and the file is %.10q", err, text)
	}
	t.Logf("read-only folder: %v", err)
	only(t, dir, "model")
}

func TestWriteFileKeeps(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("no modes and few symbolic links here: NOT TESTED")
		return
	}
	dir := t.TempDir()
	m := models(t)[0]
	name, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	chain, dangling := filepath.Join(dir, "c"), filepath.Join(dir, "d")
	for _, err := range []error{
		os.WriteFile(name, nil, 0o640), os.Chmod(name, 0o640), // whatever the umask
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
			t.Errorf("%s is no link any more", n)
		}
		if have, err := pegasos.ReadFile(n); err != nil || have.Hash() != m.Hash() {
			t.Errorf("%s: %v", n, err)
		}
	}
	if s, err := os.Stat(name); err != nil || s.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, want that of the old file", s.Mode())
	}
	only(t, dir, "a", "b", "c", "d", "e")
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := m.WriteFile(filepath.Join(dir, "loop")); err == nil {
		t.Error("written to a link to itself")
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
		// The checksum is put right, or no input would get far.
		if len(text) > sha256.Size {
			body := text[:len(text)-sha256.Size]
			if m, err := pegasos.Read(strings.NewReader(seal(string(body), ""))); err == nil {
				if err := pegasos.CheckModel(m); err != nil {
					t.Fatal(err)
				}
				again := encode(t, m)
				if n, err := pegasos.Read(bytes.NewReader(again)); err != nil || n.Hash() != m.Hash() {
					t.Fatalf("read, written, and not read again: %v", err)
				}
			}
		}
		pegasos.Read(bytes.NewReader(text))
	})
}
