package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/modelio"
)

// OUT in args stands for the output's name, which must have the ending. stdout tells that the
// output may be standard output.
type writing struct {
	name, ending string
	stdout       bool
	like         string // key in foreign of a file of the output's kind; empty if there is none
	args         string
}

var writings = []writing{
	{"train MODEL", ".model", true, "model", "train toy.svm OUT"},
	{"train -kernel MODEL", ".model", true, "model", "train -kernel rbf -gamma 1 toy.svm OUT"},
	{"train -checkpoint", ".state", false, "model", "train -checkpoint OUT toy.svm other"},
	{"train -json", ".json", true, "", "train -json OUT toy.svm other"},
	{"train -kernel -json", ".json", true, "",
		"train -kernel rbf -gamma 1 -json OUT toy.svm other"},
	{"train -plot", ".svg", false, "", "train -plot OUT toy.svm other"},
	{"cv -model", ".model", true, "model", "cv -folds 2 -lambda 1 -model OUT toy.svm"},
	{"cv -json", ".json", true, "", "cv -folds 2 -lambda 1 -json OUT toy.svm"},
	{"cv -kernel -model", ".model", true, "model",
		"cv -folds 2 -cs 1 -kernel rbf -model OUT toy.svm"},
	{"cv -kernel -json", ".json", true, "", "cv -folds 2 -cs 1 -kernel rbf -json OUT toy.svm"},
	{"predict OUT", ".txt", true, "", "predict toy.svm toy.model OUT"},
	{"predict -scores OUT", ".tsv", true, "", "predict -scores toy.svm toy.model OUT"},
	{"eval -json", ".json", true, "", "eval -json OUT toy.svm toy.model"},
	{"eval -plot", ".svg", false, "", "eval -plot OUT toy.svm toy.model"},
	{"report OUT", ".html", true, "", "report toy.model toy.svm OUT"},
	{"convert to svmlight", ".svm", true, "", "convert toy.svm OUT"},
	{"convert to CSV", ".csv", false, "", "convert toy.svm OUT"},
	{"convert to npy", ".npy", false, "", "convert toy.svm OUT"},
	{"convert to pgsm", ".pgsm", false, "", "convert toy.svm OUT"},
	{"convert -stream", ".pgsm", false, "", "convert -stream toy.svm OUT"},
	{"convert -to liblinear", "", true, "", "convert -to liblinear toy.model OUT"},
	{"convert -to json", ".json", true, "", "convert -to json toy.model OUT"},
	{"convert -to onnx", ".onnx", true, "", "convert -to onnx toy.model OUT"},
	{"convert -from json", ".model", true, "model", "convert -from json toy.json OUT"},
	{"inspect -json of data", ".json", true, "", "inspect -json OUT toy.svm"},
	{"inspect -json of a model", ".json", true, "", "inspect -json OUT toy.model"},
}

func (w writing) unmarked() bool {
	for _, name := range []string{"predict", "convert to svm", "convert to CSV", "convert to npy",
		"convert -to liblinear"} {
		if strings.HasPrefix(w.name, name) {
			return true
		}
	}
	return false
}

func (w writing) line(out string) []string {
	args := strings.Fields(w.args)
	for i := range args {
		if args[i] == "OUT" {
			args[i] = out
		}
	}
	return append(args, "-quiet")
}

func (w writing) input() string {
	for _, arg := range strings.Fields(w.args) {
		if strings.HasPrefix(arg, "toy.") {
			return arg
		}
	}
	panic(w.args)
}

func eachWriting(t *testing.T, test func(t *testing.T, w writing)) {
	source := t.TempDir()
	write(t, filepath.Join(source, "toy.svm"), strings.Repeat(toy, 5))
	t.Chdir(source)
	must(t, "train", "-quiet", "toy.svm", "toy.model")
	must(t, "convert", "-to", "json", "toy.model", "toy.json")
	for _, w := range writings {
		t.Run(w.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range inputs {
				write(t, filepath.Join(dir, name), read(t, filepath.Join(source, name)))
			}
			t.Chdir(dir)
			test(t, w)
		})
	}
}

var inputs = []string{"toy.svm", "toy.model", "toy.json"}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text) // writes to memory can't fail
	z.Close()
	return b.String()
}

func write[T string | []byte](t *testing.T, name string, content T) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// unharmed allows changes of the files in but, and new files called other or other.pgsm.
func unharmed(t *testing.T, before map[string]string, but ...string) {
	t.Helper()
	for name, content := range before {
		if have := read(t, name); have != content && !slices.Contains(but, name) {
			t.Errorf("%s is now %.40q", name, have)
		}
	}
	names := append([]string{"other", "other.pgsm"}, but...)
	for name := range before {
		names = append(names, name)
	}
	left, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if !slices.Contains(names, name) {
			t.Errorf("left behind: %s", name)
		}
	}
}

func contents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		all[name] = read(t, name)
	}
	return all
}

// Lengths of JSON outputs may differ, since reports contain times.
func TestOutputs(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		before := contents(t)
		out, zipped := "out"+w.ending, "out"+w.ending+".gz"
		line := w.line(out)
		for i := range 2 {
			if i > 0 && w.unmarked() {
				fails(t, exitUsage, "can't show whether pegasimd wrote it", line...)
				line = append(line, "-force")
			}
			must(t, line...)
			unharmed(t, before, out)
			if runtime.GOOS == "windows" {
				break
			}
			want, err := os.Stat("toy.svm")
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(out)
			if err != nil || info.Size() == 0 || info.Mode() != want.Mode() {
				t.Fatalf("%v, %v", info, err)
			}
			err = errors.Join(os.Chmod("toy.svm", 0o640), os.Chmod(out, 0o640))
			if err != nil {
				t.Fatal(err)
			}
		}
		plain := read(t, out)
		if w.stdout {
			have, _ := must(t, w.line("-")...)
			if have == "" || len(have) != len(plain) && w.ending != ".json" {
				t.Errorf("standard output has %d bytes, the file %d", len(have), len(plain))
			}
		}
		if w.ending == ".pgsm" {
			fails(t, exitUsage, "can't be compressed", w.line(zipped)...)
			return
		}
		must(t, w.line(zipped)...)
		if text := unpacked(t, zipped); len(text) != len(plain) && w.ending != ".json" {
			t.Errorf("%d bytes in the compressed file, %d in the plain file", len(text), len(plain))
		}
		if !w.unmarked() {
			must(t, w.line(zipped)...) // replaces a compressed file that pegasimd wrote
		}
		unharmed(t, before, out, zipped)
	})
}

func TestOutputInNoFolder(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		for _, name := range inputs {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join("none", "out"+w.ending)
		fails(t, exitError, "create "+out+": ", w.line(out)...)
		sample.OnlyFiles(t, ".")
	})
}

func TestInputAsOutput(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		in := w.input()
		for i := range inputs {
			ending := w.ending
			name := []string{"link", "hard", "file"}[i] + ending
			var err error
			switch i {
			case 0:
				err = os.Symlink(in, name)
			case 1:
				err = os.Link(in, name)
			case 2:
				name = "." + string(filepath.Separator) + in
				if ending != "" && !strings.HasSuffix(in, ending) {
					continue // the command would refuse the name
				}
			}
			if err != nil {
				t.Logf("this system has no such links: NOT TESTED: %v", err)
				continue
			}
			before := contents(t)
			fails(t, exitUsage, " is also read, as ", w.line(name)...)
			unharmed(t, before)
			if w.ending != ".pgsm" { // convert -stream reads the input twice
				must(t, append(w.line(name), "-force")...)
			}
			write(t, in, before[in])
			if i < 2 {
				os.Remove(name)
			}
		}
	})
}

var foreign = map[string]string{
	"svmlight": "1 3:1 7:2\n-1 1:1\n",
	"table":    "width,height,name\n1,2,cat\n3,4,dog\n",
	"numbers":  "1,2,3\n4,5,6\n",
	"letter":   "Dear all,\nplease keep this.\n",
	"words":    "apple\npear\n",
	"json":     `{"name": "package", "version": 1}` + "\n",
	"picture":  "\x89PNG\r\n\x1a\n0000",
	"drawing":  "<?xml version=\"1.0\"?>\n<svg width=\"9\"></svg>\n",
	"settings": "{\n  \"version\": 2\n}\n",
	"labels":   "1\n-1\n",
	"binary":   "\x00\x01\x02\x03",
	"model":    "pegasimd model 1\nfeatures: 2\n",
	"zipped":   "\x1f\x8b\x08\x00\x00",
}

func TestForeignFileAsOutput(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		out := "out" + w.ending
		for name, content := range foreign {
			if name == w.like {
				continue
			}
			write(t, out, content)
			before := contents(t)
			fails(t, exitUsage, "or replace it with -force", w.line(out)...)
			unharmed(t, before)
		}
		must(t, append(w.line(out), "-force")...)
		write(t, out, "")
		must(t, w.line(out)...)
		if read(t, out) == "" {
			t.Error("nothing was written")
		}
	})
}

func TestFilesOfTwoUses(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "toy.svm", toy)
	if err := os.Mkdir("sub", 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, "train", "-quiet", "toy.svm", "old.model")
	before, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ told, line string }{
		{"MODEL and -checkpoint are the same file", "train -checkpoint ./y.model toy.svm y.model"},
		{"MODEL and -json are the same file", "train -json sub/../y.model toy.svm y.model"},
		{"-plot and -json are the same file", "train -plot a.svg -json a.svg toy.svm"},
		{"-model and -json are the same file", "cv -model a -json ./a toy.svm"},
		{"-json and -plot are the same file", "eval -json a.svg -plot a.svg toy.svm old.model"},
		{"MODEL and -json can't both be standard output", "train -json - toy.svm -"},
		{"DATA and MODEL can't both be standard input", "predict - -"},
		{"DATA and MODEL can't both be standard input", "eval - -"},
		{"DATA and -weights can't both be standard input", "train -weights - - a"},
		{"-checkpoint: have -, want the name of a file", "train -checkpoint - toy.svm a"},
	} {
		fails(t, exitUsage, c.told, strings.Fields(c.line)...)
	}
	fails(t, exitUsage, "an argument is empty", "train", "toy.svm", "")
	fails(t, exitUsage, "an argument is empty", "predict", "toy.svm", "old.model", "")
	sample.OnlyFiles(t, ".", before...)
	// A resumed run may replace the checkpoint that it resumes from by another checkpoint, but not
	// by the model.
	must(t, strings.Fields("train -quiet -checkpoint a.state toy.svm b.model")...)
	must(t, strings.Fields("train -quiet -resume a.state -checkpoint a.state toy.svm b.model")...)
	fails(t, exitUsage, "a.state is also read, as -resume: name another file, or replace it with",
		strings.Fields("train -resume a.state toy.svm a.state")...)
	fails(t, exitUsage, "toy.svm is also read, as DATA: name another file\n", strings.Fields(
		"train -model toy.svm toy.svm")...)
}

func TestProtectedFileAsOutput(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("root may write to every file: NOT TESTED")
	}
	eachWriting(t, func(t *testing.T, w writing) {
		out := "out" + w.ending
		must(t, w.line(out)...)
		if err := os.Chmod(out, 0o400); err != nil {
			t.Fatal(err)
		}
		before := contents(t)
		fails(t, exitError, "permission denied", w.line(out)...)
		unharmed(t, before)
	})
}

func TestPanicLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	broken := command{help.Command{Name: "broken"}, func(c *call, _ []string) error {
		c.writes("OUT", filepath.Join(dir, "out"), modelKind)
		if err := c.openOutputs(); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
			t.Errorf("%q", left)
		}
		panic("broken")
	}}
	func() {
		defer func() { recover() }()
		broken.call(context.Background(), nil, io.Discard, io.Discard)
	}()
	sample.OnlyFiles(t, dir)
}

func TestErrorsNameWhatIsBroken(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "toy.svm", strings.Repeat(toy, 100))
	must(t, "convert", "-quiet", "-layout", "sparse", "toy.svm", "bad.pgsm")
	bad := []byte(read(t, "bad.pgsm"))
	for i := len(bad) / 2; i < len(bad)/2+64; i++ {
		bad[i] ^= 0x55 // columns or values
	}
	write(t, "bad.pgsm", string(bad))
	write(t, "weights", strings.Repeat("1\n", 399)+"-3\n")
	write(t, "few", "1\n")
	for _, c := range []struct{ named, line string }{
		{"bad.pgsm: ", "convert bad.pgsm out.svm"},
		{"bad.pgsm: ", "convert bad.pgsm -"},
		{"weights:400: ", "train -weights weights toy.svm out"},
		{"few: ", "train -weights few toy.svm out"},
		{"weights:400: ", "cv -weights weights toy.svm"},
	} {
		code, _, told := pegasimd(t, append(strings.Fields(c.line), "-quiet")...)
		if code == exitDone || !strings.Contains(told, " "+c.named) ||
			strings.Contains(told, "out") || strings.Contains(told, "toy.svm:") {
			t.Errorf("%s: exit code %d, %s", c.line, code, told)
		}
	}
}

func TestStandardInput(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		if w.name != "train MODEL" {
			t.Skip("one output is enough")
		}
		write(t, "weights", strings.Repeat("1\n", 20))
		want, _ := must(t, "predict", "-quiet", "toy.svm", "toy.model")
		for _, zip := range []bool{false, true} {
			for _, c := range []struct{ from, line string }{
				{"toy.svm", "train - out.model"}, {"toy.svm", "cv -folds 2 -lambda 1 -"},
				{"toy.svm", "predict - toy.model"}, {"toy.model", "predict toy.svm -"},
				{"toy.svm", "eval - toy.model"}, {"toy.model", "eval toy.svm -"},
				{"toy.svm", "convert - -"}, {"toy.model", "convert -to json - -"},
				{"toy.json", "convert -from json - -"},
				{"toy.svm", "inspect -"}, {"toy.model", "inspect -"},
				{"weights", "train -weights - toy.svm out.model"},
				{"toy.model", "train -start - toy.svm out.model"},
				{"toy.model", "train -prior - toy.svm out.model"},
				{"toy.svm", "train -patience 1 -valid - toy.svm out.model"},
			} {
				out := fromStdin(t, read(t, c.from), zip, strings.Fields(c.line)...)
				if strings.HasPrefix(c.line, "predict") && out != want {
					t.Errorf("%s: %q, want %q", c.line, out, want)
				}
				if c.line == "inspect -" && strings.HasPrefix(out, "standard input: ") !=
					(c.from == "toy.model") {
					t.Errorf("%s < %s: %q", c.line, c.from, out)
				}
			}
		}
		sample.OnlyFiles(t, ".", "out.model", "toy.json", "toy.model", "toy.svm", "weights")
	})
}

func fromStdin(t *testing.T, text string, zip bool, args ...string) string {
	t.Helper()
	if zip {
		text = gzipped(text)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(w, text)
		w.Close()
	}()
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin = r
	defer r.Close()
	out, _ := must(t, args...)
	return out
}

func TestCompressedModels(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "toy.svm", strings.Repeat(toy, 5))
	must(t, "train", "-quiet", "toy.svm", "a.model.gz")
	must(t, "train", "-quiet", "toy.svm", "a.model")
	want, _ := must(t, "predict", "-scores", "toy.svm", "a.model")
	for _, line := range []string{
		"predict -scores toy.svm a.model.gz", "eval toy.svm a.model.gz", "inspect a.model.gz",
		"train -quiet -start a.model.gz toy.svm b.model.gz",
		"train -quiet -checkpoint c.gz toy.svm b.model.gz",
		"train -quiet -resume c.gz -checkpoint c.gz toy.svm b.model.gz",
	} {
		if out, _ := must(t, strings.Fields(line)...); strings.HasPrefix(line, "predict") &&
			out != want {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
	m, err := modelio.ReadFile("b.model.gz")
	if err != nil || m.Cols() != 2 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestThreadsAreBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "toy.svm", strings.Repeat(toy, 5))
	must(t, "convert", "-quiet", "toy.svm", "toy.pgsm")
	for _, line := range []string{
		"train toy.svm a.model", "train -proba toy.svm a.model",
		"train -kernel rbf -gamma 1 toy.svm b.model", "cv -folds 2 -lambda 1 toy.svm",
		"cv -folds 2 -cs 1 -kernel rbf toy.svm", "predict toy.svm a.model", "eval toy.svm b.model",
		"inspect toy.pgsm", "inspect -in-memory toy.pgsm", "train -plot a.svg toy.svm",
	} {
		goroutines := make(chan int)
		stop := make(chan bool)
		go func() {
			most := 0
			for {
				select {
				case <-stop:
					goroutines <- most
					return
				default:
					most = max(most, runtime.NumGoroutine())
					runtime.Gosched()
				}
			}
		}()
		must(t, append(strings.Fields(line), "-threads", "1000000000", "-quiet")...)
		close(stop)
		if n := <-goroutines; n > max(64, 4*runtime.NumCPU())*3 {
			t.Errorf("%s: %d goroutines", line, n)
		}
	}
}
