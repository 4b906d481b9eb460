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

type line struct {
	n                 int     // operations
	ns, allocs, bytes float64 // per operation
}

// A tally holds the results of a test binary's process, by names without "Benchmark".
type tally struct {
	lines   map[string][]line
	skipped []string
	failed  []string
	unread  []string // began, but have no readable result
	parents []string // skipped or failed; some of their sub-benchmarks may be missing
	stuck   string   // last benchmark that began, if the process ended without all its results
	ended   bool
	late    bool // ctx was done before the process ended or began
	err     error
}

func (t *tally) without() []string { return slices.Concat(t.skipped, t.failed, t.unread) }

func (t *tally) mayHave(name string) bool {
	return !t.ended || slices.ContainsFunc(append(t.without(), t.parents...),
		func(other string) bool { return strings.HasPrefix(name+"/", other+"/") })
}

// cutOff lists the other tree's benchmarks whose results may be missing here only because a parent
// was skipped, failed or can't be read.
func (t *tally) cutOff(other tally) (names []string) {
	for name := range other.lines {
		if t.ended && len(t.lines[name]) == 0 && t.mayHave(name) &&
			!slices.Contains(t.without(), name) {
			names = append(names, name)
		}
	}
	return names
}

func (t *tally) failsAlone(base tally) bool {
	return t.err != nil && (base.ended && base.err == nil || len(t.brokenSince(base)) > 0)
}

func (t *tally) brokenSince(base tally) []string {
	return slices.DeleteFunc(append(slices.Clone(t.failed), t.stuck), func(name string) bool {
		return len(base.lines[name]) == 0
	})
}

func (r *result) fail(prefix, path string, base, head tally, why string) {
	names := head.brokenSince(base)
	if len(names) == 0 {
		names = append(slices.Clone(head.failed), head.stuck)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if len(names) == 0 {
		prefix, names = "", []string{path}
	}
	for _, name := range names {
		f := finding{what: prefix + name, unit: "run", how: r.clean(why), verdict: failing}
		known := func(other finding) bool { return other.what == f.what }
		if !slices.ContainsFunc(r.with(failing), known) {
			r.add(f)
		}
	}
}

var (
	// announced matches the line with which go test -v begins a benchmark, even after other text.
	// It matches no lines of b.Log, which begin with spaces, and no calls in a stack trace, which
	// have arguments.
	announced  = regexp.MustCompile(`(?m)^(?:[^\s-].*?)??Benchmark([\pL\pN_]+(?:/\S*)?)$`)
	unmeasured = regexp.MustCompile(`(?m)^--- (SKIP|FAIL): Benchmark(\S+)`)
	allRun     = regexp.MustCompile(`(?m)(PASS|FAIL)$`)
)

// benchmarks runs the benchmarks that match pattern but not s.skip. A benchmark that matches only
// the first parts of a pattern with slashes runs for its sub-benchmarks, and need not have a
// result. A benchmark with more than repeats results counts as failed.
func benchmarks(ctx context.Context, s side, env []string, repeats int, pattern string,
	args ...string) tally {
	said, failed := measured(ctx, s.dir, env, s.binary, append([]string{"-test.run=^$",
		"-test.cpu=1", "-test.v", fmt.Sprint("-test.count=", repeats), "-test.bench=" + pattern,
		"-test.skip=" + s.skip}, args...)...)
	t := tally{lines: map[string][]line{},
		ended: (ctx.Err() == nil || failed == nil) && allRun.MatchString(said),
		late:  ctx.Err() != nil && failed != nil}
	if failed == nil && !t.ended {
		failed = fmt.Errorf("the process ended without printing PASS or FAIL:\n%s",
			telling(said, 500))
	}
	began := announced.FindAllStringSubmatch(said, -1)
	isParent := func(name string) bool {
		return slices.ContainsFunc(began, func(other []string) bool {
			return strings.HasPrefix(other[1], name+"/")
		})
	}
	for _, m := range unmeasured.FindAllStringSubmatch(said, -1) {
		to := &t.failed
		if isParent(m[2]) { // a benchmark fails if one of its sub-benchmarks does
			to = &t.parents
		} else if m[1] == "SKIP" {
			to = &t.skipped
		}
		*to = append(*to, m[2])
	}
	r := benchfmt.NewReader(strings.NewReader(said), s.binary)
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		name := string(result.Name)
		if result.Iters == 0 { // skipped after the first operation
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
				"does the benchmark print such lines, or do two benchmarks have this name?", name,
				len(lines), repeats))
		}
	}
	if n := len(began); !t.ended && n > 0 && len(t.lines[began[n-1][1]]) < repeats {
		t.stuck = began[n-1][1]
	}
	for _, m := range began {
		name := m[1]
		if !isParent(name) && strings.Count(name, "/") >= strings.Count(pattern, "/") &&
			len(t.lines[name]) == 0 && name != t.stuck && !slices.Contains(t.without(), name) {
			t.unread = append(t.unread, name)
		}
	}
	t.err = errors.Join(failed, r.Err())
	return t
}

// done is the kind of measurement: counted or timed.
func (r *result) missUnmeasured(done, prefix string, both [2]side, ran [2]tally) {
	hint := "does the benchmark print text without a newline?"
	if both[1].skip != "" {
		hint = "does the benchmark print text without a newline, or does -skip leave out all of its " +
			"sub-benchmarks?"
	}
	for i, t := range ran {
		for j, names := range [][]string{t.skipped, t.unread, t.cutOff(ran[1-i])} {
			if len(names) > 0 {
				r.miss([]string{"Skipped by the %s, and not compared: %s.",
					"Not " + done + ", as the %s prints no line of results that can be read (" + hint +
						"): %s.",
					"Not compared, as in the %s a parent benchmark is skipped, fails, or prints no line " +
						"of results that can be read: %s."}[j], both[i].tree, list(prefix, names))
			}
		}
	}
}

func exactly(name string) string {
	return "^Benchmark" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
}
