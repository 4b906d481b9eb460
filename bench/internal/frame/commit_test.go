package frame

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestDescribed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	if got := described(dir); !strings.HasPrefix(got, "unknown (fatal: not a git repository") {
		t.Errorf("outside of a repository: %q", got)
	}
	if got := described(filepath.Join(dir, "none")); !strings.HasPrefix(got, "unknown (") {
		t.Errorf("without the folder: %q", got)
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"},
			args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	keep := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	keep("1")
	git("init", "-q")
	git("add", "f")
	git("commit", "-q", "-m", "one")
	clean := described(dir)
	keep("2")
	if dirty := described(dir); len(clean) < 7 || dirty != clean+"+" {
		t.Errorf("commit %q, with a changed file %q", clean, dirty)
	}
}
