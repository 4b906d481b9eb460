package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A result is what was found out about a project.
type result struct {
	project
	added, deleted int
	tests          [2]string          // amd64 or what this is, and arm64
	before, after  map[string]float64 // ns of each benchmark
}

// ratio returns how many times as fast a benchmark became.
func (r result) ratio(name string) float64 { return r.before[name] / r.after[name] }

// of is the name of the benchmark of a call.
func of(c call, n int) string {
	return fmt.Sprintf("BenchmarkPegasimdAdopt/%s/%d", strings.ReplaceAll(c.name, " ", "_"), n)
}

// patches is the table of what it takes to link.
func patches(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| project | version | lines | tests, %s | tests, arm64 in emulation |\n"+
		"|---|---|---|---|---|\n", native)
	for _, r := range results {
		fmt.Fprintf(&b, "| %s | %s | +%d -%d | %s | %s |\n", r.name, r.version, r.added, r.deleted,
			r.tests[0], r.tests[1])
	}
	return b.String()
}

// speeds is the table of how many times as fast each call became.
func speeds(results []result) string {
	var b strings.Builder
	b.WriteString("| call | before |")
	for _, n := range sizes {
		fmt.Fprintf(&b, " %d |", n)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(sizes)) + "\n")
	for _, r := range results {
		for _, c := range r.calls {
			was := "assembly"
			if c.loop {
				was = "Go"
			}
			fmt.Fprintf(&b, "| %s, %s | %s |", r.name, c.name, was)
			for _, n := range sizes {
				fmt.Fprintf(&b, " %.2f |", r.ratio(of(c, n)))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// theirs is the table of the projects' own benchmarks.
func theirs(results []result) string {
	var b strings.Builder
	for _, r := range results {
		for _, name := range slices.Sorted(maps.Keys(r.before)) {
			if !strings.HasPrefix(name, "BenchmarkPegasimdAdopt/") {
				fmt.Fprintf(&b, "| %s, `%s` | %.2f | %.2f | %.2f |\n", r.name,
					strings.TrimPrefix(name, "Benchmark"), r.before[name]/1e3, r.after[name]/1e3,
					r.ratio(name))
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "| benchmark | before, µs | after, µs | times as fast |\n|---|---|---|---|\n" + b.String()
}
