package main

import (
	"fmt"
	"math"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/internal/visible"
)

// inspectData prints what a data file has.
func inspectData(c *call, f *inspectFlags, name string, out *output) error {
	set, loading, err := c.reader(f.data).read(name, nil)
	if err != nil {
		return err
	}
	defer set.Close()
	r := inspectReport{
		Rows: set.Rows(), Features: set.Cols(), NNZ: set.NNZ(), Layout: string(set.Layout()),
		IndexBase: set.IndexBase, HashBits: set.HashBits, Mapped: set.Mapped(),
		Seconds: loading.Seconds(),
	}
	if cells := float64(r.Rows) * float64(r.Features); cells > 0 {
		r.Fill = float64(r.NNZ) / cells
	}
	r.countLabels(set)
	r.measureRows(set)
	if warning := numbered(set); warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	if err := set.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := out.writeJSON(r); err != nil || out.toStdout() {
		return err
	}
	r.print(c)
	return nil
}

func (r *inspectReport) countLabels(set *dataset.Set) {
	labels, rows := labelCounts(set)
	if r.Distinct = len(labels); r.Distinct > 1000 {
		return
	}
	for i, y := range labels {
		r.Labels = append(r.Labels, labelCount{labelName(set, y), rows[i]})
	}
}

func (r *inspectReport) measureRows(set *dataset.Set) {
	x := set.Examples()
	smallest := math.Inf(1)
	for i := range set.Rows() {
		s := float64(x.SumSquares(i))
		if s == 0 {
			r.ZeroRows++
		}
		smallest = min(smallest, s)
		r.NormMax = max(r.NormMax, s)
		r.R2 += s
	}
	if r.Rows > 0 {
		r.NormMin = math.Sqrt(smallest)
		r.R2 /= float64(r.Rows)
	}
	// Squares that are too large for float32 say so by being infinite, which JSON does not have.
	r.NormMax = min(math.Sqrt(r.NormMax), math.MaxFloat64)
	r.NormMin, r.R2 = min(r.NormMin, math.MaxFloat64), min(r.R2, math.MaxFloat64)
}

func (r *inspectReport) print(c *call) {
	w := c.stdout
	fmt.Fprintf(w, "%s, %s", count(r.Rows, "row"),
		describeFeatures(r.Features, r.IndexBase, r.HashBits))
	fmt.Fprintf(w, "\n%s (%.4g %%), %s layout", count(r.NNZ, "nonzero"), 100*r.Fill, r.Layout)
	if r.Mapped {
		fmt.Fprintf(w, ", mapped")
	}
	fmt.Fprintf(w, "\nrow norms %.6g to %.6g, mean |x|^2 %.6g", r.NormMin, r.NormMax, r.R2)
	if r.ZeroRows > 0 {
		fmt.Fprintf(w, ", %s of zeros", count(r.ZeroRows, "row"))
	}
	fmt.Fprintln(w)
	if len(r.Labels) == 0 || len(r.Labels) > 40 {
		fmt.Fprintf(w, "%s\n", count(r.Distinct, "distinct label"))
	} else {
		for _, l := range r.Labels {
			fmt.Fprintf(w, "label %s: %s\n", visible.Name(l.Label), count(l.Rows, "row"))
		}
	}
	for _, warning := range r.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
}
