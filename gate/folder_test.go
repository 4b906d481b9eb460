package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWrongFolderOrArgument(t *testing.T) {
	p := newProject(t)
	p.write("empty/.gitignore", "*\n")
	p.write("bare/go.mod", "module example.com/bare\n\ngo 1.24\n")
	p.write("bare/a.go", "package bare\n")
	p.write("broken/go.mod", "modul example.com/broken\n")
	p.write("space/go.work", "go 1.24\n\nuse ../bare\n")
	p.commit("Add folders")
	without := &project{t, t.TempDir()}
	none := &project{t, filepath.Join(without.dir, "none")}
	if err := os.Mkdir(none.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	without.do("git", "init", "-q")
	without.write("m/go.mod", "module example.com/m\n")
	without.commit("Add a module")
	in := func(folder string) *project { return &project{t, filepath.Join(p.dir, folder)} }
	for _, c := range []struct {
		p     *project
		flags string
		want  string
	}{
		{&project{t, t.TempDir()}, "", "git names no working tree for the current folder: "},
		{in(".git"), "", "git names no working tree for the current folder: "},
		{none, "", "there is no go.mod in the current folder or above it: start the gate in the " +
			"folder of a module; the repository has `m/go.mod`\n"},
		{in("empty"), "", "git has no files in the current folder, or ignores them: "},
		{in("bare"), "", "there are no benchmarks in ./...: no test file that is built here"},
		{in("broken"), "", "the packages of the head can't be listed: exit status 1\ngo: errors " +
			"parsing go.mod:"},
		{in("space"), "", "there are no benchmarks in ./...: pattern ./...: "},
		{p, "-package ./nowhere", "there are no benchmarks in ./nowhere: stat nowhere: "},
		{p, "-package ./nowhere/...", "there are no benchmarks in ./nowhere/...: pattern " +
			"./nowhere/...: "},
		{p, "-package ../...", "there are no benchmarks in ../...: pattern ../...: "},
		{p, "-package=", `-package: a name is missing: `},
		{p, "-package .,", `-package: a name is missing: `},
		{p, "-package search_test.go", `-package: "search_test.go" ends in .go: `},
		{p, "-limit 0s", "-limit 0s: must be positive"},
		{p, "-history nowhere/past.jsonl", "-history nowhere/past.jsonl: stat nowhere: no such"},
	} {
		out := c.p.check(2, append(strings.Fields(c.flags), "-base", "HEAD")...)
		if !strings.Contains("\n"+out, "\ngate: "+c.want) {
			t.Errorf("%s %q: want %q\n%s", c.p.dir, c.flags, c.want, out)
		}
	}
	if err := os.Remove(filepath.Join(without.dir, "m/go.mod")); err != nil {
		t.Fatal(err)
	}
	without.lacks(without.check(2, "-base", "HEAD"), "create one with go mod init")
	without.do("git", "rm", "-q", "-r", "m")
	without.lacks(without.check(2, "-base", "HEAD"), "create one with go mod init")
	without.lacks(without.checkIn([]string{"GO111MODULE=auto"}, 2, "-base", "HEAD"),
		"create one with go mod init")
	without.lacks(without.checkIn([]string{"GO111MODULE=off"}, 2, "-base", "HEAD"),
		"GO111MODULE is off")
	without.write("new/go.mod", "module example.com/new\n")
	without.lacks(without.check(2, "-base", "HEAD"), "the repository has `new/go.mod`")
	if _, err := run(t.Context(), p.dir, []string{asGate + "=1"}, os.Args[0], "history",
		"push"); err == nil || !strings.Contains(err.Error(), "run gate history pull first") {
		t.Errorf("gate history push: %v", err)
	}
	p.lacks(p.check(0, "-base", "HEAD", "-package", "., ./"), "the head is the base")
}
