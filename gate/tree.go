package main

import (
	"context"
	"os"
	"path/filepath"
)

// A tree is the files of one of the two commits, in a folder of its own: neither the user's files
// nor the index are touched, whatever the benchmarks write.
type tree struct {
	name     string // base or head
	root     string
	commit   string
	changed  bool // it has changes that are not committed
	packages []pkg
}

// headTree copies the repository as it is: the files that git knows of with their changes, and new
// ones that it does not ignore.
func headTree(ctx context.Context, repository, work string) (tree, error) {
	t := tree{name: "head", root: filepath.Join(work, "head")}
	var err error
	if t.commit, err = git(ctx, repository, "rev-parse", "HEAD"); err != nil {
		return tree{}, err
	}
	status, err := git(ctx, repository, "status", "--porcelain", "--", ".",
		":(exclude)"+historyFolder)
	if err != nil {
		return tree{}, err
	}
	t.changed = status != ""
	return t, export(ctx, repository, t, work, true)
}

// baseTree copies the files of a commit.
func baseTree(ctx context.Context, repository, commit, work string) (tree, error) {
	t := tree{name: "base", root: filepath.Join(work, "base"), commit: commit}
	return t, export(ctx, repository, t, work, false)
}

// export writes the files of a tree to its folder, with what is new or changed in the repository's
// folder if changes says so. It works with an index of its own and writes no objects to the
// repository.
func export(ctx context.Context, repository string, t tree, work string, changes bool) error {
	objects, err := git(ctx, repository, "rev-parse", "--path-format=absolute", "--git-path",
		"objects")
	if err != nil {
		return err
	}
	index := filepath.Join(work, t.name+".index")
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + index + ".objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	if err := os.MkdirAll(index+".objects", 0o777); err != nil {
		return err
	}
	commands := [][]string{{"read-tree", t.commit}}
	if changes {
		commands = append(commands, []string{"-c", "advice.addEmbeddedRepo=false", "add", "-A"})
	}
	commands = append(commands, []string{"checkout-index", "-a", "--prefix=" + t.root + "/"})
	for _, args := range commands {
		if _, err := run(ctx, repository, env, "git", args...); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o777)
}
