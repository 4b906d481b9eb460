package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A baseline is the commit that the head is compared with.
type baseline struct {
	commit, why string // why is empty if -base names the commit
}

var (
	// zeros matches the hash that GitHub and git hooks report as the commit before a new branch.
	zeros    = regexp.MustCompile(`^(0{40}|0{64})$`)
	fullHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

const fetchMore = "this clone is shallow: fetch the whole history (git fetch --unshallow; with " +
	"actions/checkout, fetch-depth: 0)"

// chooseBase returns the commit that -base names, if the head descends from it, and otherwise the
// merge base of the two, so that the head is not charged with changes that it does not have. If
// -base is all zeros, or the full hash of a commit that a force push has removed, the base is the
// merge base with the default branch, or the head's parent if the default branch has the head, or
// the head itself if that has no parent.
func chooseBase(ctx context.Context, repository, revision string) (baseline, error) {
	head, err := commitOf(ctx, repository, "HEAD")
	if err != nil {
		return baseline{}, fmt.Errorf("the repository has no commit yet: %w", err)
	}
	isShallow, err := git(ctx, repository, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return baseline{}, err
	}
	shallow := isShallow == "true"
	commit, err := commitOf(ctx, repository, revision)
	switch {
	case zeros.MatchString(revision):
		return replacement(ctx, repository, head, "-base is all zeros, as in the first push of a "+
			"branch", shallow)
	case err == nil:
		return fork(ctx, repository, head, commit, revision, shallow)
	case shallow:
		return baseline{}, fmt.Errorf("-base %s is not here; %s: %w", revision, fetchMore, err)
	case fullHash.MatchString(revision):
		return replacement(ctx, repository, head, fmt.Sprintf("-base %.12s is not in this "+
			"repository, as after a force push", revision), false)
	}
	return baseline{}, fmt.Errorf("-base %s: fetch it, or name another commit (git branch -a "+
		"lists the branches): %w", revision, err)
}

// commitOf returns the hash of the commit that a revision names.
func commitOf(ctx context.Context, repository, revision string) (string, error) {
	return git(ctx, repository, "rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
}

// fork returns commit, or its merge base with the head if the head does not descend from it.
func fork(ctx context.Context, repository, head, commit, revision string, shallow bool) (
	baseline, error) {
	common, err := mergeBase(ctx, repository, head, commit)
	switch {
	case err != nil:
		return baseline{}, err
	case common == commit:
		return baseline{commit: commit}, nil
	case common != "":
		return baseline{common, fmt.Sprintf("the head does not descend from `%s` (`%.12s`), so "+
			"the base is the merge base of the two", revision, commit)}, nil
	case shallow:
		return baseline{}, fmt.Errorf("no common ancestor of the head and %s is here; %s",
			revision, fetchMore)
	}
	return baseline{}, fmt.Errorf("the head and %s have no common ancestor: let -base name a "+
		"commit of the head's own history", revision)
}

// replacement returns the base where -base names no commit, for the given reason.
func replacement(ctx context.Context, repository, head, reason string, shallow bool) (
	baseline, error) {
	for _, branch := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main",
		"refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		tip, err := commitOf(ctx, repository, branch)
		if err != nil {
			continue
		}
		common, err := mergeBase(ctx, repository, head, tip)
		if err != nil {
			return baseline{}, err
		}
		if common == "" && shallow {
			return baseline{}, fmt.Errorf("%s; %s", reason, fetchMore)
		}
		if common == "" || common == head {
			break
		}
		name, err := git(ctx, repository, "rev-parse", "--abbrev-ref", branch)
		return baseline{common, fmt.Sprintf("%s, so the base is the merge base with `%s`", reason,
			name)}, err
	}
	if parent, err := commitOf(ctx, repository, "HEAD^1"); err == nil {
		return baseline{parent, reason + ", so the base is the head's parent"}, nil
	}
	if shallow {
		return baseline{}, fmt.Errorf("%s; %s", reason, fetchMore)
	}
	return baseline{head, reason + ", and there is no commit before the head"}, nil
}

// mergeBase returns the best common ancestor of the head and another commit, or "" if there is
// none. Where there are several, as each has merged the other, it is the one among the other
// commit's first parents: what came to that branch is not charged to the head.
func mergeBase(ctx context.Context, repository, head, other string) (string, error) {
	out, err := git(ctx, repository, "merge-base", "--all", head, other)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	all := strings.Fields(out)
	if err != nil || len(all) == 1 {
		return out, err
	}
	own, err := git(ctx, repository, "rev-list", "--first-parent", other)
	for commit := range strings.FieldsSeq(own) {
		if slices.Contains(all, commit) {
			return commit, err
		}
	}
	return all[0], err
}
