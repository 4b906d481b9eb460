package main

import (
	"bytes"
	"cmp"
	"context"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/machine"
)

type comparison struct {
	*result
	c        *config
	trees    [2]tree // base and head
	unhooked error   // why packages testing and runtime can't be replaced
}

func compare(ctx context.Context, c *config, base, head tree, r *result) error {
	k, err := build(ctx, c, base, head, r)
	if err != nil {
		return err
	}
	if err := k.checkPatterns(ctx); err != nil || k.identical {
		return err
	}
	return k.measure(ctx)
}

func build(ctx context.Context, c *config, base, head tree, r *result) (*comparison, error) {
	k := &comparison{c: c, trees: [2]tree{base, head}, result: r}
	r.when, r.base, r.commit, r.changed = time.Now().UTC(), base.commit, head.commit, head.changed
	r.cpu = machine.CPU()
	k.say("comparing head %.12s with base %.12s", head.commit, base.commit)
	if err := k.chooseGo(ctx); err != nil {
		return k, err
	}
	if err := c.findNative(ctx, head); err != nil {
		return k, err
	}
	for i := range k.trees {
		t := &k.trees[i]
		if t.broken {
			continue
		}
		var err error
		t.packages, err = t.list(ctx, c)
		switch {
		case ctx.Err() != nil:
			return k, ctx.Err()
		case err != nil && i == 0:
			k.miss("The base is left out: %s", reason(err))
			t.broken = true
		case err != nil:
			return k, err
		}
	}
	if err := k.checkPackages(); err != nil {
		return k, err
	}
	for _, p := range k.trees[0].packages {
		if s := k.sides(p)[1]; s.dir == "" && !s.broken {
			k.note("The head has no benchmarks in `%s` that are built here.", p.path)
			k.lost++
		}
	}
	if c.skip != "" {
		k.note("Benchmarks that match -skip are left out: `%s`.", c.skip)
	}
	if c.bench != "" {
		k.unhooked = writeOverlay(ctx, filepath.Join(head.root, c.dir), k.work, k.trees[1].goEnv)
	}
	if err := k.buildAll(ctx); err != nil {
		return k, err
	}
	equal := k.same()
	k.identical = equal && len(head.data) == 0
	if k.identical {
		k.say("nothing is measured: the test binaries of base and head are equal, byte for byte, " +
			"and so are the other files that benchmarks may read")
	} else if equal {
		k.note("The test binaries of base and head are equal, byte for byte, but not these files, "+
			"which benchmarks may read: %s.", list("", head.data))
	}
	return k, nil
}

// chooseGo makes both trees use the newer of their Go versions.
func (k *comparison) chooseGo(ctx context.Context) error {
	newest := ""
	for i, t := range k.trees {
		text, err := run(ctx, filepath.Join(t.root, k.c.dir), t.goEnv, "go", "env", "GOVERSION")
		if err != nil && i == 1 {
			return err
		}
		name, _, _ := strings.Cut(strings.TrimSpace(text), " ") // without experiments
		if err == nil && version.Compare(name, newest) > 0 {
			newest = name
		}
	}
	if newest != "" { // "" for Go built from source between releases
		for i := range k.trees {
			k.trees[i].goEnv = append(k.trees[i].goEnv, "GOTOOLCHAIN="+newest)
		}
	}
	head := k.trees[1]
	text, err := run(ctx, filepath.Join(head.root, k.c.dir), head.goEnv, "go", "version")
	k.goVersion = strings.TrimPrefix(strings.TrimSpace(text), "go version ")
	return err
}

func (k *comparison) kinds() []string {
	if k.c.functions == nil {
		return []string{native}
	}
	return []string{native, "amd64", "arm64"}
}

func (k *comparison) same() bool {
	for _, p := range k.trees[1].packages {
		for _, kind := range k.kinds() {
			base, err := os.ReadFile(binaryOf(k.work, k.trees[0].name, p, kind))
			head, failed := os.ReadFile(binaryOf(k.work, k.trees[1].name, p, kind))
			if err != nil || failed != nil || !bytes.Equal(base, head) {
				return false
			}
		}
	}
	return len(k.trees[0].packages) == len(k.trees[1].packages)
}

// A side is a package in one of the trees. dir is empty if the tree lacks the package, or if
// broken.
type side struct {
	tree, dir, binary string
	skip              string
	broken            bool // the package could not be built, or its tree was left out
}

func (k *comparison) sides(p pkg) (both [2]side) {
	for i, t := range k.trees {
		both[i] = side{tree: t.name, skip: k.c.skip, broken: t.broken}
		for _, q := range t.packages {
			if q.path == p.path && q.broken {
				both[i].broken = true
			} else if q.path == p.path {
				both[i].dir, both[i].binary = q.dir, binaryOf(k.work, t.name, q, native)
			}
		}
	}
	return both
}

func (k *comparison) measure(ctx context.Context) error {
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
		counting = counting * 8 / 10
	}
	if err := k.count(ctx, start.Add(counting)); err != nil || k.c.times == "" {
		return err
	}
	return k.time(ctx, start.Add(k.c.limit))
}

func (k *comparison) functions(t tree, arch string) ([]function, error) {
	var all []function
	for _, p := range t.packages {
		if p.broken {
			continue
		}
		more, err := functions(binaryOf(k.work, t.name, p, arch), k.c.functions)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	slices.SortStableFunc(all, func(a, b function) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(all, func(a, b function) bool { return a.name == b.name }), nil
}

func (k *comparison) count(ctx context.Context, deadline time.Time) error {
	if k.c.bench == "" {
		k.note("Instructions and allocations were not counted: -bench is empty.")
		return nil
	}
	if k.unhooked != nil {
		k.miss("Instructions and allocations were not counted, as packages testing and runtime "+
			"can't be replaced: %.500v", k.unhooked)
		return nil
	}
	_, uncounted := exec.LookPath("valgrind")
	if uncounted != nil {
		limits := ""
		if k.c.times != "" {
			limits = " Times can't show a slow-down of less than 5 %."
		}
		k.miss("**Instructions were not counted: there is no valgrind in PATH (Debian and "+
			"Ubuntu: apt-get install valgrind).**%s", limits)
	} else if k.c.wide && because() != "" {
		k.note("Valgrind emulates a CPU without AVX-512: where code chooses a path by the CPU, a " +
			"path without AVX-512 is counted. -time measures the path of this CPU, and -functions " +
			"reads Go assembly.")
	}
	for i, p := range k.trees[1].packages {
		share := time.Until(deadline) / time.Duration(len(k.trees[1].packages)-i)
		m := &campaign{result: k.result, pkg: p, bench: k.c.bench, both: k.sides(p)}
		k.say("counting %s", p.path)
		if err := m.run(ctx, share, uncounted == nil); err != nil || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		m.conclude()
	}
	return nil
}
