package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A line is a result of a benchmark as go test prints it, of an operation.
type line struct {
	n                 int
	ns, allocs, bytes float64
}

// A tally holds the results of one process of a test binary, and the names of the benchmarks that
// have none. Names are without "Benchmark".
type tally struct {
	lines   map[string][]line // results
	skipped []string
	failed  []string
	unread  []string // those whose line of results can't be read
	parents []string // those with sub-benchmarks that were skipped or failed: more may be missing
	stuck   string   // the benchmark that was running when the process ended early
	ended   bool     // every benchmark has had its turn
	err     error    // why the process failed, or results are not believed
}

// mayHave reports whether the tree that was run may have a benchmark though there is no result of
// it: the benchmark, or one above it, was skipped or failed, its result can't be read, or the
// process ended early.
func (t *tally) mayHave(name string) bool {
	without := slices.Concat(t.skipped, t.failed, t.unread, t.parents)
	return !t.ended || slices.ContainsFunc(without, func(other string) bool {
		return strings.HasPrefix(name+"/", other+"/")
	})
}

// cutOff lists the benchmarks that have a result in the other tree and that no list of this tally
// has, though this tree may have them: one above them was skipped or failed.
func (t *tally) cutOff(other tally) (names []string) {
	without := slices.Concat(t.skipped, t.failed, t.unread)
	for name := range other.lines {
		if t.ended && len(t.lines[name]) == 0 && t.mayHave(name) &&
			!slices.Contains(without, name) {
			names = append(names, name)
		}
	}
	return names
}

// mayMatch reports whether the pattern may have matched a benchmark.
func (t *tally) mayMatch() bool {
	return len(t.lines)+len(t.skipped)+len(t.failed)+len(t.unread) > 0 || !t.ended
}

// failsAlone reports whether benchmarks fail here and not in the base.
func (t *tally) failsAlone(base tally) bool {
	return t.err != nil && (base.ended && base.err == nil || len(t.brokenSince(base)) > 0)
}

// fail adds a row for each benchmark that fails in the head alone, or for the package if it is not
// known which.
func (r *result) fail(prefix, path string, base, head tally, why string) {
	names := head.brokenSince(base)
	if len(names) == 0 {
		names = append(slices.Clone(head.failed), head.stuck)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	for i := range names {
		names[i] = prefix + names[i]
	}
	if len(names) == 0 {
		names = []string{path}
	}
	for _, name := range names {
		if !slices.ContainsFunc(r.with(failing), func(f finding) bool { return f.what == name }) {
			r.add(finding{what: name, unit: "run", how: r.clean(why), verdict: failing})
		}
	}
}

// brokenSince names benchmarks that fail here and have a result in the base.
func (t *tally) brokenSince(base tally) (names []string) {
	for _, name := range append(slices.Clone(t.failed), t.stuck) {
		if len(base.lines[name]) > 0 {
			names = append(names, name)
		}
	}
	return names
}

var (
	// announced matches the line that go test -v prints when a benchmark begins.
	announced = regexp.MustCompile(`(?m)^Benchmark(\S+)$`)
	// unmeasured matches the line of a benchmark that was skipped or has failed.
	unmeasured = regexp.MustCompile(`(?m)^--- (SKIP|FAIL): Benchmark(\S+)`)
	// garbled matches a line of results, with what stands in front of them.
	garbled = regexp.MustCompile(`(?m)^(.*?)Benchmark(\S+)[ \t]+\d+\t.*/op`)
	// allRun matches the last line of a test binary.
	allRun = regexp.MustCompile(`(?m)(PASS|FAIL)$`)
)

// benchmarks runs benchmarks of a test binary on one CPU, in a folder, and reads the results of
// those that do not fail.
//
// Each benchmark has at most repeats results. A benchmark with more of them has printed lines that
// look like results: it counts as failed.
func benchmarks(ctx context.Context, binary, dir string, env []string, repeats int,
	args ...string) tally {
	said, failed := measured(ctx, dir, env, binary, append([]string{"-test.run=^$",
		"-test.cpu=1", "-test.v", fmt.Sprint("-test.count=", repeats)}, args...)...)
	t := tally{lines: map[string][]line{}, ended: ctx.Err() == nil && allRun.MatchString(said)}
	if failed == nil && !t.ended {
		failed = fmt.Errorf("the process ended before all benchmarks had run:\n%s",
			telling(said, 500))
	}
	began := announced.FindAllStringSubmatch(said, -1)
	for _, m := range unmeasured.FindAllStringSubmatch(said, -1) {
		kind, name := m[1], m[2]
		isParent := slices.ContainsFunc(began, func(other []string) bool {
			return strings.HasPrefix(other[1], name+"/")
		})
		switch {
		case isParent: // it fails if a sub-benchmark does
			t.parents = append(t.parents, name)
		case kind == "SKIP":
			t.skipped = append(t.skipped, name)
		default:
			t.failed = append(t.failed, name)
		}
	}
	r := benchfmt.NewReader(strings.NewReader(said), binary)
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name := string(result.Name)
		if result.Iters == 0 { // it was skipped after its first operation
			t.skipped = append(t.skipped, name)
			continue
		}
		l := line{n: result.Iters}
		for _, v := range result.Values {
			switch {
			case v.OrigUnit == "ns/op":
				l.ns = v.OrigValue
			case v.Unit == "allocs/op":
				l.allocs = v.Value
			case v.Unit == "B/op":
				l.bytes = v.Value
			}
		}
		t.lines[name] = append(t.lines[name], l)
	}
	for name, lines := range t.lines {
		if len(lines) > repeats {
			delete(t.lines, name)
			t.failed = append(t.failed, name)
			failed = errors.Join(failed, fmt.Errorf("%s: there are %d lines of results, want %d: "+
				"does it print such lines itself?", name, len(lines), repeats))
		}
	}
	if n := len(began); !t.ended && n > 0 && len(t.lines[began[n-1][1]]) < repeats {
		t.stuck = began[n-1][1]
	}
	t.findUnread(said, args)
	t.err = errors.Join(failed, r.Err())
	return t
}

// findUnread finds the benchmarks that began and of which nothing else is known, and those whose
// results stand behind other text. Benchmarks that match only the first parts of the pattern of
// -test.bench run for their sub-benchmarks, and may have none.
func (t *tally) findUnread(said string, args []string) {
	depth := 0
	for _, arg := range args {
		if pattern, ok := strings.CutPrefix(arg, "-test.bench="); ok {
			depth = strings.Count(pattern, "/")
		}
	}
	var names []string
	began := announced.FindAllStringSubmatch(said, -1)
	for _, m := range began {
		isParent := slices.ContainsFunc(began, func(other []string) bool {
			return strings.HasPrefix(other[1], m[1]+"/")
		})
		if !isParent && strings.Count(m[1], "/") >= depth {
			names = append(names, m[1])
		}
	}
	for _, m := range garbled.FindAllStringSubmatch(said, -1) {
		if m[1] != "" && !strings.HasPrefix(m[1], "    ") { // which is a line of a log
			names = append(names, m[2])
		}
	}
	for _, name := range names {
		if len(t.lines[name]) == 0 && name != t.stuck &&
			!slices.Contains(slices.Concat(t.skipped, t.failed, t.unread), name) {
			t.unread = append(t.unread, name)
		}
	}
}

// missUnmeasured notes the benchmarks that a tree skips, and others of which it has no result.
func (r *result) missUnmeasured(prefix, tree string, t, other tally) {
	if len(t.skipped) > 0 {
		r.miss("Skipped by the %s, and not compared: %s.", tree, list(prefix, t.skipped))
	}
	if len(t.unread) > 0 {
		r.miss("Not compared, as the %s prints no line of results that can be read (does the "+
			"benchmark print something without a newline?): %s.", tree, list(prefix, t.unread))
	}
	if names := t.cutOff(other); len(names) > 0 {
		r.miss("Not compared, as the %s skips the rest of the benchmark above, or fails in it: %s.",
			tree, list(prefix, names))
	}
}

// exactly is the pattern that a benchmark and no other matches.
func exactly(name string) string {
	return "^Benchmark" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
}
