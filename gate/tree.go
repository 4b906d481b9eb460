package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// A tree is the files of one of the two commits, in a folder of its own: neither the user's files
// nor the index are touched, whatever the benchmarks write.
type tree struct {
	name     string // base or head
	root     string
	commit   string
	changed  bool // it has changes that are not committed
	packages []pkg
	hash     string   // of the files, as git has it
	data     []string // files other than Go code that differ from the base's
	env      []string // for git to find the files' objects
}

// headTree copies the repository as it is: the files that git knows of with their changes, and new
// ones that it does not ignore.
func headTree(ctx context.Context, repository, work string) (tree, error) {
	t := tree{name: "head", root: filepath.Join(work, "head")}
	var err error
	if t.commit, err = git(ctx, repository, "rev-parse", "HEAD"); err != nil {
		return tree{}, err
	}
	committed, err := git(ctx, repository, "rev-parse", "HEAD^{tree}")
	if err != nil {
		return tree{}, err
	}
	err = t.export(ctx, repository, work, true)
	t.changed = t.hash != committed
	return t, err
}

// baseTree copies the files of a commit.
func baseTree(ctx context.Context, repository, commit, work string) (tree, error) {
	t := tree{name: "base", root: filepath.Join(work, "base"), commit: commit}
	err := t.export(ctx, repository, work, false)
	return t, err
}

// export writes the files of a tree to its folder, with what is new or changed in the repository's
// folder if changes says so, except the history. It works with an index of its own and writes no
// objects to the repository.
func (t *tree) export(ctx context.Context, repository, work string, changes bool) error {
	objects, err := git(ctx, repository, "rev-parse", "--path-format=absolute", "--git-path",
		"objects")
	if err != nil {
		return err
	}
	index := filepath.Join(work, t.name+".index")
	t.env = []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + index + ".objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	if err := os.MkdirAll(index+".objects", 0o777); err != nil {
		return err
	}
	commands := [][]string{{"read-tree", t.commit}}
	if changes {
		commands = append(commands, []string{"-c", "advice.addEmbeddedRepo=false", "add", "-A",
			"--", ".", ":(exclude)" + historyFolder})
	}
	commands = append(commands, []string{"checkout-index", "-a", "--prefix=" + t.root + "/"},
		[]string{"write-tree"})
	for _, args := range commands {
		out, err := run(ctx, repository, t.env, "git", args...)
		if err != nil {
			return err
		}
		t.hash = strings.TrimSpace(out) // of the last command
	}
	return nil
}

// findData finds the files that differ from the base's and that benchmarks may read when they run:
// all but Go code, which the binaries show, and all in folders testdata.
func (t *tree) findData(ctx context.Context, repository string, base tree) error {
	out, err := run(ctx, repository, t.env, "git", "diff-tree", "-r", "-z", "--no-renames",
		"--name-only", base.hash, t.hash)
	for name := range strings.SplitSeq(out, "\x00") {
		isData := strings.Contains("/"+name, "/testdata/") || !strings.HasSuffix(name, ".go")
		if name != "" && isData && !strings.HasPrefix(name, historyFolder+"/") {
			t.data = append(t.data, name)
		}
	}
	return err
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o777)
}
