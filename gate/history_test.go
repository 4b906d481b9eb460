package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two machines that add to the history at the same time lose no line.
func TestHistoryBranch(t *testing.T) {
	needs(t, "git")
	t.Parallel()
	dir, command := t.TempDir(), os.Args[0]
	do := func(folder, name string, args ...string) string {
		t.Helper()
		out, err := run(t.Context(), filepath.Join(dir, folder), []string{asGate + "=1"}, name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	do("", "git", "init", "-q", "--bare", "origin")
	do("", "git", "init", "-q", "one")
	do("one", "git", "commit", "-q", "--allow-empty", "-m", "Begin")
	do("one", "git", "remote", "add", "origin", "../origin")
	do("one", "git", "push", "-q", "origin", "HEAD:refs/heads/main")
	do("", "git", "clone", "-q", "--branch", "main", "origin", "two")
	line := func(clone, file, text string) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, clone, "build/history", file),
			os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = f.WriteString(text + "\n")
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	do("one", command, "history", "pull")
	line("one", "cpu-a.jsonl", "first")
	do("one", command, "history", "push")
	do("one", command, "history", "push")
	do("one", command, "history", "pull")
	do("two", command, "history", "pull")
	line("one", "cpu-a.jsonl", "of one")
	line("two", "cpu-a.jsonl", "of two")
	line("two", "cpu-b.jsonl", "another CPU")
	do("one", command, "history", "push")
	do("two", command, "history", "push")
	do("one", command, "history", "pull")
	for file, want := range map[string][]string{"cpu-a.jsonl": {"first", "of one", "of two"},
		"cpu-b.jsonl": {"another CPU"}} {
		text, err := os.ReadFile(filepath.Join(dir, "one/build/history", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range want {
			if strings.Count(string(text), l+"\n") != 1 {
				t.Errorf("%s lacks %q:\n%s", file, l, text)
			}
		}
	}
	fails := func(want string, args ...string) {
		t.Helper()
		_, err := run(t.Context(), filepath.Join(dir, "one"), []string{asGate + "=1"}, command, args...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("gate %q: %v, want %q", args, err, want)
		}
	}
	fails("usage", "history", "what")
	line("one", "cpu-a.jsonl", "not pushed")
	fails("not pushed", "history", "pull")
	do("one", "git", "-C", "build/history", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qam",
		"Keep")
	fails("not pushed", "history", "pull")
	do("one", "git", "worktree", "remove", "--force", "build/history")
	if err := os.MkdirAll(filepath.Join(dir, "one/build/history"), 0o777); err != nil {
		t.Fatal(err)
	}
	line("one", "cpu-a.jsonl", "of a plain folder")
	before := do("one", "git", "ls-remote", "origin")
	fails("not from gate history pull", "history", "pull")
	fails("not from gate history pull", "history", "push")
	if after := do("one", "git", "ls-remote", "origin"); after != before {
		t.Errorf("the remote had %s, now %s", before, after)
	}
}
