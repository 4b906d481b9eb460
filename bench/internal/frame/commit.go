package frame

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// Commit returns the abbreviated commit that this program was built from, with a + if files
// differed from it, or "unknown" with the reason. go build stamps the commit into the program; for
// go run, which does not, git is asked about the folder of this source file: the working directory
// may be in another repository or in none.
func Commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if commit := stamped(info.Settings); commit != "" {
			return commit
		}
	}
	_, file, _, _ := runtime.Caller(0)
	return described(filepath.Dir(file))
}

// stamped returns the commit in the settings of a build, or "".
func stamped(settings []debug.BuildSetting) string {
	commit, modified := "", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(7, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + modified
}

// described returns git's name for the commit checked out in dir. Git refuses a repository of
// another user, such as one in a container's mounted folder, unless it is declared safe.
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
