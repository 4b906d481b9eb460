package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is a copy of the files of base or head, since benchmarks may write to files.
type tree struct {
	name       string // base or head
	repository string // of the user's repository or submodule, absolute
	mirror     string // stands for the root of the file system
	root       string // the repository in the mirror
	commit     string
	changed    bool
	packages   []pkg
	unlisted   map[string]string // why go list finds no files, by pattern
	broken     bool              // can't be listed, or -prepare failed
	borrowed   []string          // linked or copied, as the commit lacks them
	hash       string            // git's hash of the tree
	data       []string          // files that benchmarks may read and that differ from the base's
	env        []string          // for git
	goEnv      []string          // for the go command
}

func newTree(ctx context.Context, name, repository, commit, work string) (tree, error) {
	mirror := filepath.Join(work, name)
	t := tree{name: name, repository: repository, mirror: mirror,
		root: filepath.Join(mirror, strings.TrimPrefix(repository, filepath.VolumeName(repository)))}
	hashes, err := git(ctx, repository, "rev-parse", commit, commit+"^{tree}")
	if err != nil {
		return t, err
	}
	var committed string
	t.commit, committed, _ = strings.Cut(hashes, "\n")
	err = t.export(ctx, mirror+".index", name == "head")
	t.changed = t.hash != committed
	return t, err
}

// export writes the tree's files to its folder; with changes, also uncommitted changes and new
// files, except the history. It uses its own index and writes no objects to the repository.
func (t *tree) export(ctx context.Context, index string, changes bool) error {
	objects, err := git(ctx, t.repository, "rev-parse", "--path-format=absolute", "--git-path",
		"objects")
	if err != nil {
		return err
	}
	t.env = []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + index + ".objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + objects}
	if err := os.MkdirAll(index+".objects", 0o777); err != nil {
		return err
	}
	commands := [][]string{{"read-tree", t.commit},
		{"checkout-index", "-a", "--prefix=" + t.root + "/"}, {"write-tree"}}
	if changes {
		commands = slices.Insert(commands, 1, []string{"-c", "advice.addEmbeddedRepo=false", "add",
			"-A", "--", ".", ":(exclude)" + historyFolder})
	}
	for _, args := range commands {
		out, err := run(ctx, t.repository, t.env, "git", args...)
		if err != nil {
			return err
		}
		t.hash = strings.TrimSpace(out) // the last command prints the hash
	}
	return nil
}

func (t *tree) prepare(ctx context.Context, c *config) error {
	if _, err := run(ctx, filepath.Join(t.root, c.dir), t.goEnv, "sh", "-c", c.prepare); err != nil {
		return fmt.Errorf("-prepare fails in the %s: %s", t.name, reason(err))
	}
	dir, err := git(ctx, t.repository, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	env := append(slices.Clone(t.env), "GIT_DIR="+dir, "GIT_WORK_TREE="+t.root)
	if _, err := run(ctx, t.root, env, "git", "-c", "advice.addEmbeddedRepo=false", "add", "-A",
		"-f", "--", "."); err != nil {
		return err
	}
	hash, err := run(ctx, t.repository, t.env, "git", "write-tree")
	t.hash = strings.TrimSpace(hash)
	return err
}

// findData sets t.data to the files outside the history that differ from the base's and that
// benchmarks may read. These are all files in folders named testdata, and elsewhere all but Go
// code, whose changes the binaries show.
func (t *tree) findData(ctx context.Context, base tree) error {
	env := slices.Clone(t.env)
	env[2] += string(os.PathListSeparator) + strings.TrimPrefix(base.env[1], "GIT_OBJECT_DIRECTORY=")
	out, err := run(ctx, t.repository, env, "git", "diff-tree", "-r", "-z", "--no-renames",
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
