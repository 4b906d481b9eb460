package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The history is kept on a branch of its own that has no other files: a file for each CPU model.
// "gate history pull" makes it the folder build/history of the repository, "gate history push"
// commits what was added there and pushes it.
const historyFolder = "build/history"

func historyBranch(ctx context.Context, args []string) error {
	usage := errors.New("usage: gate history pull|push; HISTORY_BRANCH (bench-history) and " +
		"HISTORY_REMOTE (origin) name another branch and remote")
	if len(args) != 1 {
		return usage
	}
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	b := branch{root: root, dir: filepath.Join(root, historyFolder),
		name: environment("HISTORY_BRANCH", "bench-history"),
		from: environment("HISTORY_REMOTE", "origin")}
	switch args[0] {
	case "pull":
		return b.pull(ctx)
	case "push":
		return b.push(ctx)
	}
	return usage
}

func environment(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}

// A branch of a remote, and the folder where it is checked out.
type branch struct{ root, dir, name, from string }

// pull checks the branch out, or begins it.
func (b branch) pull(ctx context.Context) error {
	start := "FETCH_HEAD"
	heads, err := git(ctx, b.root, "ls-remote", "--heads", b.from, "refs/heads/"+b.name)
	if err != nil {
		return err
	}
	if heads == "" {
		start, err = b.begin(ctx)
	} else {
		_, err = git(ctx, b.root, "fetch", "-q", b.from, b.name)
	}
	if err != nil {
		return err
	}
	// What is there may be a worktree of before, or a plain folder.
	if _, err := git(ctx, b.root, "worktree", "remove", "--force", b.dir); err != nil {
		if err := os.RemoveAll(b.dir); err != nil {
			return err
		}
	}
	if _, err := git(ctx, b.root, "worktree", "prune"); err != nil {
		return err
	}
	_, err = git(ctx, b.root, "worktree", "add", "-q", "--detach", b.dir, start)
	return err
}

// begin makes the branch's first commit, with nothing but the rule by which lines of two runs are
// joined.
func (b branch) begin(ctx context.Context) (commit string, err error) {
	rule, err := os.CreateTemp("", "gate-")
	if err != nil {
		return "", err
	}
	defer os.Remove(rule.Name())
	_, err = rule.WriteString("*.jsonl merge=union\n")
	if err := errors.Join(err, rule.Close()); err != nil {
		return "", err
	}
	blob, err := git(ctx, b.root, "hash-object", "-w", rule.Name())
	if err != nil {
		return "", err
	}
	// An index of its own: the user's is not touched.
	index := filepath.Join(os.TempDir(), filepath.Base(rule.Name())+".index")
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := run(ctx, b.root, env, "git", "update-index", "--add", "--cacheinfo",
		"100644,"+blob+",.gitattributes"); err != nil {
		return "", err
	}
	tree, err := run(ctx, b.root, env, "git", "write-tree")
	if err != nil {
		return "", err
	}
	return git(ctx, b.root, "commit-tree", "-m", "Begin the history", strings.TrimSpace(tree))
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
		if _, err := git(ctx, b.dir, "commit", "-q", "-m", "Add a run of "+head); err != nil {
			return err
		}
	}
	// Another machine may have pushed since.
	var failed error
	for range 3 {
		_, failed = git(ctx, b.dir, "push", "-q", b.from, "HEAD:refs/heads/"+b.name)
		if failed == nil {
			return nil
		}
		if _, err := git(ctx, b.dir, "fetch", "-q", b.from, b.name); err != nil {
			return err
		}
		if _, err := git(ctx, b.dir, "rebase", "-q", "FETCH_HEAD"); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s could not be pushed: %w", b.name, failed)
}
