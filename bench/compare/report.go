package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/record"
	"github.com/pegasimd/pegasimd/gate/stats"
)

// A report is what the JSON output has; the Markdown is made from it.
type report struct {
	Head    []string  `json:"head"`
	Tables  []*table  `json:"tables"`
	Targets []verdict `json:"targets"`
}

type table struct {
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Rows    []row    `json:"rows"` // best first, by the geometric mean of the ratios
}

type row struct {
	Name    string    `json:"name"`
	Ns      []float64 `json:"ns"`      // medians
	ToOurs  []float64 `json:"to_ours"` // medians of the rounds' ratios to our time
	ToBest  []float64 `json:"to_best"` // that, over the best of the column
	Geomean float64   `json:"geomean"` // of ToBest
	Spread  []float64 `json:"spread"`  // (upper - lower quartile) / median of ToOurs
	kind    kind
}

func newReport(head []string, cells []*cell) *report {
	r := &report{Head: head}
	for _, c := range cells {
		i := slices.IndexFunc(r.Tables, func(t *table) bool { return t.Title == c.table })
		if i < 0 {
			i = len(r.Tables)
			t := &table{Title: c.table}
			for _, p := range c.contenders {
				t.Rows = append(t.Rows, row{Name: p.name, kind: p.kind})
			}
			r.Tables = append(r.Tables, t)
		}
		r.Tables[i].add(c)
	}
	for _, t := range r.Tables {
		for i := range t.Rows {
			row := &t.Rows[i]
			logs := 0.0
			for _, v := range row.ToBest {
				logs += math.Log(v)
			}
			row.Geomean = round(math.Exp(logs / float64(len(row.ToBest))))
		}
		slices.SortStableFunc(t.Rows,
			func(a, b row) int { return cmp.Compare(a.Geomean, b.Geomean) })
	}
	r.Targets = verdicts(cells)
	return r
}

func (t *table) add(c *cell) {
	t.Columns = append(t.Columns, c.column)
	var toOurs []float64
	for i := range t.Rows {
		rounds := stats.Ratios(c.samples[i], c.samples[0])
		toOurs = append(toOurs, stats.Median(rounds))
		t.Rows[i].Spread = append(t.Rows[i].Spread,
			round((stats.Quantile(rounds, 0.75)-stats.Quantile(rounds, 0.25))/stats.Median(rounds)))
	}
	best := slices.Min(toOurs)
	for i := range t.Rows {
		row := &t.Rows[i]
		row.Ns = append(row.Ns, round(stats.Median(c.samples[i])))
		row.ToOurs = append(row.ToOurs, round(toOurs[i]))
		row.ToBest = append(row.ToBest, round(toOurs[i]/best))
	}
}

// round keeps four digits, for the JSON to be readable.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return r
}

// markdown returns the record.
func (r *report) markdown() string {
	var b strings.Builder
	record.Write(&b, "bench/compare", r.Head)
	for _, t := range r.Tables {
		t.markdown(&b)
	}
	if len(r.Targets) > 0 {
		r.markTargets(&b)
	}
	return b.String()
}

func (t *table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n", t.Title)
	b.WriteString("Nanoseconds, and in brackets how many times as long as the best.\n\n")
	fmt.Fprintf(b, "| | %s |\n", strings.Join(t.Columns, " | "))
	fmt.Fprintf(b, "|:--%s|\n", strings.Repeat("|--:", len(t.Columns)))
	for _, row := range t.Rows {
		fmt.Fprintf(b, "| %s ", record.Name(row.Name, row.kind == ours))
		for i, ns := range row.Ns {
			fmt.Fprintf(b, "| %s (%.2f) ", short(ns), row.ToBest[i])
		}
		b.WriteString("|\n")
	}
}

func (r *report) markTargets(b *strings.Builder) {
	b.WriteString("\n### Targets\n\n")
	b.WriteString("Our time over the peer's: " +
		"the median of the rounds' ratios, and their quartiles.\n\n")
	b.WriteString("| | at | against | target | reached | quartiles | |\n")
	b.WriteString("|:--|:--|:--|--:|--:|:--|:--|\n")
	met := 0
	for _, v := range r.Targets {
		fmt.Fprintf(b, "| %s | %s | %s | %.2f | %.2f | %.2f - %.2f | %s |\n",
			v.Op, v.At, v.Against, v.Target, v.Reached, v.Lower, v.Upper, v.Verdict)
		if v.Reached <= v.Target {
			met++
		}
	}
	fmt.Fprintf(b, "\n%d of %d met.\n", met, len(r.Targets))
}

// short writes a time with three digits and a unit where nanoseconds would be long.
func short(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e4:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns >= 1000:
		return fmt.Sprintf("%.0f", ns)
	}
	return fmt.Sprintf("%.3g", ns)
}
