package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// This file rejects patterns that nothing matches: a run that measures nothing must not pass.

// checkPackages fails if a pattern of -package names no benchmarks in the head.
func (k *comparison) checkPackages() error {
	base, head := k.trees[0].packages, k.trees[1].packages
	for _, pattern := range k.c.packages {
		named := func(p pkg) bool { return slices.Contains(p.match, pattern) }
		switch {
		case slices.ContainsFunc(head, named):
		case slices.ContainsFunc(base, named):
			return fmt.Errorf("the head has none of the base's benchmarks in %s: take it out of "+
				"-package", pattern)
		default:
			return fmt.Errorf("there are no benchmarks in %s: check -package and the folder",
				pattern)
		}
	}
	return nil
}

// checkPatterns fails if a flag's pattern matches nothing in the head.
func (k *comparison) checkPatterns(ctx context.Context) error {
	for _, flag := range [][2]string{{"-bench", k.c.bench}, {"-time", k.c.times}} {
		if flag[1] == "" {
			continue
		}
		if found, err := k.matches(ctx, flag[1]); err != nil || !found {
			return errors.Join(ctx.Err(), err, k.noMatch(ctx, flag[0], flag[1]))
		}
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

// matches reports whether the head has a benchmark that matches. Names of sub-benchmarks are known
// only once their benchmark has run.
func (k *comparison) matches(ctx context.Context, pattern string) (bool, error) {
	names, err := k.benchmarkNames(ctx, 1)
	if !strings.Contains(pattern, "/") {
		match := regexp.MustCompile(pattern)
		if slices.ContainsFunc(names, match.MatchString) {
			return true, nil
		}
		return false, err
	}
	looking, cancel := context.WithTimeout(ctx, k.c.limit/10)
	defer cancel()
	for _, p := range k.trees[1].packages {
		s := k.sides(p)[1]
		ran := benchmarks(looking, s.binary, s.dir, nil, 1, "-test.bench="+pattern,
			"-test.benchtime=1x")
		if ran.mayMatch() {
			return true, nil
		}
	}
	return false, err
}

// benchmarkNames lists the benchmarks of the base (0) or the head (1), without sub-benchmarks. An
// error is of a package whose test binary does not list its own.
func (k *comparison) benchmarkNames(ctx context.Context, side int) (all []string, failed error) {
	for _, p := range k.trees[side].packages {
		s := k.sides(p)[side]
		if s.dir == "" {
			continue
		}
		said, err := measured(ctx, s.dir, nil, s.binary, "-test.list=^Benchmark")
		failed = errors.Join(failed, err)
		all = append(all, listed.FindAllString(said, -1)...)
	}
	return all, failed
}

// listed matches a benchmark's name at the end of a line: TestMain may have begun the line.
var listed = regexp.MustCompile(`(?m)Benchmark\S*$`)

// noMatch is the error for a pattern that no benchmark of the head matches.
func (k *comparison) noMatch(ctx context.Context, flag, pattern string) error {
	text := fmt.Sprintf("%s %s matches no benchmark of the head", flag, pattern)
	for i, t := range k.trees {
		// A test binary that lists nothing has been reported, or has no benchmarks.
		names, _ := k.benchmarkNames(ctx, i)
		if len(names) == 0 {
			names = []string{"none"}
		}
		text += fmt.Sprintf("; the %s has %s", t.name, list("", names))
	}
	return errors.New(text)
}
