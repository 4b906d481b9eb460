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
	for _, pattern := range k.c.packages {
		named := func(p pkg) bool { return slices.Contains(p.match, pattern) }
		switch {
		case slices.ContainsFunc(k.trees[1].packages, named):
		case slices.ContainsFunc(k.trees[0].packages, named):
			return fmt.Errorf("the head has none of the base's benchmarks in %s: take it out of "+
				"-package", pattern)
		default:
			return fmt.Errorf("there are no benchmarks in %s: check -package and the folder",
				pattern)
		}
	}
	return nil
}

// listed matches a benchmark's name at the end of a line: TestMain may have begun the line.
var listed = regexp.MustCompile(`(?m)Benchmark\S*$`)

// checkPatterns fails if a flag's pattern matches nothing in the head.
func (k *comparison) checkPatterns(ctx context.Context) error {
	var names [2][]string // of benchmarks in base and head, without sub-benchmarks
	var failed error      // the head's test binaries that do not list theirs
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
		for i := range names {
			if names[i] == nil {
				names[i] = []string{"none"}
			}
		}
		return errors.Join(ctx.Err(), failed, fmt.Errorf("%s %s matches no benchmark of the head; "+
			"the base has %s; the head has %s", flag[0], flag[1], list("", names[0]),
			list("", names[1])))
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
func (k *comparison) matches(ctx context.Context, pattern string, names []string) bool {
	if !strings.Contains(pattern, "/") {
		return slices.ContainsFunc(names, regexp.MustCompile(pattern).MatchString)
	}
	looking, cancel := context.WithTimeout(ctx, k.c.limit/10)
	defer cancel()
	return slices.ContainsFunc(k.trees[1].packages, func(p pkg) bool {
		ran := benchmarks(looking, k.sides(p)[1], nil, 1, pattern, "-test.benchtime=1x")
		return ran.mayMatch()
	})
}
