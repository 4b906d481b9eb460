package main

import (
	"path/filepath"
	"strings"
	"testing"
)

type gitHistory struct {
	t   *testing.T
	dir string
}

func newHistory(t *testing.T) gitHistory {
	needs(t, "git")
	h := gitHistory{t, t.TempDir()}
	h.git("init", "-q")
	return h
}

func (h gitHistory) git(args ...string) string {
	h.t.Helper()
	out, err := git(h.t.Context(), h.dir, args...)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h gitHistory) commit(what string) string {
	h.t.Helper()
	h.git("commit", "-q", "--allow-empty", "-m", what)
	return h.git("rev-parse", "HEAD")
}

func (h gitHistory) chosen(revision string) (commit, why string) {
	h.t.Helper()
	b, err := chooseBase(h.t.Context(), h.dir, revision)
	if err != nil {
		h.t.Fatalf("-base %s: %v", revision, err)
	}
	return b.commit, b.why
}

func (h gitHistory) want(revision, commit string, why ...string) {
	h.t.Helper()
	got, because := h.chosen(revision)
	if got != commit || len(why) == 0 && because != "" {
		h.t.Errorf("-base %s: got %s (%q), want %s\n%s", revision, got, because, commit,
			h.git("log", "--graph", "--oneline", "--all"))
	}
	for _, part := range why {
		if !strings.Contains(because, part) {
			h.t.Errorf("-base %s: the reason is %q, want %q", revision, because, part)
		}
	}
}

func (h gitHistory) refused(revision string, parts ...string) {
	h.t.Helper()
	b, err := chooseBase(h.t.Context(), h.dir, revision)
	if err == nil {
		h.t.Errorf("-base %s: got %+v, want an error", revision, b)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			h.t.Errorf("-base %s: %v, want %q", revision, err, part)
		}
	}
}

var (
	newBranch = strings.Repeat("0", 40)
	lost      = strings.Repeat("12345678", 5)
)

func TestChooseBase(t *testing.T) {
	h := newHistory(t)
	h.refused("main", "HEAD names no commit")
	root := h.commit("root")
	h.want("main", root)
	h.want(newBranch, root, "all zeros", "no commit before the head")
	h.want(strings.Repeat("0", 64), root, "all zeros")
	h.want(lost, root, "after a force push", "no commit before the head")
	cut := h.commit("cut")
	h.git("tag", "-a", "-m", "one", "v1")
	h.want("v1", cut)
	h.want(newBranch, root, "all zeros", "the head's first parent")
	h.git("checkout", "-q", "-b", "pr")
	h.want("main", cut)
	h.commit("change")
	change := h.commit("change more")
	h.want("main", cut)
	h.want("HEAD", change)
	h.want(newBranch, cut, "all zeros", "merge base with `main`")
	h.want(lost, cut, "after a force push", "merge base with `main`")

	h.git("checkout", "-q", "main")
	tip := h.commit("faster")
	h.want("pr", cut, "does not descend from `pr` (`"+change[:12]+"`)", "merge base")
	h.git("checkout", "-q", "pr")
	h.want("main", cut, "does not descend from `main` (`"+tip[:12]+"`)", "merge base")
	h.want(tip, cut, "does not descend")
	h.git("checkout", "-q", "--detach", "pr~1")
	h.want("main", cut, "merge base")
	h.want("pr", h.git("rev-parse", "pr~1"), "does not descend from `pr`")

	// A pull request checked out as a merge commit with the base branch.
	h.git("checkout", "-q", "--detach", "main")
	h.git("merge", "-q", "--no-ff", "-m", "merge", "pr")
	h.want("main", tip)
	h.want(newBranch, tip, "merge base with `main`")

	// A force push.
	h.git("checkout", "-q", "pr")
	h.git("reset", "-q", "--hard", "HEAD~1")
	h.commit("another change")
	h.want(change, h.git("rev-parse", "HEAD~1"), "does not descend", "merge base")

	h.git("update-ref", "refs/remotes/origin/trunk", root)
	h.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	h.want(newBranch, root, "merge base with `origin/trunk`")

	h.refused("nowhere", "-base nowhere", "fetch it")
	h.refused("--all", "-base --all")
	h.git("checkout", "-q", "--orphan", "alone")
	alone := h.commit("alone")
	h.refused("main", "no common ancestor", "head's own history")
	h.want(newBranch, alone, "no commit before the head")
}

func TestChooseBaseShallow(t *testing.T) {
	h := newHistory(t)
	h.commit("root")
	cut := h.commit("cut")
	h.git("checkout", "-q", "-b", "pr")
	h.commit("change")
	h.git("checkout", "-q", "main")
	h.commit("faster")
	clone := func(flags ...string) gitHistory {
		dir := filepath.Join(t.TempDir(), "clone")
		h.git(append([]string{"clone", "-q", "-b", "pr", "file://" + h.dir, dir}, flags...)...)
		return gitHistory{t, dir}
	}
	c := clone("--depth", "1")
	for _, revision := range []string{"origin/main", newBranch, lost} {
		c.refused(revision, "fetch-depth: 0", "git fetch --unshallow")
	}
	c = clone("--depth", "1", "--no-single-branch")
	c.refused("origin/main", "no common ancestor", "fetch-depth: 0")
	c.refused(newBranch, "all zeros", "fetch-depth: 0")
	c = clone("--depth", "2", "--no-single-branch")
	c.want("origin/main", cut, "merge base")
	c.git("fetch", "-q", "--unshallow", "origin")
	c.want(lost, cut, "after a force push")
}

// If two branches have merged each other, the changes made on the other branch belong to the base.
func TestChooseBaseCrissCross(t *testing.T) {
	h := newHistory(t)
	h.commit("Begin")
	h.git("checkout", "-q", "-b", "pr")
	own := h.commit("Of the branch")
	h.git("checkout", "-q", "main")
	t.Setenv("GIT_COMMITTER_DATE", "2020-01-01T00:00:00Z") // commit dates do not decide
	others := h.commit("Of main")
	h.git("merge", "-q", "--no-edit", own)
	h.git("checkout", "-q", "pr")
	h.git("merge", "-q", "--no-edit", others)
	h.commit("More of the branch")
	h.want("main", others, "merge base")
	h.git("checkout", "-q", "main")
	h.want("pr", own, "merge base")
}

func TestBranchBehind(t *testing.T) {
	p := newProject(t)
	p.do("git", "checkout", "-q", "-b", "pr")
	p.edit("search.go", "// Nearest returns", "// Nearest tells")
	p.commit("Word")
	p.do("git", "checkout", "-q", "main")
	p.change()
	p.commit("Change the code")
	p.do("git", "checkout", "-q", "pr")
	base := strings.TrimSpace(p.do("git", "rev-parse", "HEAD~1"))
	p.lacks(p.check(0, "-base", "main"), "## Regression gate: nothing is worse\n",
		"against base `"+base[:12]+"`", "The head does not descend from `main`", "byte for byte")
	p.do("git", "branch", "-D", "-q", "main")
	p.lacks(p.check(2, "-base", "main"), "gate: -base main is no commit here: fetch it, or name ")
}
