package frame

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Commit returns git's name for the commit of this source file's folder, with a + if there are
// uncommitted changes, or "unknown" and the reason.
func Commit() string {
	_, file, _, _ := runtime.Caller(0)
	return described(filepath.Dir(file))
}

// Git refuses a repository of another user unless it is declared safe.
func described(dir string) string {
	cmd := exec.Command("git", "-c", "safe.directory=*", "describe", "--always", "--abbrev=7",
		"--dirty=+")
	cmd.Dir = dir
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		reason, _, _ := strings.Cut(strings.TrimSpace(complaints.String()), "\n")
		return "unknown (" + cmp.Or(reason, err.Error()) + ")"
	}
	return strings.TrimSpace(string(out))
}
