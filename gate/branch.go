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
	for range 3 { // another machine may have pushed since
		_, err = git(ctx, dir, "push", "-q", remote, "HEAD:refs/heads/"+branchName)
		if err == nil {
			return nil
		}
		_, failed := git(ctx, dir, "fetch", "-q", remote, branchName)
		if failed == nil {
			_, failed = identified(ctx, dir, "rebase", "-q", "FETCH_HEAD")
		}
		if failed != nil {
			err = errors.Join(err, failed)
			break
		}
	}
	return fmt.Errorf("%s could not be pushed: %w", branchName, err)
}
