package atomicfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pegasimd/pegasimd/pegasos"
)

// limited saves a model in a process that may not write more than some bytes to a file, if it is
// told so: PATH FEATURES BYTES.
func limited() bool {
	var name string
	var features int
	var bytes uint64
	if n, _ := fmt.Sscan(os.Getenv("PEGASIMD_TEST_LIMIT"), &name, &features, &bytes); n != 3 {
		return false
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if err := model(features, 2).WriteFile(name); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

// A disk that is full, wherever it happens, gives an error and leaves the old model.
func TestFullDisk(t *testing.T) {
	const features = 100_000
	dir := t.TempDir()
	name := filepath.Join(dir, "model")
	if err := model(features, 1).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	size := info.Size()
	for _, limit := range []int64{0, 1, 4096, size / 2, size - 1, size} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(),
			fmt.Sprintf("PEGASIMD_TEST_LIMIT=%s %d %d", name, features, limit))
		out, err := cmd.CombinedOutput()
		want, code := 1, 1
		if limit == size {
			want, code = 2, 0
		}
		if cmd.ProcessState.ExitCode() != code ||
			code == 1 && !strings.Contains(string(out), "file too large") {
			t.Errorf("space for %d of %d bytes: %v, %s", limit, size, err, out)
		}
		if n := number(t, name, features); n != want {
			t.Errorf("space for %d of %d bytes: model %d is there, want %d", limit, size, n, want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
	}
	if err := model(1, 1).WriteFile("/dev/full"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
}

// asNobody calls f with the rights of a user who owns nothing.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f() // not to be root is enough for what is tested
		return
	}
	runtime.LockOSThread() // the rights are the thread's
	defer runtime.UnlockOSThread()
	const nobody = 65534
	unix.Setfsuid(nobody)
	defer unix.Setfsuid(0)
	if have, err := unix.SetfsuidRetUid(-1); err != nil || have != nobody {
		t.Fatalf("can't act as another user: %d, %v", have, err)
	}
	f()
}

// In a folder that can't be written to, saving is an error and leaves the old model, also through a
// link from elsewhere.
func TestReadOnlyFolder(t *testing.T) {
	parent := t.TempDir()
	dir, open := filepath.Join(parent, "closed"), filepath.Join(parent, "open")
	name, link := filepath.Join(dir, "model"), filepath.Join(open, "link")
	for _, err := range []error{
		os.Mkdir(dir, 0o777), os.Mkdir(open, 0o777), os.Chmod(open, 0o777),
		model(5, 1).WriteFile(name), os.Chmod(name, 0o666),
		os.Symlink(name, link), os.Chmod(dir, 0o555), os.Chmod(parent, 0o755),
		os.Chmod(filepath.Dir(parent), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(dir, 0o777)
	for _, path := range []string{name, link} {
		asNobody(t, func() {
			if err := model(5, 2).WriteFile(path); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v", path, err)
			}
			if m, err := pegasos.ReadFile(path); err != nil || m.Bias[0] != 1 {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	asNobody(t, func() { // but elsewhere it works
		if err := model(5, 3).WriteFile(filepath.Join(open, "model")); err != nil {
			t.Error(err)
		}
	})
	if n := number(t, name, 5); n != 1 {
		t.Errorf("model %d", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
