package atomicfile_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func temporary(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%q, %v", names, err)
	}
	return names[0]
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no Unix permissions: NOT TESTED")
	}
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, want := range []fs.FileMode{0, 0o600, 0o640, 0o666, 0o755} {
		name := filepath.Join(dir, "file")
		os.Remove(name)
		if want == 0 {
			want = mode(t, other) // depends on the umask
		} else if err := errors.Join(os.WriteFile(name, nil, 0o666),
			os.Chmod(name, want)); err != nil {
			t.Fatal(err)
		}
		f, err := atomicfile.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(f, "secret")
		if have := mode(t, temporary(t, dir)); have != 0o600 {
			t.Errorf("permissions %v before Commit", have)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if have := mode(t, name); have != want || text(t, name) != "secret" {
			t.Errorf("%v, want %v", have, want)
		}
		sample.OnlyFiles(t, dir, "file", "other")
	}
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := atomicfile.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, "new")
	f.Discard()
	if err := f.Commit(); err == nil {
		t.Error("a discarded file was committed")
	}
	func() {
		defer func() { recover() }()
		atomicfile.WriteFile(name, func(io.Writer) error { panic("at the disco") })
	}()
	if text(t, name) != "old" {
		t.Errorf("%q", text(t, name))
	}
	sample.OnlyFiles(t, dir, "file")

	missing := filepath.Join(dir, "none", "file")
	if _, err := atomicfile.Create(missing); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "create "+missing+": ") {
		t.Error(err)
	}
}

func TestCompressed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file.GZ")
	err := atomicfile.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("text", 1000))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(strings.NewReader(text(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil || string(b) != strings.Repeat("text", 1000) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	before := text(t, name)
	err = atomicfile.WriteFile(name, func(w io.Writer) error {
		_, err := w.(io.WriterAt).WriteAt([]byte{1}, 100)
		return err
	})
	if err == nil || text(t, name) != before {
		t.Errorf("WriteAt: error %v, want an error and the old content", err)
	}
	sample.OnlyFiles(t, dir, "file.GZ")
}

func TestStandardOutputUnderItsName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the file names are for Linux: NOT TESTED")
	}
	name := filepath.Join(t.TempDir(), "log")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	io.WriteString(out, "before\n")
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "PEGASIMD_TEST_WRITE="+path)
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
	}
	if have := text(t, name); have != "before\nnew\nnew\nnew\n" {
		t.Errorf("%q", have)
	}
}

func TestRenameError(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	f, err := atomicfile.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(name, "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil || !strings.Contains(err.Error(), name) {
		t.Error(err)
	}
	sample.OnlyFiles(t, dir, "file")
}

func TestEmptyName(t *testing.T) {
	t.Chdir(t.TempDir())
	if f, err := atomicfile.Create(""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", f, err)
	}
	sample.OnlyFiles(t, ".")
}

func TestFirstError(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := atomicfile.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	_, first := f.WriteAt([]byte("a"), -1)
	if _, second := f.WriteAt([]byte("b"), -2); first == nil || second == nil || f.Err() != first {
		t.Errorf("%v, %v", first, f.Err())
	}
	if err := f.Commit(); err != first {
		t.Errorf("%v, want %v", err, first)
	}
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the file was created")
	}
}

func TestDiscardAll(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_DISCARD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	sample.OnlyFiles(t, dir, "done")
}

func discardAll(dir string) error {
	var files []*atomicfile.File
	for _, name := range []string{"done", "a", "b", "c"} {
		f, err := atomicfile.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if err := files[0].Commit(); err != nil {
		return err
	}
	created := make(chan bool)
	for k := range 4 { // DiscardAll is called while files are created
		go func() {
			for i := 0; ; i++ {
				_, err := atomicfile.Create(filepath.Join(dir, fmt.Sprint(k, "-", i)))
				if i == 9 || err != nil {
					created <- true
				}
			}
		}()
	}
	<-created
	atomicfile.DiscardAll()
	if files[1].Commit() == nil {
		return errors.New("a file was replaced after the end")
	}
	if _, err := atomicfile.Create(filepath.Join(dir, "d")); err == nil {
		return errors.New("a file was created after the end")
	}
	return nil
}
