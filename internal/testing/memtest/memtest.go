// Package memtest measures the most memory that a test needs, in a process of its own:
//
//	func TestMemory(t *testing.T) {
//		memtest.Test(t, map[string]memtest.Case{
//			"a lie": {File: hostile, Read: func(name string) error { ... }},
//		})
//	}
//
// The measure is the process's resident memory (VmHWM on Linux), the garbage collector's slack
// included, which is what a limit on a container counts.
package memtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/budget"
)

// A Case is a file, and how it is read.
type Case struct {
	File func() []byte
	Size int64 // of the file when it is unpacked; 0 if that is what it is
	Rows int64 // that the file has
	// Read reads the file of that name. It runs in a process of its own.
	Read func(name string) error
	// Error is what the error has to say; without one there has to be none.
	Error string
}

// variable is the environment variable that has the case to run: its name, a newline, its file.
const variable = "PEGASIMD_PEAK_CASE"

// Test runs each case in a process of its own, which runs the same test, and fails where one takes
// more than budget.Allowed or doesn't end as it is to.
func Test(t *testing.T, cases map[string]Case) {
	if name, file, ok := strings.Cut(os.Getenv(variable), "\n"); ok {
		err := cases[name].Read(file)
		fmt.Printf("\n%s%d %v\n", mark, Self(), err)
		return
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, name, c)
		})
	}
}

// mark begins the line that the other process prints.
const mark = "peak memory: "

func run(t *testing.T, name string, c Case) {
	file := filepath.Join(t.TempDir(), "file")
	text := c.File()
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), variable+"="+name+"\n"+file)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, tail(out))
	}
	_, line, ok := bytes.Cut(out, []byte(mark))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	number, message, _ := strings.Cut(string(line), " ")
	have, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		t.Fatalf("no peak in %s", tail(out))
	}
	size := c.Size
	if size == 0 {
		size = int64(len(text))
	}
	most := budget.Allowed(size, c.Rows)
	t.Logf("%.1f MB for %.1f MB, %.0f %% of what is allowed: %s", float64(have)/1e6,
		float64(size)/1e6, 100*float64(have)/float64(most), message)
	if have > most {
		t.Errorf("%d bytes for a file of %d: more than %d", have, size, most)
	}
	if c.Error == "" && message != "<nil>" || !strings.Contains(message, c.Error) {
		t.Errorf("%s, want %q", message, c.Error)
	}
}

// tail returns the end of what a process has printed.
func tail(out []byte) string { return string(out[max(0, len(out)-2000):]) }

// Self returns the most memory that this process has had.
func Self() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); err == nil && ok {
		var kB int64
		if _, err := fmt.Sscan(after, &kB); err == nil {
			return kB << 10
		}
	}
	var m runtime.MemStats // elsewhere what was asked of the system, which is more
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
