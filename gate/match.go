package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file rejects patterns without matches, since a run that measures nothing must not pass.

func repository(ctx context.Context) (string, error) {
	root, err := git(ctx, ".", "rev-parse", "--show-toplevel")
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return "", fmt.Errorf("git names no working tree for the current folder: %s", reason(err))
	}
	return root, err
}

func checkModule(ctx context.Context, root string) error {
	out, err := run(ctx, ".", nil, "go", "env", "GO111MODULE", "GOMOD", "GOWORK")
	mode, out, _ := strings.Cut(out, "\n")
	mod, work, _ := strings.Cut(strings.TrimSpace(out), "\n")
	switch {
	case err != nil:
		return err
	case mode == "off":
		return errors.New("GO111MODULE is off, and the gate needs a module: set it to on")
	case mod != "" && mod != os.DevNull || work != "" && work != "off":
		return nil
	}
	known, err := git(ctx, root, "ls-files", "--cached", "--others", "--exclude-standard", "--",
		"go.mod", "*/go.mod")
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(strings.Split(known, "\n"), func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return name == "" || err != nil // git lists files that were deleted
	})
	if len(names) == 0 {
		return errors.New("there is no go.mod in the current folder or above it: create one with " +
			"go mod init")
	}
	return fmt.Errorf("there is no go.mod in the current folder or above it: start the gate in the "+
		"folder of a module; the repository has %s", list("", names))
}

func (k *comparison) checkPackages() error {
	for _, pattern := range k.c.packages {
		named := func(p pkg) bool { return slices.Contains(p.match, pattern) }
		switch {
		case slices.ContainsFunc(k.trees[1].packages, named):
		case slices.ContainsFunc(k.trees[0].packages, named):
			return fmt.Errorf("the base has benchmarks in %s, and the head has none that are built "+
				"here: restore one, or let -package name other packages", pattern)
		default:
			return fmt.Errorf("there are no benchmarks in %s: %s", pattern, cmp.Or(
				k.trees[1].unlisted[pattern], "no test file that is built here has a function BenchmarkX"))
		}
	}
	return nil
}

// listed matches a name at the end of a line. TestMain may have printed the line's beginning.
var listed = regexp.MustCompile(`(?m)Benchmark\S*$`)

func (k *comparison) checkPatterns(ctx context.Context) error {
	var names [2][]string
	var failed error // errors of listing the head's benchmarks
	for i, t := range k.trees {
		for _, p := range t.packages {
			if s := k.sides(p)[i]; s.dir != "" {
				said, err := measured(ctx, s.dir, nil, s.binary, "-test.list=^Benchmark")
				names[i] = append(names[i], listed.FindAllString(said, -1)...)
				if i == 1 {
					failed = errors.Join(failed, err)
				}
			}
		}
	}
	for _, flag := range [][2]string{{"-bench", k.c.bench}, {"-time", k.c.times}} {
		if flag[1] == "" || k.matches(ctx, flag[1], names[1]) {
			continue
		}
		text := fmt.Sprintf("%s %s matches no benchmark of the head", flag[0], flag[1])
		if k.c.skip != "" {
			text += " besides those that -skip leaves out"
		}
		for i, t := range k.trees {
			if names[i] != nil {
				text += fmt.Sprintf("; the %s has %s", t.name, list("", names[i]))
			}
		}
		return errors.Join(ctx.Err(), failed, errors.New(text))
	}
	if k.c.functions == nil {
		return nil
	}
	for _, arch := range k.kinds()[1:] {
		all, err := k.functions(k.trees[1], arch)
		if err != nil || len(all) > 0 {
			return err
		}
	}
	return fmt.Errorf("-functions %s matches no function of the head's test binaries, for amd64 "+
		"or for arm64", k.c.functions)
}

// skips reports whether -skip leaves out a whole benchmark.
func (c *config) skips(name string) bool {
	return c.skip != "" && !strings.Contains(c.skip, "/") &&
		regexp.MustCompile(c.skip).MatchString(name)
}

// matches reports whether the head has a benchmark that matches pattern. For a pattern with a
// slash, it runs benchmarks to learn the names of their sub-benchmarks, and returns true if a run
// does not end.
func (k *comparison) matches(ctx context.Context, pattern string, names []string) bool {
	if !strings.Contains(pattern, "/") {
		wanted := regexp.MustCompile(pattern)
		return slices.ContainsFunc(names, func(name string) bool {
			return wanted.MatchString(name) && !k.c.skips(name)
		})
	}
	looking, cancel := context.WithTimeout(ctx, k.c.limit/10)
	defer cancel()
	return slices.ContainsFunc(k.trees[1].packages, func(p pkg) bool {
		ran := benchmarks(looking, k.sides(p)[1], nil, 1, pattern, "-test.benchtime=1x")
		return len(ran.lines)+len(ran.without()) > 0 || !ran.ended
	})
}
