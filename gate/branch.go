package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The history is kept on a branch of its own that has no other files: a file for each CPU model.
// "gate history pull" makes it the folder build/history of the repository, "gate history push"
// commits what was added there and pushes it.
const historyFolder = "build/history"

const branchName, remote = "bench-history", "origin"

func historyBranch(ctx context.Context, args []string) error {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
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

// A branch is checked out in a folder of its own.
type branch struct{ root, dir string }

// pull checks the branch out, or begins it.
func (b branch) pull(ctx context.Context) error {
	heads, err := git(ctx, b.root, "ls-remote", "--heads", remote, "refs/heads/"+branchName)
	if err != nil {
		return err
	}
	start := "FETCH_HEAD"
	if heads == "" {
		start, err = b.begin(ctx)
	} else {
		_, err = git(ctx, b.root, "fetch", "-q", remote, branchName)
	}
	if err != nil {
		return err
	}
	// The folder may be the worktree of an earlier run, or a plain one.
	if err := os.RemoveAll(b.dir); err != nil {
		return err
	}
	if _, err := git(ctx, b.root, "worktree", "add", "-q", "-f", "--detach", b.dir,
		start); err != nil {
		return err
	}
	// The rule by which lines of two runs are joined.
	return os.WriteFile(filepath.Join(b.dir, ".gitattributes"), []byte("*.jsonl merge=union\n"),
		0o666)
}

// identity makes git commit on hosted runners, which have none.
var identity = []string{"-c", "user.name=gate", "-c", "user.email=gate@localhost"}

// begin makes the branch's first commit, which is empty.
func (b branch) begin(ctx context.Context) (commit string, err error) {
	tree, err := git(ctx, b.root, "hash-object", "-w", "-t", "tree", os.DevNull)
	if err != nil {
		return "", err
	}
	return git(ctx, b.root, slices.Concat(identity, []string{"commit-tree", "-m",
		"Begin the history", tree})...)
}

// push commits what is new and pushes it.
func (b branch) push(ctx context.Context) error {
	if _, err := git(ctx, b.dir, "add", "-A"); err != nil {
		return err
	}
	if changed, err := git(ctx, b.dir, "status", "--porcelain"); err != nil {
		return err
	} else if changed != "" {
		head, err := git(ctx, b.root, "rev-parse", "--short", "HEAD")
		if err != nil {
			return err
		}
		if _, err := git(ctx, b.dir, slices.Concat(identity, []string{"commit", "-q", "-m",
			"Add a run of " + head})...); err != nil {
			return err
		}
	}
	// Another machine may have pushed since.
	var failed error
	for range 3 {
		_, failed = git(ctx, b.dir, "push", "-q", remote, "HEAD:refs/heads/"+branchName)
		if failed == nil {
			return nil
		}
		if _, err := git(ctx, b.dir, "fetch", "-q", remote, branchName); err != nil {
			return err
		}
		if _, err := git(ctx, b.dir, slices.Concat(identity, []string{"rebase", "-q",
			"FETCH_HEAD"})...); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s could not be pushed: %w", branchName, failed)
}
