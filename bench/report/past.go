package main

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/gate/history"
	"github.com/pegasimd/pegasimd/internal/app/chart"
)

// readHistory returns a figure per CPU. dir need not exist.
func readHistory(dir string) (all []*chart.Figure, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	byCPU := map[string][]*history.Run{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		runs, err := history.Read(file, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			byCPU[r.CPU] = append(byCPU[r.CPU], r)
		}
	}
	for _, cpu := range slices.Sorted(maps.Keys(byCPU)) {
		runs := byCPU[cpu]
		slices.SortStableFunc(runs, func(a, b *history.Run) int { return a.Time.Compare(b.Time) })
		f := &chart.Figure{ID: fmt.Sprint("history-", len(all)+1), Title: "all benchmarks", Note: cpu,
			Lines: trends(runs), X: chart.Axis{Label: "commit"},
			Y: chart.Axis{Label: "percent of a line's first run", Format: chart.Short}}
		for i := 0; i < len(runs); i += (len(runs) + 4) / 5 {
			f.X.Marks = append(f.X.Marks, chart.Tick{Value: float64(i),
				Label: fmt.Sprintf("%.7s", runs[i].Commit)})
		}
		all = append(all, f)
	}
	return all, nil
}

func trends(runs []*history.Run) (all []chart.Series) {
	add := func(s chart.Style, name, unit, part string) {
		if xys := chain(runs, unit, part); xys != nil {
			all = append(all, chart.Series{Style: s, Name: name, Points: xys})
		}
	}
	for _, path := range []string{"generic", "avx2", "avx512x256", "avx512", "neon",
		"neondot"} {
		add(pathStyle(path), "instructions, "+path, "insn/call", "isa="+path)
	}
	add(chart.Lines[0], "instructions", "insn/op", "")
	add(chart.Lines[5], "time", "ns/op", "")
	add(chart.Lines[3], "bytes of code", "text-bytes", "all functions/")
	return all
}

// chain returns the geometric mean of the runs' values with the given unit, in percent of the first
// run. It uses benchmarks whose names begin or end with part, and leaves out runs without such
// values. Consecutive points are compared by the benchmarks that both have, so that a new benchmark
// causes no step.
func chain(runs []*history.Run, unit, part string) (points []chart.Point) {
	last, level := &history.Run{}, 100.0
	for i, r := range runs {
		sum, n, any := 0.0, 0., false
		for name, units := range r.Values {
			has := strings.HasSuffix(name, part) || strings.HasPrefix(name, part)
			if v := units[unit]; v > 0 && has {
				any = true
				if before := last.Values[name][unit]; before > 0 {
					sum, n = sum+math.Log(v/before), n+1
				}
			}
		}
		if any {
			level *= math.Exp(sum / max(n, 1))
			points, last = append(points, chart.Point{X: float64(i), Y: level}), r
		}
	}
	return points
}
