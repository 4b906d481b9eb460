package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// historyFolder is the working tree of branchName for "gate history pull" and "gate history push".
const historyFolder = "build/history"

const branchName, remote = "bench-history", "origin"

func historyBranch(ctx context.Context, args []string) error {
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	switch strings.Join(args, " ") {
	case "pull":
		return pullHistory(ctx, root)
	case "push":
		return pushHistory(ctx, root)
	}
	return errors.New("usage: gate history pull|push")
}

func pullHistory(ctx context.Context, root string) error {
	heads, err := git(ctx, root, "ls-remote", "--heads", remote, "refs/heads/"+branchName)
	start := "FETCH_HEAD"
	switch {
	case err != nil:
	case heads == "":
		start, err = beginHistory(ctx, root)
	default:
		_, err = git(ctx, root, "fetch", "-q", remote, branchName)
	}
	dir := filepath.Join(root, historyFolder)
	if err == nil {
		start, err = git(ctx, root, "rev-parse", start)
	}
	if err == nil {
		err = removable(ctx, dir, start)
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		_, err = git(ctx, root, "worktree", "add", "-q", "-f", "--detach", dir, start)
	}
	if err != nil {
		return err
	}
	// Merging keeps the lines of both sides.
	return os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("*.jsonl merge=union\n"), 0o666)
}

// removable returns an error if dir has files or lines that the commit start lacks.
func removable(ctx context.Context, dir, start string) error {
	if err := os.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) { // empty or missing
		return nil
	}
	if err := isHistory(ctx, dir); err != nil {
		return err
	}
	changed, err := git(ctx, dir, "status", "--porcelain", "--", ".", ":!.gitattributes")
	if err == nil && changed == "" { // the root commit is empty
		changed, err = git(ctx, dir, "rev-list", "--min-parents=1", "HEAD", "^"+start)
	}
	if err == nil && changed != "" {
		err = fmt.Errorf("%s has lines that are not pushed: run gate history push, or remove the "+
			"folder", dir)
	}
	return err
}

// isHistory returns an error if dir is not a working tree of its own. In a plain folder, git would
// commit and push the branch of the user.
func isHistory(ctx context.Context, dir string) error {
	if prefix, err := git(ctx, dir, "rev-parse", "--show-prefix"); err != nil || prefix != "" {
		return fmt.Errorf("%s is not from gate history pull: move the folder away, run gate history "+
			"pull, and append the lines of its files to those of the same names", dir)
	}
	return nil
}

func identified(ctx context.Context, dir string, args ...string) (string, error) {
	return git(ctx, dir, append([]string{"-c", "user.name=gate", "-c",
		"user.email=gate@localhost"}, args...)...)
}

func beginHistory(ctx context.Context, root string) (commit string, err error) {
	tree, err := git(ctx, root, "hash-object", "-w", "-t", "tree", os.DevNull)
	if err != nil {
		return "", err
	}
	return identified(ctx, root, "commit-tree", "-m", "Begin the history", tree)
}

func pushHistory(ctx context.Context, root string) error {
	dir := filepath.Join(root, historyFolder)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: run gate history pull first", dir)
	}
	if err := isHistory(ctx, dir); err != nil {
		return err
	}
	_, err := git(ctx, dir, "add", "-A")
	changed, failed := git(ctx, dir, "status", "--porcelain")
	head, missing := git(ctx, root, "rev-parse", "--short", "HEAD")
	if err := errors.Join(err, failed, missing); err != nil {
		return err
	}
	if changed != "" {
		if _, err := identified(ctx, dir, "commit", "-q", "-m",
			"Update the history at "+head); err != nil {
			return err
		}
	}
	var commit string
	for range 3 { // another machine may have pushed since
		// The remote's address may be relative to root.
		commit, err = git(ctx, dir, "rev-parse", "HEAD")
		if err != nil {
			return err
		}
		_, err = git(ctx, root, "push", "-q", remote, commit+":refs/heads/"+branchName)
		if err == nil {
			return nil
		}
		_, failed := git(ctx, root, "fetch", "-q", remote, branchName)
		if failed == nil {
			commit, failed = git(ctx, root, "rev-parse", "FETCH_HEAD")
		}
		if failed == nil {
			_, failed = identified(ctx, dir, "rebase", "-q", commit)
		}
		if failed != nil {
			err = errors.Join(err, failed)
			break
		}
	}
	return fmt.Errorf("%s could not be pushed: %w", branchName, err)
}
