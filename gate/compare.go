package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/machine"
)

// A comparison is of two built trees.
type comparison struct {
	*result
	c     *config
	trees [2]tree // base and head
	work  string
}

// compare builds both trees and compares what they do.
func compare(ctx context.Context, c *config, base, head tree, work string, progress io.Writer) (
	*result, error) {
	k, err := prepare(ctx, c, base, head, work, progress)
	if err != nil {
		return k.result, err
	}
	if err := k.checkPatterns(ctx); err != nil || k.identical {
		return k.result, err
	}
	counted := k.buildCounted(ctx)
	if ctx.Err() != nil {
		return k.result, ctx.Err()
	}
	return k.result, k.measure(ctx, counted)
}

// prepare builds the test binaries and finds out whether they differ.
func prepare(ctx context.Context, c *config, base, head tree, work string, progress io.Writer) (
	*comparison, error) {
	k := &comparison{c: c, trees: [2]tree{base, head}, work: work,
		result: &result{when: time.Now().UTC(), base: base.commit, commit: head.commit,
			changed: head.changed, cpu: machine.CPU(), progress: progress}}
	k.say("comparing head %.12s with base %.12s; the first time this builds the standard library, "+
		"too, and takes minutes", head.commit, base.commit)
	goVersion, err := run(ctx, filepath.Join(head.root, c.dir), nil, "go", "version")
	if err != nil {
		return k, err
	}
	k.goVersion = strings.TrimPrefix(strings.TrimSpace(goVersion), "go version ")
	if err := c.withoutC(ctx, head); err != nil {
		return k, err
	}
	for i, t := range k.trees {
		if k.trees[i].packages, err = t.list(ctx, c); err != nil {
			return k, err
		}
	}
	if err := k.checkPackages(); err != nil {
		return k, err
	}
	for _, p := range k.trees[0].packages {
		if k.sides(p)[1].dir == "" {
			k.note("The head has no benchmarks in `%s`.", p.path)
			k.lost++
		}
	}
	for _, t := range []tree{k.trees[1], k.trees[0]} {
		for _, kind := range k.kinds() {
			k.say("building the %s%s, packages: %d", t.name,
				strings.TrimSuffix(" for "+kind, " for "), len(t.packages))
			if err := k.build(ctx, t, kind); err != nil {
				return k, err
			}
		}
	}
	k.identical, err = k.same()
	switch {
	case !k.identical:
	case len(head.data) > 0:
		k.identical = false
		k.note("The test binaries of the two are equal, byte for byte, but not the files that "+
			"benchmarks may read: %s.", list("", head.data))
	default:
		k.say("the test binaries are equal, byte for byte, and so is what they may read: nothing " +
			"can have changed")
	}
	return k, err
}

// kinds are those of the test binaries that are compared: the architectures for their functions.
func (k *comparison) kinds() []string {
	if k.c.functions == nil {
		return []string{native}
	}
	return []string{native, "amd64", "arm64"}
}

// same tells whether all binaries of the two trees are equal.
func (k *comparison) same() (bool, error) {
	if len(k.trees[0].packages) != len(k.trees[1].packages) {
		return false, nil
	}
	for _, p := range k.trees[1].packages {
		if k.sides(p)[0].dir == "" {
			return false, nil
		}
		for _, kind := range k.kinds() {
			base, err := os.ReadFile(binaryOf(k.work, k.trees[0].name, p, kind))
			head, failed := os.ReadFile(binaryOf(k.work, k.trees[1].name, p, kind))
			if err := errors.Join(err, failed); err != nil || !bytes.Equal(base, head) {
				return false, err
			}
		}
	}
	return true, nil
}

// sides returns where a package is in both trees.
func (k *comparison) sides(p pkg) (both [2]side) {
	for i, t := range k.trees {
		both[i].tree = t.name
		at := slices.IndexFunc(t.packages, func(q pkg) bool { return q.path == p.path })
		if at >= 0 {
			both[i] = side{t.name, t.packages[at].dir, binaryOf(k.work, t.name, p, native),
				binaryOf(k.work, t.name, p, counted)}
		}
	}
	return both
}

// measure compares the binaries that were built. unbuilt tells why those for counting could not be.
// Measurements that -limit leaves no time for are left out, and named.
func (k *comparison) measure(ctx context.Context, unbuilt error) error {
	start := time.Now()
	for _, arch := range k.kinds()[1:] {
		k.say("reading the functions for %s", arch)
		var both [2][]function
		for i, t := range k.trees {
			var err error
			if both[i], err = k.functions(t, arch); err != nil {
				return err
			}
		}
		shorten(both)
		k.compareFunctions(arch, both[0], both[1])
		k.missUnread(arch, append(both[0], both[1]...))
	}
	counting := k.c.limit
	if k.c.times != "" {
		counting = counting * 8 / 10 // times get what is left: counts are what is believed first
	}
	if err := k.count(ctx, start.Add(counting), unbuilt); err != nil || k.c.times == "" {
		return err
	}
	return k.time(ctx, start.Add(k.c.limit))
}

// functions reads those of all binaries of a tree.
func (k *comparison) functions(t tree, arch string) ([]function, error) {
	var all []function
	for _, p := range t.packages {
		more, err := functions(binaryOf(k.work, t.name, p, arch), k.c.functions)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	slices.SortStableFunc(all, func(a, b function) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(all, func(a, b function) bool { return a.name == b.name }), nil
}

// count counts instructions and allocations, if that can be done: not if the binaries for it could
// not be built.
func (k *comparison) count(ctx context.Context, deadline time.Time, unbuilt error) error {
	if k.c.bench == "" {
		k.note("Instructions and allocations were not counted.")
		return nil
	}
	if unbuilt != nil {
		k.miss("Instructions and allocations were not counted, as package testing of this Go could "+
			"not be changed for it: %.500v", unbuilt)
		return nil
	}
	_, uncounted := exec.LookPath("valgrind")
	if uncounted != nil {
		k.miss("**Instructions were not counted: valgrind is not here (Debian and Ubuntu: " +
			"apt-get install valgrind).** What is left are allocations and times, and a change " +
			"of less than 5 %% of time is not seen.")
	} else if because() != "" {
		k.note("Valgrind's CPU has no AVX-512: code that chooses it when it runs was counted on " +
			"another path, and on this one timed only.")
	}
	for i, p := range k.trees[1].packages {
		share := time.Until(deadline) / time.Duration(len(k.trees[1].packages)-i)
		m := &campaign{result: k.result, bench: k.c.bench, both: k.sides(p), path: p.path,
			prefix: p.prefix, work: k.work}
		k.say("counting %s", p.path)
		err := m.run(ctx, share, uncounted == nil)
		if err := errors.Join(ctx.Err(), err); err != nil {
			return err
		}
		m.conclude()
	}
	return nil
}
