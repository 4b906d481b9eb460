package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A tree is a checkout of one of the two commits, in a folder of its own: neither the user's files
// nor the index are touched, whatever the benchmarks write.
type tree struct {
	name    string // base or head
	root    string // of the repository
	commit  string
	changed bool // it has changes that are not committed
}

// run runs a command and returns what it printed, or an error with what it complained of.
func run(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String() + "\n" + stdout.String())
		return stdout.String(), fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err,
			said)
	}
	return stdout.String(), nil
}

func git(dir string, args ...string) (string, error) {
	out, err := run(dir, nil, "git", args...)
	return strings.TrimSpace(out), err
}

// here is the tree that the current folder is in, as it is, with changes that are not committed.
func here() (tree, error) {
	root, err := git(".", "rev-parse", "--show-toplevel")
	if err != nil {
		return tree{}, err
	}
	commit, err := git(root, "rev-parse", "HEAD")
	if err != nil {
		return tree{}, err
	}
	status, err := git(root, "status", "--porcelain", "--", ".", ":(exclude)"+historyFolder)
	if err != nil {
		return tree{}, err
	}
	return tree{"head", root, commit, status != ""}, nil
}

// copyTo copies the files that git knows of, and new ones that it does not ignore, to a folder.
func (t tree) copyTo(dir string) (tree, error) {
	list, err := git(t.root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil {
		return tree{}, err
	}
	to := t
	to.root = dir
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return tree{}, err
	}
	for file := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		source, target := filepath.Join(t.root, file), filepath.Join(dir, file)
		info, err := os.Lstat(source)
		switch {
		case err != nil || info.IsDir(): // deleted, or another repository's folder
			continue
		case info.Mode()&fs.ModeSymlink != 0:
			err = copyLink(target, source)
		default:
			err = copyFile(target, source)
		}
		if err != nil {
			return tree{}, err
		}
	}
	return to, nil
}

// checkout makes a worktree of a commit below dir. The caller removes it with its second result.
func checkout(repository, name, revision, dir string) (tree, func(), error) {
	commit, err := git(repository, "rev-parse", "--verify", revision+"^{commit}")
	if err != nil {
		return tree{}, nil, fmt.Errorf("%s: is it fetched? A shallow clone has the newest commit "+
			"only: %w", revision, err)
	}
	root := filepath.Join(dir, name)
	if _, err := git(repository, "worktree", "add", "--detach", root, commit); err != nil {
		return tree{}, nil, err
	}
	remove := func() {
		if _, err := git(repository, "worktree", "remove", "--force", root); err != nil {
			fmt.Fprintln(os.Stderr, "gate:", err)
		}
	}
	return tree{name, root, commit, false}, remove, nil
}

// copyInto replaces files or folders of a tree by those of another, for benchmarks that the base
// does not have yet.
func copyInto(to, from tree, paths []string) error {
	for _, path := range paths {
		if !filepath.IsLocal(path) {
			return fmt.Errorf("-copy %s: not a path inside the repository", path)
		}
		source, target := filepath.Join(from.root, path), filepath.Join(to.root, path)
		info, err := os.Stat(source)
		if err != nil {
			return err
		}
		if err := os.RemoveAll(target); err != nil {
			return err
		}
		if info.IsDir() {
			err = os.CopyFS(target, os.DirFS(source))
		} else {
			err = copyFile(target, source)
		}
		if err != nil {
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
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o777)
}

func copyLink(to, from string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.Symlink(target, to)
}

// restore undoes copyInto in a worktree.
func (t tree) restore() error {
	if _, err := git(t.root, "reset", "-q", "--hard"); err != nil {
		return err
	}
	_, err := git(t.root, "clean", "-q", "-f", "-d")
	return err
}

// same tells whether two files are equal.
func same(a, b string) (bool, error) {
	x, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	y, err := os.ReadFile(b)
	return sha256.Sum256(x) == sha256.Sum256(y), err
}
