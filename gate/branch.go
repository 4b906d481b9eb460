package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The history is a branch without other files: one file for each CPU model. "gate history pull"
// checks it out in the folder build/history of the repository, "gate history push" commits and
// pushes the lines added there.
const historyFolder = "build/history"

const branchName, remote = "bench-history", "origin"

func historyBranch(ctx context.Context, args []string) error {
	root, err := repository(ctx)
	if err != nil {
		return err
	}
	b := branch{root, filepath.Join(root, historyFolder)}
	switch strings.Join(args, " ") {
	case "pull":
		return b.pull(ctx)
	case "push":
		return b.push(ctx)
	}
	return errors.New("usage: gate history pull|push")
}

// A branch is the branch of the history in the repository root, checked out in the folder dir.
type branch struct{ root, dir string }

// pull checks the branch out, or creates it.
func (b branch) pull(ctx context.Context) error {
	heads, err := git(ctx, b.root, "ls-remote", "--heads", remote, "refs/heads/"+branchName)
	start := "FETCH_HEAD"
	switch {
	case err != nil:
	case heads == "":
		start, err = b.begin(ctx)
	default:
		_, err = git(ctx, b.root, "fetch", "-q", remote, branchName)
	}
	if err != nil {
		return err
	}
	// The folder may be the worktree of an earlier run, or an ordinary folder.
	if err := os.RemoveAll(b.dir); err != nil {
		return err
	}
	if _, err := git(ctx, b.root, "worktree", "add", "-q", "-f", "--detach", b.dir,
		start); err != nil {
		return err
	}
	// By this rule git keeps the lines of both sides when it merges or rebases.
	return os.WriteFile(filepath.Join(b.dir, ".gitattributes"), []byte("*.jsonl merge=union\n"),
		0o666)
}

// identified runs git with a user name for commits, which hosted runners lack.
func identified(ctx context.Context, dir string, args ...string) (string, error) {
	return git(ctx, dir, append([]string{"-c", "user.name=gate", "-c",
		"user.email=gate@localhost"}, args...)...)
}

// begin creates the branch's first commit, which is empty.
func (b branch) begin(ctx context.Context) (commit string, err error) {
	tree, err := git(ctx, b.root, "hash-object", "-w", "-t", "tree", os.DevNull)
	if err != nil {
		return "", err
	}
	return identified(ctx, b.root, "commit-tree", "-m", "Begin the history", tree)
}

// push commits the added lines and pushes them.
func (b branch) push(ctx context.Context) error {
	if _, err := os.Stat(b.dir); err != nil {
		return fmt.Errorf("there is no folder %s: run gate history pull first", historyFolder)
	}
	_, err := git(ctx, b.dir, "add", "-A")
	changed, failed := git(ctx, b.dir, "status", "--porcelain")
	head, missing := git(ctx, b.root, "rev-parse", "--short", "HEAD")
	if err := errors.Join(err, failed, missing); err != nil {
		return err
	}
	if changed != "" {
		if _, err := identified(ctx, b.dir, "commit", "-q", "-m", "Add a run of "+head); err != nil {
			return err
		}
	}
	for range 3 { // another machine may have pushed since
		_, err = git(ctx, b.dir, "push", "-q", remote, "HEAD:refs/heads/"+branchName)
		if err == nil {
			return nil
		}
		_, failed := git(ctx, b.dir, "fetch", "-q", remote, branchName)
		if failed == nil {
			_, failed = identified(ctx, b.dir, "rebase", "-q", "FETCH_HEAD")
		}
		if failed != nil {
			return failed
		}
	}
	return fmt.Errorf("%s could not be pushed: %w", branchName, err)
}
