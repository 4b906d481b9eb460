// Package measured reads and writes the results of make bench.
package measured

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

type Report struct {
	Head    [][2]string
	Paths   []string // in the order of bench.txt, slowest first
	Kernels []*Kernel
	Runs    []*Run
}

type Kernel struct {
	Name  string
	Sizes []Size
}

// A Size holds medians at one length. Limit and OfLimit are 0 if the limit was not measured.
type Size struct {
	N       int
	Level   string    // as cpu.Caches.Level names it
	GBs     []float64 // GB/s on each path
	ToGo    float64   // fastest path relative to plain Go
	Limit   float64   // GB/s of loads and stores alone
	OfLimit float64   // the fastest path's share of Limit
}

// A Run is the training on one data set.
type Run struct {
	Name  string
	Rows  int
	Steps []float64 // per second on each path
	Curve []Point
}

type Point struct {
	Run       string
	Steps     int64
	Objective float64
	Dual      float64 // lower bound on the optimum
	Seconds   float64
	Accuracy  float64 // on the rows held out
}

func (p Point) Gap() float64 { return proof.Gap(p.Objective, p.Dual) }

func WritePoints(dir string, points []Point) error {
	lines := [][]string{{"run", "steps", "objective", "dual", "seconds", "accuracy"}}
	for _, p := range points {
		lines = append(lines, strings.Fields(fmt.Sprintln(p.Run, p.Steps, p.Objective, p.Dual, p.Seconds,
			p.Accuracy)))
	}
	return frame.WriteLines(filepath.Join(dir, "curves.csv"), lines)
}

func Read(dir string) (*Report, error) {
	name := filepath.Join(dir, "bench.txt")
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%w: make bench writes this file", err)
	}
	defer f.Close()
	report := &Report{}
	values := map[string][]float64{} // samples by name, path and unit
	var names []string               // without the code path
	for r := benchfmt.NewReader(f, name); r.Scan(); {
		switch result := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, result
		case *benchfmt.Result:
			cell, path, _ := strings.Cut(string(result.Name), "/isa=")
			if !slices.Contains(report.Paths, path) {
				report.Paths = append(report.Paths, path)
			}
			if len(names) == 0 {
				for _, c := range result.Config {
					report.Head = append(report.Head, [2]string{c.Key, string(c.Value)})
				}
			}
			if len(names) == 0 || names[len(names)-1] != cell {
				names = append(names, cell)
			}
			for _, v := range result.Values {
				key := cell + path + v.Unit
				values[key] = append(values[key], v.Value)
			}
		}
	}
	for _, cell := range names {
		keys := map[string]string{}
		for _, part := range strings.Split(cell, "/") {
			key, value, _ := strings.Cut(part, "=")
			keys[key] = value
		}
		n, _ := strconv.Atoi(keys["n"])
		if set, ok := strings.CutPrefix(keys["op"], "train-"); ok {
			run := &Run{Name: set, Rows: n}
			for _, path := range report.Paths {
				run.Steps = append(run.Steps, frame.Quantile(values[cell+path+"steps/s"], .5))
			}
			report.Runs = append(report.Runs, run)
			continue
		}
		if strings.HasSuffix(keys["op"], "-misaligned") || keys["op"] == "prefetch" { // not shown
			continue
		}
		size := Size{N: n, Level: keys["level"]}
		for _, path := range report.Paths {
			size.GBs = append(size.GBs, frame.Quantile(values[cell+path+"B/s"], .5)/1e9)
		}
		best := report.Paths[len(report.Paths)-1]
		size.ToGo, _, _ = frame.Race{values[cell+best+"B/s"],
			values[cell+report.Paths[0]+"B/s"]}.Ratio(0, 1)
		if limits := values[cell+best+"%limit"]; limits != nil {
			size.OfLimit = frame.Quantile(limits, .5) / 100
			size.Limit = size.GBs[len(size.GBs)-1] / size.OfLimit
		}
		if last := len(report.Kernels) - 1; last < 0 || report.Kernels[last].Name != keys["op"] {
			report.Kernels = append(report.Kernels, &Kernel{Name: keys["op"]})
		}
		k := report.Kernels[len(report.Kernels)-1]
		k.Sizes = append(k.Sizes, size)
	}
	return report, report.readPoints(filepath.Join(dir, "curves.csv"))
}

func (r *Report) readPoints(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := frame.ReadLines(f)
	if err != nil {
		return err
	}
	for _, line := range lines {
		var p Point
		_, err := fmt.Sscan(strings.Join(line, " "), &p.Run, &p.Steps, &p.Objective, &p.Dual, &p.Seconds,
			&p.Accuracy)
		if err != nil {
			return fmt.Errorf("%s: %q: %w", name, line, err)
		}
		for _, run := range r.Runs {
			if run.Name == p.Run {
				run.Curve = append(run.Curve, p)
			}
		}
	}
	return nil
}

// Below the length short, the costs of calls dominate OfLimit.
const short = 100

func (r *Report) Summary() *frame.Table {
	levels := slices.DeleteFunc([]string{"L1", "L2", "L3", "DRAM"}, func(level string) bool {
		return !slices.ContainsFunc(r.Kernels, func(k *Kernel) bool {
			return slices.ContainsFunc(k.Sizes, func(s Size) bool { return s.Level == level })
		})
	})
	t := &frame.Table{Head: append([]string{""}, levels...)}
	if len(r.Paths) > 0 {
		t.Title = r.Paths[len(r.Paths)-1] +
			": times as fast as plain Go, and percent of the limit of loads and stores"
	}
	for _, k := range r.Kernels {
		row := []any{k.Name}
		for _, level := range levels {
			var ratios, limits []float64
			for _, s := range k.Sizes {
				if s.Level != level {
					continue
				}
				ratios = append(ratios, s.ToGo)
				if s.OfLimit > 0 && s.N >= short {
					limits = append(limits, 100*s.OfLimit)
				}
			}
			text := ""
			if ratios != nil {
				text = fmt.Sprintf("%.1fx", frame.Quantile(ratios, .5))
			}
			if limits != nil {
				text += fmt.Sprintf(" %3.0f %%", frame.Quantile(limits, .5))
			}
			row = append(row, text)
		}
		t.Add(row...)
	}
	return t
}

func (r *Report) Training() *frame.Table {
	t := &frame.Table{Title: "Training on one thread: millions of steps a second",
		Head: append(append([]string{"", "rows"}, r.Paths...), "accuracy")}
	for _, run := range r.Runs {
		row := []any{run.Name, run.Rows}
		for _, v := range run.Steps {
			row = append(row, fmt.Sprintf("%.2f", v/1e6))
		}
		t.Add(append(row, fmt.Sprintf("%.2f %%", 100*run.Accuracy()))...)
	}
	return t
}

func (r *Run) Accuracy() float64 { return r.Curve[len(r.Curve)-1].Accuracy }
