package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/history"
	"github.com/pegasimd/pegasimd/gate/machine"
)

// A comparison is what two built trees have.
type comparison struct {
	*result
	c          *config
	base, head tree
	before     []pkg // of the base
	after      []pkg // of the head
	work       string
	say        func(format string, a ...any)
}

// compare builds both trees and compares what they do.
func compare(ctx context.Context, c *config, base, head tree, work string, progress io.Writer) (
	*result, error) {
	k, err := prepare(ctx, c, base, head, work, progress)
	if err != nil {
		return nil, err
	}
	if k.Identical && !c.force {
		return k.result, nil
	}
	return k.result, k.measure(ctx)
}

// prepare builds the test binaries and finds out whether they differ.
func prepare(ctx context.Context, c *config, base, head tree, work string, progress io.Writer) (
	*comparison, error) {
	k := &comparison{c: c, base: base, head: head, work: work,
		say: func(format string, a ...any) { fmt.Fprintf(progress, "gate: "+format+"\n", a...) },
		result: &result{Time: time.Now().UTC(), Base: base.commit, Commit: head.commit,
			Changed: head.changed, CPU: machine.CPU()},
	}
	goVersion, err := run(ctx, filepath.Join(head.root, c.dir), nil, "go", "version")
	if err != nil {
		return nil, err
	}
	k.Go = strings.TrimPrefix(strings.TrimSpace(goVersion), "go version ")
	if err := c.withoutC(ctx, head); err != nil {
		return nil, err
	}
	if k.after, err = head.packages(ctx, c); err != nil {
		return nil, err
	}
	if len(k.after) == 0 {
		return nil, fmt.Errorf("there are no benchmarks in %s", strings.Join(c.packages, ", "))
	}
	if k.before, err = base.packages(ctx, c); err != nil {
		return nil, err
	}
	for _, p := range k.before {
		if !slices.ContainsFunc(k.after, func(q pkg) bool { return q.path == p.path }) {
			k.Notes = append(k.Notes, fmt.Sprintf("The head has no benchmarks in `%s`.", p.path))
		}
	}
	k.say("building base %.12s and head %.12s, %d packages with benchmarks", base.commit,
		head.commit, len(k.after))
	if err := head.buildAll(ctx, c, k.after, work); err != nil {
		return nil, err
	}
	if err := k.buildBase(ctx); err != nil {
		return nil, err
	}
	if k.Identical, err = k.same(); err != nil {
		return nil, err
	}
	if k.Identical {
		k.say("the test binaries are equal, byte for byte: nothing can have changed")
	}
	return k, nil
}

// buildBase builds the base, with its own benchmarks if the head's don't fit.
func (k *comparison) buildBase(ctx context.Context) error {
	err := k.base.buildAll(ctx, k.c, k.before, k.work)
	if err == nil || len(k.c.copies) == 0 {
		return err
	}
	if restored := k.base.restore(ctx); restored != nil {
		return restored
	}
	var listed error
	if k.before, listed = k.base.packages(ctx, k.c); listed != nil {
		return listed
	}
	if k.base.buildAll(ctx, k.c, k.before, k.work) != nil {
		return err
	}
	k.Notes = append(k.Notes, "The benchmarks of the head do not fit the base, which was built "+
		"with its own.")
	return nil
}

// same tells whether all binaries of the two trees are equal.
func (k *comparison) same() (bool, error) {
	if len(k.before) != len(k.after) {
		return false, nil
	}
	for _, p := range k.after {
		if !slices.ContainsFunc(k.before, func(b pkg) bool { return b.path == p.path }) {
			return false, nil
		}
		for _, arch := range append([]string{""}, k.c.arches...) {
			equal, err := same(binaryOf(k.work, k.base.name, p, kind{arch: arch}),
				binaryOf(k.work, k.head.name, p, kind{arch: arch}))
			if err != nil || !equal {
				return false, err
			}
		}
	}
	return true, nil
}

// measure compares the binaries that prepare has built. What takes longer than -limit is left out,
// and named.
func (k *comparison) measure(ctx context.Context) error {
	counted := k.buildCounted(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return k.measureBuilt(ctx, counted)
}

// measureBuilt measures with the binaries for counting, or tells that they could not be built.
func (k *comparison) measureBuilt(ctx context.Context, counted error) error {
	start := time.Now()
	for _, arch := range k.c.arches {
		k.say("reading the functions for %s", arch)
		before, err := k.functions(k.base.name, k.before, arch)
		if err != nil {
			return err
		}
		after, err := k.functions(k.head.name, k.after, arch)
		if err != nil {
			return err
		}
		k.compareFunctions(arch, before, after)
		k.missUnread(arch, append(before, after...))
	}
	counting := k.c.limit
	if k.c.times != "" {
		counting = counting * 8 / 10 // times get what is left: counts are what is believed first
	}
	if err := k.count(ctx, start.Add(counting), counted); err != nil {
		return err
	}
	if k.c.times == "" {
		return nil
	}
	return k.time(ctx, start.Add(k.c.limit))
}

// functions reads those of all binaries of a tree.
func (k *comparison) functions(tree string, packages []pkg, arch string) ([]function, error) {
	var all []function
	for _, p := range packages {
		more, err := functions(binaryOf(k.work, tree, p, kind{arch: arch}), k.c.functions)
		if err != nil {
			return nil, err
		}
		for _, f := range more {
			if !slices.ContainsFunc(all, func(g function) bool { return g.name == f.name }) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// sides returns where a package of the head is in both trees.
func (k *comparison) sides(p pkg) (both [2]side) {
	for i, t := range []tree{k.base, k.head} {
		both[i].tree = t.name
	}
	for i, packages := range [][]pkg{k.before, k.after} {
		for _, q := range packages {
			if q.path == p.path {
				tree := both[i].tree
				both[i] = side{tree, q.dir, binaryOf(k.work, tree, q, kind{}),
					binaryOf(k.work, tree, q, kind{counted: true})}
			}
		}
	}
	return both
}

// count counts instructions and allocations, if that can be done: not if the binaries for it could
// not be built.
func (k *comparison) count(ctx context.Context, deadline time.Time, unbuilt error) error {
	if !k.c.counts {
		k.Notes = append(k.Notes, "Instructions and allocations were not counted.")
		return nil
	}
	if unbuilt != nil {
		k.miss(fmt.Sprintf("Instructions and allocations were not counted, as package testing of "+
			"this Go could not be changed for it: %.500v", unbuilt))
		return nil
	}
	uncounted := canCount()
	if uncounted != nil {
		k.miss("**Instructions were not counted: " + uncounted.Error() + ".** What is left are " +
			"allocations and times, and a change of less than 5 % of time is not seen.")
	} else if because() != "" {
		k.Notes = append(k.Notes, "Valgrind's CPU has no AVX-512: code that chooses it when it "+
			"runs was counted on another path, and on this one timed only.")
	}
	for i, p := range k.after {
		share := time.Until(deadline) / time.Duration(len(k.after)-i)
		m := &campaign{c: k.c, both: k.sides(p), path: p.path, prefix: p.prefix,
			work: k.work}
		k.say("counting %s", p.path)
		memory, err := m.run(ctx, share, uncounted == nil, k.say)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		k.addCounts(m, memory)
		k.Notes = append(k.Notes, m.notes...)
		k.miss(m.missed...)
	}
	return nil
}

// buildCounted builds the binaries that are counted, if any are.
func (k *comparison) buildCounted(ctx context.Context) error {
	if !k.c.counts {
		return nil
	}
	if err := writeOverlay(ctx, filepath.Join(k.head.root, k.c.dir), k.work); err != nil {
		return err
	}
	for _, p := range k.after {
		if err := k.head.build(ctx, k.c, p, kind{counted: true}, k.work); err != nil {
			return err
		}
	}
	for _, p := range k.before {
		if err := k.base.build(ctx, k.c, p, kind{counted: true}, k.work); err != nil {
			return err
		}
	}
	return nil
}

// both lists the benchmarks to time: those that run once in both trees, in less than a fifth of the
// time that is left.
func (k *comparison) both(ctx context.Context) (all []*timed, err error) {
	deadline, _ := ctx.Deadline()
	share := time.Until(deadline) / 5 / time.Duration(2*len(k.after))
	late := false
	for _, p := range k.after {
		both := k.sides(p)
		if both[0].dir == "" {
			continue
		}
		again := strings.TrimSuffix(both[0].binary, ".test") + "-again.test"
		if err := copyFile(again, both[0].binary); err != nil {
			return nil, err
		}
		var names [2][]line
		for i, s := range both {
			ctx, cancel := context.WithTimeout(ctx, share)
			names[i], _ = benchmarks(ctx, s.binary, s.dir, nil, "-test.bench="+k.c.times,
				"-test.benchtime=1x")
			late = late || ctx.Err() != nil
			cancel()
		}
		for _, l := range names[1] {
			if slices.ContainsFunc(names[0], func(b line) bool { return b.name == l.name }) {
				all = append(all, &timed{name: p.prefix + l.name, short: l.name, base: both[0],
					head: both[1], again: again})
			}
		}
	}
	if late {
		k.miss("Not all benchmarks end when they are run once: those that do not, and what comes " +
			"after them, are not timed.")
	}
	return all, nil
}

// time is the soft part.
func (k *comparison) time(outer context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(outer, deadline)
	defer cancel()
	all, err := k.both(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return outer.Err()
	}
	k.Notes = append(k.Notes, "Processes that were timed: "+machine.Pin().String()+".")
	defer runtime.UnlockOSThread()
	k.say("timing %d benchmarks in %d rounds of base, head and base again", len(all), k.c.rounds)
	clock := &clock{benchtime: k.c.benchtime, say: k.say}
	half, cancelHalf := context.WithTimeout(ctx, time.Until(deadline)*6/10)
	defer cancelHalf()
	all = clock.time(half, all, k.c.rounds)
	var doubtful []*timed
	first := map[string]*timing{}
	for _, b := range all {
		if first[b.name] = b.t; b.t.slower() {
			again := *b
			doubtful = append(doubtful, &again)
		}
	}
	second := map[string]*timing{}
	if len(doubtful) > 0 {
		k.say("%d look slower; once more", len(doubtful))
		for _, b := range clock.time(ctx, doubtful, 2*k.c.rounds) {
			second[b.name] = b.t
		}
	}
	slices.SortFunc(all, func(a, b *timed) int { return strings.Compare(a.name, b.name) })
	for _, b := range all {
		k.addTiming(b.name, first[b.name], second[b.name])
	}
	k.miss(clock.missed...)
	return outer.Err()
}

// write writes the summary, the findings and the line of the history.
func (r *result) write(c *config, out io.Writer) error {
	text := r.summary()
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if c.summary != "" {
		if err := appendTo(c.summary, text); err != nil {
			return err
		}
	}
	if c.markdown != "" {
		if err := os.WriteFile(c.markdown, []byte(text), 0o666); err != nil {
			return err
		}
	}
	if c.json != "" {
		if err := r.writeJSON(c.json); err != nil {
			return err
		}
	}
	if c.history != "" && len(r.Findings) > 0 {
		return history.Append(history.File(c.history, r.CPU), r.line())
	}
	return nil
}

func appendTo(file, text string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
