package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A tree is a checkout of one of the two commits.
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
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, said)
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
	status, err := git(root, "status", "--porcelain")
	if err != nil {
		return tree{}, err
	}
	return tree{"head", root, commit, status != ""}, nil
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
			fmt.Fprintln(os.Stderr, "regress:", err)
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

// build makes the test binary of a package, for this machine or for Linux on another architecture.
// The paths of the trees do not come into it: the same code makes the same bytes.
func (t tree) build(c *config, goarch, output string) error {
	env := []string{"CGO_ENABLED=0"}
	if goarch != "" {
		env = append(env, "GOOS=linux", "GOARCH="+goarch)
	}
	if _, err := run(filepath.Join(t.root, c.dir), env, "go", "test", "-c", "-trimpath",
		"-buildvcs=false", "-o", output, c.pkg); err != nil {
		return fmt.Errorf("the %s can't be built: %w", t.name, err)
	}
	if _, err := os.Stat(output); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("the %s has no tests in %s", t.name, c.pkg)
	}
	return nil
}

// buildAll makes the test binaries for this machine and for all architectures.
func (t tree) buildAll(c *config, work string) error {
	for _, arch := range append([]string{""}, c.arches...) {
		if err := t.build(c, arch, binaryOf(work, t.name, arch)); err != nil {
			return err
		}
	}
	return nil
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
