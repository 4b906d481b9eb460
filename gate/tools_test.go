package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const asGate = "GATE_TEST_IS_GATE"

func TestMain(m *testing.M) {
	if os.Getenv(asGate) != "" {
		os.Unsetenv(asGate)
		main()
		return
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "test-gate-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	settings := filepath.Join(dir, "gitconfig")
	if err := os.WriteFile(settings, []byte("[user]\n\tname = Someone\n\temail = a@example.com\n"+
		"[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"), 0o666); err != nil {
		panic(err)
	}
	os.Setenv("GIT_CONFIG_GLOBAL", settings)
	os.Setenv("GITHUB_STEP_SUMMARY", "")
	return m.Run()
}

// needs ends the test if the program is not installed. The test fails if PEGASIMD_TOOLS is set, and
// is skipped otherwise.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("PEGASIMD_TOOLS") != "" {
		t.Fatalf("%s is not installed: run scripts/ci.sh only install", program)
	}
	t.Skipf("%s is not installed; Debian's packages valgrind, binutils and procps have valgrind, "+
		"objdump and ps", program)
}
