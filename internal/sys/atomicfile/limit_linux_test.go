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
)

// If PEGASIMD_TEST_LIMIT is PATH LINES BYTES, limited saves a file with file sizes limited to
// BYTES, and exits. Otherwise it returns false.
func limited() bool {
	var name string
	var lines int
	var bytes uint64
	if n, _ := fmt.Sscan(os.Getenv("PEGASIMD_TEST_LIMIT"), &name, &lines, &bytes); n != 3 {
		return false
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if err := save(name, lines, 2); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
	return true
}

func TestFullDisk(t *testing.T) {
	const lines = 100_000
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	if err := save(name, lines, 1); err != nil {
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
			fmt.Sprintf("PEGASIMD_TEST_LIMIT=%s %d %d", name, lines, limit))
		out, err := cmd.CombinedOutput()
		want, code := 1, 1
		if limit == size {
			want, code = 2, 0
		}
		if cmd.ProcessState.ExitCode() != code ||
			code == 1 && !strings.Contains(string(out), "file too large") {
			t.Errorf("space for %d of %d bytes: %v, %s", limit, size, err, out)
		}
		if n := version(t, name, lines); n != want {
			t.Errorf("space for %d of %d bytes: version %d, want %d", limit, size, n, want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
			t.Errorf("left behind: %v", left)
		}
	}
	if err := save("/dev/full", 1, 1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
	compressed := filepath.Join(dir, "file.gz")
	if err := os.Symlink("/dev/full", compressed); err != nil {
		t.Fatal(err)
	}
	if err := save(compressed, 1, 1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full, compressed: %v", err)
	}
}

// asNobody calls f: with the file permissions of the user nobody, if the tests run as root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread() // file accesses depend on the thread's user
	defer runtime.UnlockOSThread()
	const nobody = 65534
	unix.Setfsuid(nobody)
	defer unix.Setfsuid(0)
	if have, err := unix.SetfsuidRetUid(-1); err != nil || have != nobody {
		t.Fatalf("cannot become nobody: %d, %v", have, err)
	}
	f()
}

func TestReadOnlyDirectory(t *testing.T) {
	parent := t.TempDir()
	dir, open := filepath.Join(parent, "closed"), filepath.Join(parent, "open")
	name, link := filepath.Join(dir, "file"), filepath.Join(open, "link")
	for _, err := range []error{
		os.Mkdir(dir, 0o777), os.Mkdir(open, 0o777), os.Chmod(open, 0o777),
		save(name, 5, 1), os.Chmod(name, 0o666),
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
			if err := save(path, 5, 2); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %v", path, err)
			}
			if n := version(t, path, 5); n != 1 {
				t.Errorf("%s: version %d", path, n)
			}
		})
	}
	asNobody(t, func() {
		if err := save(filepath.Join(open, "file"), 5, 3); err != nil {
			t.Error(err)
		}
	})
	if n := version(t, name, 5); n != 1 {
		t.Errorf("version %d", n)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
