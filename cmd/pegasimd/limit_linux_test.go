package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// PEGASIMD_TEST_LIMIT limits the size, in bytes, of the files that this process writes.
func limitFiles() {
	var bytes uint64
	if n, _ := fmt.Sscan(os.Getenv("PEGASIMD_TEST_LIMIT"), &bytes); n != 1 {
		return
	}
	limit := syscall.Rlimit{Cur: bytes, Max: bytes}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
}

func TestFullDiskForEveryOutput(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		full := "full" + w.ending
		if err := os.Symlink("/dev/full", full); err != nil {
			t.Fatal(err)
		}
		fails(t, exitError, "no space left", w.line(full)...)
		os.Remove(full)
		out := "out" + w.ending
		must(t, w.line(out)...)
		before, line := contents(t), w.line(out)
		if w.unmarked() {
			line = append(line, "-force")
		}
		for _, limit := range []int{0, len(before[out]) / 2, len(before[out]) - 1} {
			if strings.HasPrefix(w.args, "train") && strings.HasSuffix(w.args, "other") {
				limit = 0 // the model needs space, too
			}
			cmd := exec.Command(os.Args[0], line...)
			cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes",
				fmt.Sprint("PEGASIMD_TEST_LIMIT=", limit))
			told, err := cmd.CombinedOutput()
			tooSmall := w.ending == ".json" && limit > 0 // the times may have fewer digits
			if !tooSmall && (cmd.ProcessState.ExitCode() != exitError ||
				!strings.Contains(string(told), "file too large")) {
				t.Errorf("%d bytes: %v, %s", limit, err, told)
			}
			if tooSmall {
				unharmed(t, before, out)
			} else {
				unharmed(t, before)
			}
		}
	})
}

func TestFullStandardOutput(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		lines := [][]string{}
		if w.stdout {
			lines = append(lines, w.line("-"))
		}
		if w.name == "train MODEL" { // once: these commands name no output
			for _, line := range []string{"eval toy.svm toy.model", "inspect toy.svm",
				"inspect toy.model", "cv -folds 2 -lambda 1 toy.svm", "help", "help train",
				"inspect -help"} {
				lines = append(lines, strings.Fields(line))
			}
		}
		for _, line := range lines {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			var told strings.Builder
			cmd := exec.Command(os.Args[0], line...)
			cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes")
			cmd.Stdout, cmd.Stderr = full, &told
			cmd.Run()
			full.Close()
			if code := cmd.ProcessState.ExitCode(); code != exitError ||
				!strings.Contains(told.String(), "no space left") {
				t.Errorf("%q: exit code %d, %s", line, code, told.String())
			}
		}
	})
}

func TestOutputInClosedFolder(t *testing.T) {
	eachWriting(t, func(t *testing.T, w writing) {
		dir, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for dir := dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir("closed", 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod("closed", 0o755)
		for _, name := range inputs {
			os.Remove(name)
		}
		out := filepath.Join("closed", "out"+w.ending)
		asNobody(t, func() { fails(t, exitError, "permission denied", w.line(out)...) })
		if left, _ := filepath.Glob("*/*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// If the tests run as root, f accesses files with the rights of the user nobody.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f() // the tests only need a user other than root
		return
	}
	runtime.LockOSThread() // Setfsuid changes the rights of this thread
	defer runtime.UnlockOSThread()
	const nobody = 65534
	syscall.Setfsuid(nobody)
	defer syscall.Setfsuid(0)
	f()
}
