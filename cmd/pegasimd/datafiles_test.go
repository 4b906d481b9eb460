package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestConvertData(t *testing.T) {
	dir := t.TempDir()
	hash := func(data string) any { // without the table, which models of some formats lack
		t.Helper()
		must(t, "train", "-quiet", "-epochs", "2", data, filepath.Join(dir, "a.model"))
		return namelessHash(t, filepath.Join(dir, "a.model"))
	}
	want := hash(digits)
	in := digits
	for _, name := range []string{"a.svm", "a.svm.gz", "a.csv", "a.csv.gz", "a.npy", "a.npy.gz",
		"a.pgsm", "B.SVM.GZ", "B.NPY"} {
		out := filepath.Join(dir, name)
		_, told := must(t, "convert", in, out)
		if !strings.Contains(told, "1797 rows, 64 features") {
			t.Error(told)
		}
		if got := hash(out); got != want {
			t.Errorf("%s: model %v, want %v", name, got, want)
		}
		in = out
	}
	if out, _ := must(t, "convert", filepath.Join(dir, "a.pgsm"), "-"); !strings.HasPrefix(out,
		"0 3:5 4:13 5:9") {
		t.Errorf("%.40s", out)
	}
	streamed := filepath.Join(dir, "s.pgsm")
	must(t, "convert", "-stream", filepath.Join(dir, "a.svm.gz"), streamed)
	if got := hash(streamed); got != want {
		t.Errorf("convert -stream: model %v, want %v", got, want)
	}
	svm := file(t, "toy.svm", toy)
	for _, c := range []struct {
		want string
		code int
		args []string
	}{
		{"and can't be compressed", exitUsage,
			[]string{"convert", svm, filepath.Join(dir, "x.pgsm.gz")}},
		{"want a name that ends in", exitUsage,
			[]string{"convert", svm, filepath.Join(dir, "x.doc")}},
		{"a name of two files", exitUsage, []string{"convert", svm, filepath.Join(dir, "x.npy,y.npy")}},
		{"no such file", exitError, []string{"convert", filepath.Join(dir, "none.svm"),
			filepath.Join(dir, "x.csv")}},
		{"no such file", exitError, []string{"convert", svm, filepath.Join(dir, "none", "x.csv")}},
		{"-stream writes .pgsm", exitUsage, []string{"convert", "-stream", svm,
			filepath.Join(dir, "x.csv")}},
		{"no such file", exitError, []string{"convert", "-stream", svm + "x",
			filepath.Join(dir, "x.pgsm")}},
		{"only svmlight data can be hashed", exitError, []string{"convert", "-hash-bits", "4", digits,
			filepath.Join(dir, "x.pgsm")}},
	} {
		if code, _, told := pegasimd(t, c.args...); code != c.code ||
			!strings.Contains(told, c.want) {
			t.Errorf("%v: code %d, %s", c.args, code, told)
		}
	}
}

func TestIndexBaseOfModel(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.model")
	rows := file(t, "a.svm", "1 0:1\n-1 1:1\n1 0:2\n-1 1:2\n")
	must(t, "train", "-quiet", "-index-base", "auto", rows, model)
	data := file(t, "b.svm", "-1 1:1\n-1 1:2\n")
	const want = "warning: no index is 0, so indices are read as counted from 1, but those of the " +
		"training data count from 0 (-index-base 0)"
	for base, doubted := range map[string]bool{"auto": true, "0": false} {
		_, told := must(t, "eval", "-index-base", base, data, model)
		if strings.Contains(told, want) != doubted {
			t.Errorf("-index-base %s: %s", base, told)
		}
	}
}

func TestHashedData(t *testing.T) {
	dir := t.TempDir()
	svm := file(t, "big.svm", "1 7:1 18446744073709551614:2\n-1 7:-1\n")
	out := filepath.Join(dir, "a.pgsm")
	must(t, "convert", "-hash-bits", "8", svm, out)
	text, _ := must(t, "inspect", out)
	if !strings.Contains(text, "2 rows, 256 features (hashed to 8 bits)") ||
		!strings.Contains(text, "label -1: 1 row") {
		t.Error(text)
	}
	toySVM, model := file(t, "toy.svm", toy), filepath.Join(dir, "m.model")
	must(t, "train", "-quiet", toySVM, model)
	const refused = "a.pgsm: the features are hashed to 8 bits, but those of the model are not hashed"
	for _, args := range [][]string{{"predict", out, model}, {"verify", model, out},
		{"train", "-start", model, out, filepath.Join(dir, "n.model")}} {
		fails(t, exitError, refused, args...)
	}
	hashed := filepath.Join(dir, "toy.pgsm")
	must(t, "convert", "-hash-bits", "8", toySVM, hashed)
	_, told := must(t, "train", "-valid", toySVM, hashed, model)
	if !strings.Contains(told, "validation accuracy 100") {
		t.Error("the validation rows are not hashed: " + told)
	}
	messy := file(t, "messy.svm", "1 7:1 3:2 7:1\n-1 1:-1\n")
	if code, _, told := pegasimd(t, "inspect", messy); code != exitError ||
		!strings.Contains(told, "-unsorted") {
		t.Error(told)
	}
	if text, _ = must(t, "convert", "-unsorted", "sum", messy,
		"-"); text != "1 3:2 7:2\n-1 1:-1\n" {
		t.Error(text)
	}
}

func TestInspectData(t *testing.T) {
	dir := t.TempDir()
	svm := file(t, "a.svm", "1 1:3 2:4000\n-1 1:-2 2:500\n-1\n")
	text, _ := must(t, "inspect", svm)
	want := `3 rows, 2 features
4 nonzeros (66.67 %), dense layout
label -1: 2 rows
label 1: 1 row
` +
		"feature 1        -2 to 3, 33.3 % zeros\nfeature 2        0 to 4000, 33.3 % zeros\n"
	if text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	_, told := must(t, "train", svm, filepath.Join(dir, "warned.model"))
	if strings.Contains(told, "differ in scale") ||
		!strings.Contains(told, "columns standardized") {
		t.Error(told)
	}
	numbers := filepath.Join(dir, "n.json")
	must(t, "inspect", "-label", "64", "-json", numbers, digits)
	r := report(t, numbers)
	if r["rows"] != 1797.0 || r["features"] != 64.0 || r["nnz"] != 58736.0 ||
		len(r["labels"].([]any)) != 10 || len(r["warnings"].([]any)) != 0 || r["constant_features"] != 3.0 ||
		len(r["columns"].([]any)) != 64 {
		t.Error(r)
	}
	text, _ = must(t, "inspect", "-layout", "sparse", "-label", "last",
		digits)
	for _, want := range []string{"feature 1        0 to 0, constant\n",
		"feature 3        0 to 16, 23.9 % zeros\nfeature 4        0 to 16, ",
		"\n... and 44 more features: -json lists all\n3 features with one value in all rows\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nlacks %q", text, want)
		}
	}
	text, _ = must(t, "inspect", file(t, "t.csv", "width,height,y\n1,-0.5,1\n2,-0.25,0\n"))
	if !strings.Contains(text, "\nfeature 1        1 to 2  width\nfeature 2        -0.5 to -0.25  "+
		"height\n") {
		t.Error(text)
	}
}

func TestDamagedData(t *testing.T) {
	dir := t.TempDir()
	svm := file(t, "a.svm", "1 1:3 2:4\n-1 1:-2 2:5\n-1 1:1\n1 2:1\n")
	model, kernel := filepath.Join(dir, "a.model"), filepath.Join(dir, "k.model")
	must(t, "train", "-quiet", svm, model)
	must(t, "train", "-quiet", "-kernel", "rbf", "-gamma", "1", svm, kernel)
	for _, layout := range []string{"sparse", "dense"} {
		name := layout + ".pgsm"
		data := filepath.Join(dir, name)
		must(t, "convert", "-layout", layout, svm, data)
		must(t, "inspect", data)
		b := read(t, data)
		for _, change := range []func(b []byte){
			func(b []byte) { b[200] ^= 1 },                       // a column, or padding
			func(b []byte) { copy(b[256:], "\x00\x00\xc0\x7f") }, // a value becomes NaN
			func(b []byte) { copy(b[256:], make([]byte, 8)) },    // nonzero values become 0
		} {
			bad := []byte(b)
			change(bad)
			write(t, data, bad)
			for _, args := range [][]string{
				{"inspect", data}, {"inspect", "-in-memory", data},
				{"train", data, filepath.Join(dir, "out.model")}, {"eval", data, model},
				{"train", "-kernel", "linear", data, filepath.Join(dir, "out.model")},
				{"train", "-scale", "max-abs", data, filepath.Join(dir, "out.model")},
				{"cv", "-folds", "2", data}, {"eval", data, kernel},
				{"predict", data, model, filepath.Join(dir, "out")},
				{"predict", data, kernel, filepath.Join(dir, "out")},
				{"convert", data, filepath.Join(dir, "out.csv")},
				{"convert", data, filepath.Join(dir, "out.pgsm")}, {"convert", data, "-"},
			} {
				fails(t, exitError, "damaged", args...)
				fails(t, exitError, name, args...)
			}
		}
	}
}

// A file that is large for its numbers of classes and features needs no -max-memory.
func TestHonestMemory(t *testing.T) {
	const rows, cols, classes = 6000, 20, 60
	g := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, "%d", i%classes)
		for j := range cols {
			fmt.Fprintf(&b, ",%.3g", float64((i%classes)*(j+3)%17)+g.NormFloat64())
		}
		b.WriteByte('\n')
	}
	data, dir := file(t, "data.csv", b.String()), t.TempDir()
	must(t, "train", "-quiet", "-epochs", "2", "-label-column", "0", data, dir+"/a")
	must(t, "train", "-quiet", "-epochs", "2", "-label-column", "0", "-max-memory", "4000", data,
		dir+"/b")
	if hashOf(t, dir+"/a") != hashOf(t, dir+"/b") {
		t.Error("-max-memory makes another model")
	}
	for format, line := range map[string]func(i int) string{
		"csv": func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%d\n", i%7, i%11, i%13, g.IntN(300))
		},
		"svm": func(i int) string {
			line := strconv.Itoa(i % 20)
			for j := range 10 {
				line += fmt.Sprintf(" %d:1", 1+i%1000*40+j*40_000+g.IntN(40))
			}
			return line + "\n"
		},
	} {
		b.Reset()
		for i := range 6000 {
			b.WriteString(line(i))
		}
		must(t, "train", "-quiet", "-epochs", "1", "-lambda", "0.01", "-multiclass", "ovr",
			file(t, "honest."+format, b.String()), dir+"/c")
	}
	for _, line := range []string{
		"%[1]d 1:1\n",               // as many classes as rows
		"%[2]d %[1]d:1 1000000:1\n", // most features have no value
		"%[3]d %[1]d:1 %[4]d00:1\n", // many classes of many features
	} {
		b.Reset()
		for i := range 2000 {
			fmt.Fprintf(&b, line, i+1, i%20, i%500, 100+i)
		}
		fails(t, exitUsage, "-max-memory: have ", "train", "-multiclass", "ovr",
			file(t, "lie.svm", b.String()), dir+"/c")
	}
}

func TestMaxMemory(t *testing.T) {
	var classes, wide strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&classes, "%d 1:1\n", i/2) // 1,500 classes of two rows
	}
	fmt.Fprint(&wide, "1 1:1\n2 1048576:1\n3 2:1\n1 1:2\n2 1:3\n3 2:3\n")
	many, few := file(t, "many.svm", classes.String()), file(t, "wide.svm", wide.String())
	model := filepath.Join(t.TempDir(), "a.model")
	fails(t, exitUsage, "MB left, but 1500 weight vectors of 1 feature, with 3000 rows each, "+
		"would take ", "train", "-multiclass", "ovr", many, model)
	fails(t, exitUsage, "MB left, but 3 weight vectors of 1048576 features", "train", few, model)
	fails(t, exitUsage, "MB, but 1500 binary problems (with 4500000 rows in all) would take ",
		"train", "-kernel", "rbf", "-gamma", "1", "-multiclass", "ovr", many, model)
	fails(t, exitUsage, "-max-memory: have ", "cv", "-multiclass", "ovr", "-folds", "2", many)
	fails(t, exitUsage, "-max-memory: have -1", "train", "-max-memory", "-1", few, model)
	fails(t, exitUsage, "-max-memory: have 1 MB", "train", "-max-memory", "1", few, model)
	must(t, "train", "-quiet", "-epochs", "1", "-max-memory", "200", few, model)
}
