package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
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

// here is the tree that the current folder is in, as it is, with changes that are not committed.
func here(ctx context.Context) (tree, error) {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return tree{}, err
	}
	commit, err := git(ctx, root, "rev-parse", "HEAD")
	if err != nil {
		return tree{}, err
	}
	status, err := git(ctx, root, "status", "--porcelain", "--", ".", ":(exclude)"+historyFolder)
	if err != nil {
		return tree{}, err
	}
	return tree{"head", root, commit, status != ""}, nil
}

// copyTo copies the files that git knows of, and new ones that it does not ignore, to a folder.
func (t tree) copyTo(ctx context.Context, dir string) (tree, error) {
	list, err := git(ctx, t.root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
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
func checkout(ctx context.Context, repository, name, revision, dir string) (tree, func(),
	error) {
	commit, err := git(ctx, repository, "rev-parse", "--verify", revision+"^{commit}")
	if err != nil {
		return tree{}, nil, fmt.Errorf("%s: is it fetched? A shallow clone has the newest commit "+
			"only: %w", revision, err)
	}
	root := filepath.Join(dir, name)
	remove := func() {
		// Also where ctx is over, and where git was ended while it made the worktree.
		ctx := context.WithoutCancel(ctx)
		if _, err := git(ctx, repository, "worktree", "remove", "--force", root); err == nil {
			return
		}
		os.RemoveAll(root)
		if _, err := git(ctx, repository, "worktree", "prune"); err != nil {
			fmt.Fprintln(os.Stderr, "gate:", err)
		}
	}
	if _, err := git(ctx, repository, "worktree", "add", "--detach", root, commit); err != nil {
		remove()
		return tree{}, nil, err
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
func (t tree) restore(ctx context.Context) error {
	if _, err := git(ctx, t.root, "reset", "-q", "--hard"); err != nil {
		return err
	}
	_, err := git(ctx, t.root, "clean", "-q", "-f", "-d")
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
