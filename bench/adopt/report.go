package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
)

type result struct {
	project
	tests         [2]string          // on this machine and on arm64
	before, after map[string]float64 // seconds per operation, by benchmark
}

func (r result) ratio(name string) string {
	return fmt.Sprintf("%.2f", r.before[name]/r.after[name])
}

const oursInTheirs = "PegasimdAdopt/"

func patches(results []result) *frame.Table {
	t := &frame.Table{Title: "Patches and the projects' own tests", Head: []string{"project",
		"version", "lines", "tests, " + native, "tests, arm64 in emulation"}}
	for _, r := range results {
		added, deleted := r.lines()
		t.Add(r.Name, r.Version, fmt.Sprintf("+%d -%d", added, deleted), r.tests[0], r.tests[1])
	}
	return t
}

func speeds(results []result) *frame.Table {
	t := &frame.Table{Title: "Times as fast with the patch, by elements",
		Head: []string{"call", "before"}}
	for _, n := range sizes {
		t.Head = append(t.Head, fmt.Sprint(n))
	}
	for _, r := range results {
		for _, c := range r.Calls {
			row := []any{r.Name + ", " + c.Name, "assembly"}
			if c.Loop {
				row[1] = "Go"
			}
			for _, n := range sizes {
				row = append(row, r.ratio(fmt.Sprintf("%s%s/%d", oursInTheirs,
					strings.ReplaceAll(c.Name, " ", "_"), n)))
			}
			t.Add(row...)
		}
	}
	return t
}

func theirs(results []result) *frame.Table {
	t := &frame.Table{Title: "The projects' own benchmarks",
		Head: []string{"benchmark", "before", "after", "times as fast"}}
	for _, r := range results {
		for _, name := range slices.Sorted(maps.Keys(r.before)) {
			if !strings.HasPrefix(name, oursInTheirs) {
				t.Add(r.Name+", "+name, frame.Short(r.before[name]), frame.Short(r.after[name]),
					r.ratio(name))
			}
		}
	}
	return t
}
