package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
)

func wordTable(rows int) string {
	var b strings.Builder
	for i := range rows {
		for k := range 14 {
			fmt.Fprintf(&b, "w%d,", (i+k)*(i-k)%13)
		}
		fmt.Fprintf(&b, "%d,%c\n", i*i%97, "pq"[i*i%5%2])
	}
	return b.String()
}

// proc is a file of /proc, or a folder of links.
func isOpen(proc, dir string) bool {
	text, _ := os.ReadFile(proc)
	links, _ := filepath.Glob(proc + "/*")
	for _, link := range links {
		to, _ := os.Readlink(link)
		text = append(text, to...)
	}
	return strings.Contains(string(text), dir+"/")
}

func TestTemporaryRowsAreGone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	data, out := file(t, "x.csv", wordTable(60_000)), filepath.Join(t.TempDir(), "model")
	for name, c := range map[string]struct {
		in      string // file or folder of /proc/PID; signals are sent once it names a file in dir
		signals []os.Signal
	}{
		"killed while encoding":      {"fd", []os.Signal{syscall.SIGKILL}},
		"interrupted while encoding": {"fd", []os.Signal{os.Interrupt}},
		"interrupted twice":          {"fd", []os.Signal{os.Interrupt, syscall.SIGTERM}},
		"killed while training":      {"maps", []os.Signal{syscall.SIGKILL}},
		"interrupted in training":    {"maps", []os.Signal{syscall.SIGTERM}},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "train", "-header", "no", "-quiet", "-max-memory", "2", "-lambda", "0.01", "-steps",
				"1000000000000", "-force", data, out)
			for !isOpen(fmt.Sprintf("/proc/%d/%s", p.Process.Pid, c.in), dir) {
				if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.Process.Pid)); err != nil {
					p.end()
					t.Fatalf("the command ended too early: %s", p.stderr.String())
				}
				time.Sleep(time.Millisecond)
			}
			for _, signal := range c.signals {
				p.Process.Signal(signal)
			}
			if code, _ := p.end(); code != exitInterrupted && code != -1 {
				t.Errorf("exit code %d, %s", code, p.stderr.String())
			}
			sample.OnlyFiles(t, dir)
		})
	}
}

func TestFullDiskForTemporaryRows(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	out := filepath.Join(t.TempDir(), "model")
	cmd := exec.Command(os.Args[0], "train", "-quiet", "-max-memory", "1",
		file(t, "x.csv", wordTable(9000)), out)
	cmd.Env = append(os.Environ(), "PEGASIMD_TEST_COMMAND=yes", "PEGASIMD_TEST_LIMIT=100000")
	told, _ := cmd.CombinedOutput()
	for _, want := range []string{"file too large", "temporary file", "TMPDIR", "x.csv"} {
		if !strings.Contains(string(told), want) {
			t.Errorf("%s, want %q", told, want)
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != exitError {
		t.Errorf("exit code %d", code)
	}
	sample.OnlyFiles(t, dir)
}
