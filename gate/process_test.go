package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

func TestReason(t *testing.T) {
	long := strings.Repeat("==7== one line of many that tell nothing\n", 200)
	for _, c := range []struct{ said, want, not string }{
		{long + "vex amd64->IR: unhandled instruction bytes: 0xF 0x1 0xF9\n" +
			"==7== valgrind: Unrecognised instruction at address 0x48a5e9.\n" + long, "0xF9\n==7== v", ""},
		{long + "==7== valgrind: Unrecognised instruction\n" + long, "exit status 2\n==7== v", ""},
		{long + "SIGILL: illegal instruction\nPC=0x48a5e9\n" + long, "exit status 2\nSIGILL: ", ""},
		{long + "panic: no rows\n\ngoroutine 7 [running]:\n" + long, "exit status 2\npanic: no", ""},
		{long + "    a_test.go:7: no rows\n--- FAIL: BenchmarkA\n" + long, "no rows\n--- FAIL", ""},
		{long + "--- FAIL: BenchmarkA\n    a_test.go:7: no rows\n" + long, "BenchmarkA\n    a", ""},
		{"first" + long + "no rows\n", "no rows", "first"},
		{"no rows\n", "exit status 2\nno rows", "valgrind"},
	} {
		cmd := exec.Command("valgrind", strings.Repeat("--option ", 100))
		failed := failure(cmd, errors.New("exit status 2"), c.said)
		got := reason(errors.Join(failed, errors.New("B: 2 lines")))
		if !strings.Contains(got, c.want) || len(got) > 530 || strings.Contains(got, "--option") ||
			!strings.HasSuffix(got, "\nB: 2 lines") || c.not != "" && strings.Contains(got, c.not) {
			t.Errorf("%q is said in %q, want %q", got, c.said, c.want)
		}
		if text := failed.Error(); !strings.HasPrefix(text, "valgrind --option") ||
			!strings.Contains(text, strings.TrimPrefix(c.want, "exit status 2\n")) {
			t.Errorf("the error is %q", text)
		}
	}
}
