package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

type baseline struct {
	commit, why string // why is empty if -base names the commit
}

// commit and mergeBase return "" if there is no such commit.
type graph struct {
	ctx       context.Context
	dir, head string
	shallow   bool
}

func (g *graph) git(args ...string) string {
	out, _ := git(g.ctx, g.dir, args...)
	return out
}

func (g *graph) commit(revision string) string {
	return g.git("rev-parse", "--verify", "-q", "--end-of-options", revision+"^{commit}")
}

var (
	// zeros matches the hash that GitHub and git hooks report as the commit before a new branch.
	zeros    = regexp.MustCompile(`^(0{40}|0{64})$`)
	fullHash = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
)

const fetchMore = "this clone is shallow: fetch the whole history (git fetch --unshallow; with " +
	"actions/checkout, fetch-depth: 0)"

// chooseBase returns the commit that -base names, if the head descends from it. Otherwise it
// returns their merge base, so that the head is not charged with changes that it does not have.
// replace chooses the base if -base is all zeros, or is a full hash that a complete clone lacks.
func chooseBase(ctx context.Context, repository, revision string) (baseline, error) {
	g := &graph{ctx: ctx, dir: repository}
	g.head, g.shallow = g.commit("HEAD"), g.git("rev-parse", "--is-shallow-repository") == "true"
	commit := g.commit(revision)
	switch {
	case ctx.Err() != nil:
		return baseline{}, ctx.Err()
	case g.head == "":
		return baseline{}, errors.New("HEAD names no commit, as in a new repository: commit first")
	case zeros.MatchString(revision):
		return g.replace("-base is all zeros, as in the first push of a branch")
	case commit != "":
		return g.fork(commit, revision)
	case !g.shallow && fullHash.MatchString(revision):
		return g.replace(fmt.Sprintf("-base %.12s is no commit of this clone, as after a "+
			"force push", revision))
	}
	err := fmt.Errorf("-base %s is no commit here: fetch it, or name another one (git branch -a "+
		"lists the branches)", revision)
	if g.shallow {
		err = fmt.Errorf("%w; %s", err, fetchMore)
	}
	return baseline{}, err
}

func (g *graph) fork(commit, revision string) (baseline, error) {
	common := g.mergeBase(commit)
	switch {
	case common == commit:
		return baseline{commit: commit}, nil
	case common != "":
		return baseline{common, fmt.Sprintf("the head does not descend from `%s` (`%.12s`), so "+
			"the base is the merge base of the two", revision, commit)}, nil
	case g.shallow:
		return baseline{}, fmt.Errorf("no common ancestor of the head and %s is here; %s",
			revision, fetchMore)
	}
	return baseline{}, fmt.Errorf("the head and %s have no common ancestor: let -base name a "+
		"commit of the head's own history", revision)
}

func (g *graph) replace(reason string) (baseline, error) {
	lost := fmt.Errorf("%s; %s", reason, fetchMore)
	for _, branch := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main",
		"refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		tip := g.commit(branch)
		if tip == "" {
			continue
		}
		common := g.mergeBase(tip)
		if common == "" && g.shallow {
			return baseline{}, lost
		}
		if common == "" || common == g.head {
			break
		}
		return baseline{common, fmt.Sprintf("%s, so the base is the merge base with `%s`", reason,
			g.git("rev-parse", "--abbrev-ref", branch))}, nil
	}
	if parent := g.commit("HEAD^1"); parent != "" {
		return baseline{parent, reason + ", so the base is the head's first parent"}, nil
	}
	if g.shallow {
		return baseline{}, lost
	}
	return baseline{g.head, reason + ", and there is no commit before the head"}, nil
}

// mergeBase returns the best common ancestor of the head and another commit. Of several, it prefers
// the newest in the other commit's first-parent history, so that the head is not charged with the
// other branch's changes.
func (g *graph) mergeBase(other string) string {
	all := strings.Fields(g.git("merge-base", "--all", g.head, other))
	if len(all) > 1 {
		for commit := range strings.FieldsSeq(g.git("rev-list", "--first-parent", other)) {
			if slices.Contains(all, commit) {
				return commit
			}
		}
	}
	return strings.Join(all[:min(1, len(all))], "")
}
