package main

import (
	"os"
	"os/exec"
	"testing"
)

// needs ends a test without a program: as a failure where make ci sets PEGASIMD_TOOLS, and as
// skipped elsewhere.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("PEGASIMD_TOOLS") != "" {
		t.Fatalf("%s is not here: run scripts/ci.sh only install", program)
	}
	t.Skipf("%s is not here; Debian's packages valgrind, binutils and procps have what these tests "+
		"need", program)
}
