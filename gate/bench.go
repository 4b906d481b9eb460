package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A line is a result of a benchmark as go test prints it, of an operation.
type line struct {
	n                 int
	ns, allocs, bytes float64
}

// announced is what go test -v prints when a benchmark begins.
var announced = regexp.MustCompile(`(?m)^Benchmark(\S+)$`)

// benchmarks runs benchmarks of a test binary on one CPU, in a folder, and returns the results of
// each by its name, without "Benchmark". A failed benchmark does not keep the results of the others
// from being read. stuck is the one that ran when ctx was over.
//
// There are as many results of each as repeats says. Where there are more, the benchmark has
// printed lines that look like results, and none of them is believed.
func benchmarks(ctx context.Context, binary, dir string, env []string, repeats int,
	args ...string) (found map[string][]line, stuck string, failed error) {
	said, failed := measured(ctx, dir, env, binary, append([]string{"-test.run=^$",
		"-test.cpu=1", "-test.v", fmt.Sprint("-test.count=", repeats)}, args...)...)
	found = map[string][]line{}
	r := benchfmt.NewReader(strings.NewReader(said), binary)
	for r.Scan() {
		result, ok := r.Result().(*benchfmt.Result)
		if !ok {
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
		name := string(result.Name)
		found[name] = append(found[name], l)
	}
	for name, lines := range found {
		if len(lines) > repeats {
			delete(found, name)
			failed = errors.Join(failed, fmt.Errorf("%s: there are %d lines of results, want %d: "+
				"does it print such lines itself?", name, len(lines), repeats))
		}
	}
	if last := announced.FindAllStringSubmatch(said, -1); ctx.Err() != nil && len(last) > 0 {
		if name := last[len(last)-1][1]; len(found[name]) < repeats {
			stuck = name
		}
	}
	return found, stuck, errors.Join(failed, r.Err())
}

// exactly is the pattern that a benchmark and no other matches.
func exactly(name string) string {
	return "^Benchmark" + strings.ReplaceAll(regexp.QuoteMeta(name), "/", "$/^") + "$"
}
