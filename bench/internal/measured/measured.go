// Package measured holds what make bench finds out and make report draws.
package measured

import (
	"fmt"
	"slices"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
	"github.com/pegasimd/pegasimd/internal/model/proof"
)

// A Report is of one machine.
type Report struct {
	Head    [][2]string
	Paths   []string // slowest first
	Kernels []*Kernel
	Runs    []*Run
}

// A Kernel was timed at sizes that ascend.
type Kernel struct {
	Name  string
	Sizes []Size
}

// A Size holds the medians of a kernel at one length. Limit and OfLimit are 0 for a kernel without
// a limit.
type Size struct {
	N       int
	Level   string    // of the caches
	GBs     []float64 // GB/s on each path
	ToGo    float64   // how many times as fast as plain Go the fastest path is
	Limit   float64   // GB/s of loads and stores alone
	OfLimit float64   // the fastest path's share of that
}

// A Run is the training on one data set, with how it went and how good the model is on rows that it
// has not seen.
type Run struct {
	Name   string
	Rows   int
	Cols   int
	Fill   float64   // share of the values that are not 0
	Config string    // as JSON
	Steps  []float64 // a second, on each path
	Curve  []Point
	Hash   string // of the model
}

// A Point is how good the model would be if the run ended there.
type Point struct {
	Steps     int64
	Objective float64
	Dual      float64 // a lower bound on the optimum
	Seconds   float64
	Accuracy  float64 // on the rows held out
}

// Gap is the most by which the objective is above the optimum, as a share of it; +Inf for not
// known.
func (p Point) Gap() float64 { return proof.Gap(p.Objective, p.Dual) }

// short is the size below which a probe of the limit waits for its call, as a kernel does.
const short = 100

// Summary has medians over the sizes in each level of the caches that has sizes.
func (r *Report) Summary() *frame.Table {
	levels := slices.DeleteFunc([]string{"L1", "L2", "L3", "DRAM"}, func(level string) bool {
		return !slices.ContainsFunc(r.Kernels, func(k *Kernel) bool {
			return slices.ContainsFunc(k.Sizes, func(s Size) bool { return s.Level == level })
		})
	})
	t := &frame.Table{
		Width: frame.Narrow,
		Head:  append([]string{""}, levels...),
		Title: r.Paths[len(r.Paths)-1] +
			": times as fast as plain Go, and percent of the limit of loads and stores",
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

// Training has the speed on each path, and the accuracy on rows held out.
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

// Accuracy returns the accuracy at the end of the run.
func (r *Run) Accuracy() float64 { return r.Curve[len(r.Curve)-1].Accuracy }
