package pegasos

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
	"strings"
	"testing"
)

// kernelModels are a few that differ in all that a file can hold.
func kernelModels(t testing.TB) []*KernelModel {
	two, many := random(1, 30, 5, 2, 1), random(2, 40, 6, 4, 0.4)
	a := mustTrainKernel(t, two.dense, two.y, KernelTrainer{})
	a.IndexBase = 1
	b := mustTrainKernel(t, many.sparse, many.y, KernelTrainer{KernelConfig: KernelConfig{
		Kernel: Polynomial, Degree: 2, Coef0: 0.5, Gamma: 2, C: 0.3, Finish: FinishNone, Steps: 100, Seed: 1<<64 - 1,
	}})
	b.Names = []string{"yes", "no\nno", `"quoted"`, "日本 <&>"}
	c := mustTrainKernel(t, many.dense, many.y, KernelTrainer{
		KernelConfig: KernelConfig{Kernel: FunctionKernel, Multiclass: OneVsRest, Order: IID},
		Func:         func(x, z Row) float32 { return x.Value[0]*z.Value[0] + 1 },
	})
	d := mustTrainKernel(t, two.sparse, two.y, KernelTrainer{KernelConfig: KernelConfig{Steps: 1, MaxSV: 3}})
	return []*KernelModel{a, b, c, d}
}

func encodeKernel(t testing.TB, m *KernelModel) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestKernelModelRoundTrip(t *testing.T) {
	x := random(3, 50, 6, 2, 0.7).dense
	for i, m := range kernelModels(t) {
		text := encodeKernel(t, m)
		have, err := ReadKernelModel(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("model %d: %v", i, err)
		}
		if again := encodeKernel(t, have); !bytes.Equal(again, text) {
			t.Errorf("model %d: written again it differs", i)
		}
		if fmt.Sprintf("%#v", have.Result) != fmt.Sprintf("%#v", m.Result) { // NaN is not equal to itself
			t.Errorf("model %d: result %+v, want %+v", i, have.Result, m.Result)
		}
		have.Func = m.Func
		if have.Hash() != m.Hash() || !reflect.DeepEqual(have.DecisionAll(x), m.DecisionAll(x)) || have.Config != m.Config ||
			have.Lambda != m.Lambda || have.IndexBase != m.IndexBase || !reflect.DeepEqual(have.Names, m.Names) {
			t.Errorf("model %d: %+v, want %+v", i, have, m)
		}
		// The two kinds of models do not read as each other.
		if _, err := Read(bytes.NewReader(text)); err == nil {
			t.Errorf("model %d was read as a linear one", i)
		}
	}
	if _, err := ReadKernelModel(bytes.NewReader(encode(t, models(t)[0]))); !errors.Is(err, ErrNotKernelModel) {
		t.Errorf("a linear model: %v", err)
	}
	func() {
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "Func") {
				t.Errorf("a function that is missing: %v", v)
			}
		}()
		m, err := ReadKernelModel(bytes.NewReader(encodeKernel(t, kernelModels(t)[2])))
		if err != nil {
			t.Fatal(err)
		}
		m.DecisionAll(x)
	}()
}

const goodKernelModel = `pegasimd kernel model 1
features: 2
classes: [-1,1]
index_base: 1
lambda: 0.01
config: {"kernel":"rbf","gamma":0.5,"lambda":0.01,"epochs":1,"order":"permutation","offset":"r2","average":"last-half","finish":"dual","passes":100,"tol":0.01,"multiclass":"ovo"}
layout: "sparse"
support: [1,1]
result: {"steps":10,"epochs":1,"passes":2,"violations":7,"r2":1,"t0":100,"objective":0.5,"dual_objective":0.25,"gap":0.5}

`

const goodKernelBody = "\x01\x00\x00\x00\x00\x00\x00\x00" + // nonzeros of each row
	"\x01\x00\x00\x00" + "\x00\x00\x00\x40" + // column 1 is 2
	"\x00\x00\x80\xbf" + "\x00\x00\x80\x3f" // coefficients -1 and 1

// The header is for people too, and older programs' files are to be read for ever.
func TestKernelModelGolden(t *testing.T) {
	text := seal(goodKernelModel, goodKernelBody)
	m, err := ReadKernelModel(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if have := encodeKernel(t, m); string(have) != text {
		t.Errorf("%q\nwant\n%q", have, text)
	}
	x := matrix(t, 2, 2, 0, 0, 1, 2)
	have := m.DecisionAll(x)
	for i, want := range []float64{1 - math.Exp(-0.5*4), math.Exp(-0.5*5) - math.Exp(-0.5*1)} {
		if math.Abs(have[i]-want) > 1e-6 {
			t.Errorf("score %d is %v, want %v", i, have[i], want)
		}
	}
}

// A file that is cut short, has one byte changed or one too many is never read as a model.
func TestKernelModelDamage(t *testing.T) {
	for i, m := range kernelModels(t) {
		text := encodeKernel(t, m)
		for n := range text {
			if _, err := ReadKernelModel(bytes.NewReader(text[:n])); err == nil || !strings.Contains(err.Error(), "cut short") {
				t.Fatalf("model %d cut to %d of %d bytes: %v", i, n, len(text), err)
			}
			bad := bytes.Clone(text)
			bad[n] ^= byte(1 << (n % 8))
			if _, err := ReadKernelModel(bytes.NewReader(bad)); err == nil {
				t.Fatalf("model %d with byte %d changed was read", i, n)
			}
		}
		if _, err := ReadKernelModel(bytes.NewReader(append(bytes.Clone(text), '\n'))); err == nil || !strings.Contains(err.Error(), "follows") {
			t.Errorf("model %d with a byte more: %v", i, err)
		}
	}
}

func TestKernelModelHostile(t *testing.T) {
	edit := func(old, new string) string {
		if !strings.Contains(goodKernelModel, old) {
			t.Fatalf("%q is not there", old)
		}
		return strings.Replace(goodKernelModel, old, new, 1)
	}
	dense := edit(`"sparse"`, `"dense"`)
	body := goodKernelBody
	put := func(at int, b string) string { return body[:at] + b + body[at+len(b):] }
	for _, c := range []struct{ header, body, want string }{
		{"", "", "not a kernel model"},
		{"pegasimd model 1\n", body, "not a kernel model"},
		{edit("model 1", "model 2"), body, "version 2 is newer"},
		{edit("model 1", "model 0"), body, "version"},
		{edit("model 1", "model one"), body, "version"},
		{goodKernelModel, body[:len(body)-4], "cut short"},
		{goodKernelModel, body + "\x00\x00\x80\x3f", "checksum"},
		{goodKernelModel, put(0, "\x03"), "3 nonzeros of 2"},
		{goodKernelModel, put(0, "\xff\xff\xff\xff"), "nonzeros"},
		{goodKernelModel, put(8, "\x02"), "column 2"},
		{goodKernelModel, put(8, "\xff\xff\xff\xff"), "column -1"},
		{goodKernelModel, put(12, "\x00\x00\xc0\x7f"), "NaN"},
		{goodKernelModel, put(16, "\x00\x00\x80\x7f"), "+Inf"},
		{dense, "\x00\x00\x80\x3f", "cut short"},
		{dense, strings.Repeat("\x00\x00\xc0\x7f", 4) + body[16:], "NaN"},
		{strings.Replace(dense, "features: 2", "features: 100000000", 1), body, "cut short"},
		{strings.Replace(dense, "features: 2", "features: 0", 1), body[16:], ""},
		{strings.Replace(strings.Replace(dense, "features: 2", "features: 0", 1), "[1,1]", "[0,2147483647]", 1), body, "no features"},
		{edit("features: 2", "features: 2147483648"), body, "features"},
		{edit("features: 2", "features: -1"), body, "features"},
		{edit("features: 2", "features: 1.5"), body, "features"},
		{edit("features: 2\n", ""), body, "features is missing"},
		{edit("features: 2", "features: 2\nfeatures: 2"), body, "features"},
		{edit("[1,1]", "[1,2000000000]"), body, "cut short"},
		{edit("[1,1]", "[2147483647,1]"), body, "support"},
		{edit("[1,1]", "[1,9223372036854775807]"), body, "support"},
		{edit("[1,1]", "[-1,3]"), body, "support"},
		{edit("[1,1]", "[2]"), body, "1 numbers for 2 classes"},
		{edit("[1,1]", "null"), body, "support"},
		{edit("[-1,1]", "[]"), body, "0 classes"},
		{edit("[-1,1]", "[0]"), body, "1 classes"},
		{edit("[-1,1]", "[1,0]"), body, "ascending"},
		{edit("[-1,1]", "[0,1e39]"), body, "classes"},
		{edit("index_base", "names: [\"a\"]\nindex_base"), body, "1 names"},
		{edit("lambda: 0.01\n", "lambda: 0\n"), body, "Lambda"},
		{edit(`"kernel":"rbf"`, `"kernel":"cosine"`), body, "Kernel"},
		{edit(`"kernel":"rbf"`, `"future":1`), body, "future"},
		{edit(`"gamma":0.5,`, ``), body, "gamma"},
		{edit(`"gamma":0.5,`, `"gamma":-1,`), body, "Gamma"},
		{edit(`"order":"permutation",`, ``), body, "defaults"},
		{edit("config: {", "config: [{"), body, "config"},
		{goodKernelModel, body, ""},
		{edit(`"sparse"`, `"diagonal"`), body, "layout"},
		{goodKernelModel[:strings.Index(goodKernelModel, "result")] + "result: null\n\n", body, "result"},
		{edit("\n\n", "\nextra: 1\n\n"), body, "extra"},
	} {
		_, err := ReadKernelModel(strings.NewReader(seal(c.header, c.body)))
		if c.want == "" {
			if err != nil {
				t.Errorf("%q %q: %v", c.header, c.body, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "pegasos: model file: ") {
			t.Errorf("%q %q: %v, want %q", c.header, c.body, err, c.want)
		}
	}
	many := make([]string, 400)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	if _, err := ReadKernelModel(strings.NewReader(seal(edit("[-1,1]", "["+strings.Join(many, ",")+"]"), body))); err == nil || !strings.Contains(err.Error(), "pairs") {
		t.Errorf("400 classes: %v", err)
	}
}

// A header that promises much and a file that holds little take little memory.
func TestKernelModelMemory(t *testing.T) {
	for _, layout := range []string{"sparse", "dense"} {
		header := strings.Replace(goodKernelModel, "layout: \"sparse\"", "layout: \""+layout+"\"", 1)
		header = strings.Replace(strings.Replace(header, "[1,1]", "[1000000000,1000000000]", 1), "features: 2", "features: 1000000", 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := ReadKernelModel(strings.NewReader(seal(header, goodKernelBody))); err == nil {
			t.Error("no error")
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%d bytes for a file of %d", n, len(header))
		}
	}
}

func TestKernelModelWriteError(t *testing.T) {
	for _, m := range kernelModels(t)[:2] {
		size := len(encodeKernel(t, m))
		for n := range size {
			if err := m.Write(&failingWriter{n}); !errors.Is(err, errFull) {
				t.Fatalf("room for %d of %d bytes: %v", n, size, err)
			}
		}
	}
	bad := kernelModels(t)[0]
	bad.Names = []string{"a"}
	if err := bad.Write(io.Discard); err == nil {
		t.Error("a name is missing")
	}
}

func TestKernelModelFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "model")
	for _, m := range kernelModels(t) {
		if err := m.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		if have, err := ReadKernelModelFile(name); err != nil || have.Hash() != m.Hash() {
			t.Errorf("%v, %v", have, err)
		}
	}
	only(t, filepath.Dir(name), "model")
	if _, err := ReadKernelModelFile(name + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := models(t)[0].WriteFile(name); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadKernelModelFile(name); !errors.Is(err, ErrNotKernelModel) || !strings.Contains(err.Error(), name) {
		t.Errorf("a linear model: %v", err)
	}
}

func FuzzReadKernelModel(f *testing.F) {
	for _, m := range kernelModels(f) {
		f.Add(encodeKernel(f, m))
	}
	f.Add([]byte(seal(goodKernelModel, goodKernelBody)))
	x := random(3, 3, 6, 2, 0.7)
	f.Fuzz(func(t *testing.T, text []byte) {
		// The checksum is put right, or no input would get far.
		if len(text) > sha256.Size {
			body := text[:len(text)-sha256.Size]
			if m, err := ReadKernelModel(strings.NewReader(seal(string(body), ""))); err == nil {
				again := encodeKernel(t, m)
				if n, err := ReadKernelModel(bytes.NewReader(again)); err != nil || n.Hash() != m.Hash() {
					t.Fatalf("read, written, and not read again: %v", err)
				}
				if m.Config.Kernel != FunctionKernel && m.Cols() < 1<<16 {
					m.PredictAll(x.dense)
					m.PredictAll(x.sparse)
				}
			}
		}
		ReadKernelModel(bytes.NewReader(text))
	})
}
