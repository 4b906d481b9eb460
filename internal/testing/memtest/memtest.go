// Package memtest measures the peak resident memory (VmHWM on Linux) of reading a file, uncollected
// garbage included, in a process of its own.
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

	"github.com/pegasimd/pegasimd/internal/sys/budget"
)

type Case struct {
	File func() []byte
	// Read reads the file of the given name.
	Read func(name string) error
	// Error is a text that Read's error must contain; empty if Read must succeed.
	Error string
}

// variable is the environment variable that holds the case's name, a newline, and the file's name.
const variable = "PEGASIMD_PEAK_CASE"

// Test runs each case in a process of its own. A case fails if it uses more memory than
// budget.Allowed, or if Read's error is not as expected.
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
	size := int64(len(text))
	most := budget.Allowed(size, 0)
	t.Logf("%.1f MB for %.1f MB, %.0f %% of what is allowed: %s", float64(have)/1e6,
		float64(size)/1e6, 100*float64(have)/float64(most), message)
	if have > most {
		t.Errorf("reading a file of %d bytes took %d bytes of memory: want at most %d", size, have, most)
	}
	if c.Error == "" && message != "<nil>" || !strings.Contains(message, c.Error) {
		t.Errorf("Read returned the error %s, want %q", message, c.Error)
	}
}

func tail(out []byte) string { return string(out[max(0, len(out)-2000):]) }

// Self returns the peak memory of this process in bytes.
func Self() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if _, after, ok := strings.Cut(string(status), "VmHWM:"); err == nil && ok {
		var kB int64
		if _, err := fmt.Sscan(after, &kB); err == nil {
			return kB << 10
		}
	}
	var m runtime.MemStats // without VmHWM: the memory that Go has obtained from the system
	runtime.ReadMemStats(&m)
	return int64(m.Sys)
}
