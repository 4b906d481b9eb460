package main

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// A line is a result of a benchmark as go test prints it.
type line struct {
	name   string // without "Benchmark"
	n      int
	values map[string]float64 // by unit
}

var resultLine = regexp.MustCompile(`(?m)^(Benchmark\S*)\s+(\d+)\s+(\S+ ns/op.*)$`)

// benchmarks runs benchmarks of a test binary on one CPU, in a folder. What they complain of does
// not keep the results of the others from being read.
func benchmarks(ctx context.Context, binary, dir string, env []string, args ...string) (
	all []line, failed error) {
	stdout, _, failed := measured(ctx, dir, env, binary,
		append([]string{"-test.run=^$", "-test.cpu=1"}, args...)...)
	for _, m := range resultLine.FindAllStringSubmatch(stdout, -1) {
		l := line{name: short(m[1]), values: map[string]float64{}}
		l.n, _ = strconv.Atoi(m[2])
		words := strings.Fields(m[3])
		for i := 0; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				l.values[words[i+1]] = v
			}
		}
		all = append(all, l)
	}
	return all, failed
}

// exactly is the pattern that a benchmark and no other matches.
func exactly(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	parts[0] = "^Benchmark" + strings.TrimPrefix(parts[0], "^")
	return strings.Join(parts, "/")
}
