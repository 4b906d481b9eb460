package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/gate/history"
)

// historyOf is what the gate has seen on one CPU.
type historyOf struct {
	CPU    string
	Figure *figure
	Lines  []legend
}

// histories draws the runs of each CPU in the order of time. Each line is a mean over the
// benchmarks, in percent of the first run.
func histories(runs []*history.Run) (all []historyOf) {
	byCPU := map[string][]*history.Run{}
	for _, r := range runs {
		byCPU[r.CPU] = append(byCPU[r.CPU], r)
	}
	for i, cpu := range slices.Sorted(maps.Keys(byCPU)) {
		runs := byCPU[cpu]
		slices.SortStableFunc(runs, func(a, b *history.Run) int { return a.Time.Compare(b.Time) })
		var lines []series
		h := historyOf{CPU: cpu}
		for _, l := range kinds(runs) {
			y := chain(runs, l.unit, l.part)
			if y == nil {
				continue
			}
			s := series{class: l.class, name: l.name, y: y, title: func(x, y float64) string {
				r := runs[int(x)]
				return fmt.Sprintf("%.2f %% at %.10s, %s", y, r.Commit, r.Time.Format("2006-01-02"))
			}}
			for i := range runs {
				s.x = append(s.x, float64(i))
			}
			lines = append(lines, s)
			h.Lines = append(h.Lines, legend{l.class, l.name})
		}
		if lines == nil {
			continue
		}
		x := axis{label: "commit"}
		every := (len(runs) + 4) / 5
		for i := 0; i < len(runs); i += every {
			x.ticks = append(x.ticks, tick{float64(i), fmt.Sprintf("%.7s", runs[i].Commit)})
		}
		h.Figure = draw(fmt.Sprint("history-", i+1), "all benchmarks", x,
			axis{label: "percent of the first run", format: short}, lines)
		all = append(all, h)
	}
	return all
}

// A kind is a unit, of the benchmarks whose names have part in them.
type kind struct{ class, name, unit, part string }

// kinds lists the lines of a history: instructions of each path that any benchmark names, or of
// all; time; and code.
func kinds(runs []*history.Run) (all []kind) {
	paths := map[string]bool{}
	units := map[string]bool{}
	for _, r := range runs {
		for name, values := range r.Values {
			_, path, found := strings.Cut(name, "isa=")
			for unit := range values {
				units[unit] = true
				if found && unit == "insn/call" {
					paths[path] = true
				}
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		all = append(all, kind{pathClass(path), "instructions, " + path, "insn/call",
			"isa=" + path})
	}
	for _, unit := range []string{"insn/call", "insn/op"} {
		if units[unit] && len(paths) == 0 {
			all = append(all, kind{"s1", "instructions", unit, ""})
		}
	}
	return append(all, kind{"s3", "time", "ns/op", ""},
		kind{"s4", "bytes of code", "text-bytes", "all functions/"})
}

// chain follows the benchmarks of a unit whose names have part in them. Two runs are compared by
// those that both have, so that a new benchmark makes no step. Runs without any have NaN; if none
// has, the result is nil.
func chain(runs []*history.Run, unit, part string) []float64 {
	var y []float64
	var last *history.Run
	level := 100.0
	for _, r := range runs {
		sum, n, any := 0.0, 0, false
		for name, units := range r.Values {
			v, ok := units[unit]
			if !ok || !strings.Contains(name, part) {
				continue
			}
			any = true
			if last != nil && last.Values[name][unit] > 0 && v > 0 {
				sum += math.Log(v / last.Values[name][unit])
				n++
			}
		}
		if !any {
			y = append(y, math.NaN())
			continue
		}
		if n > 0 {
			level *= math.Exp(sum / float64(n))
		}
		y, last = append(y, level), r
	}
	if last == nil {
		return nil
	}
	return y
}
