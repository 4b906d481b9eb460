package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
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
		slices.SortStableFunc(t.Rows, func(a, b row) int {
			if a.Geomean < b.Geomean {
				return -1
			}
			return 1
		})
	}
	r.Targets = verdicts(cells)
	return r
}

func (t *table) add(c *cell) {
	t.Columns = append(t.Columns, c.column)
	var toOurs []float64
	for i := range t.Rows {
		rounds := ratios(c.samples[i], c.samples[0])
		toOurs = append(toOurs, median(rounds))
		t.Rows[i].Spread = append(t.Rows[i].Spread, round((quantile(rounds, 0.75)-quantile(rounds, 0.25))/median(rounds)))
	}
	best := slices.Min(toOurs)
	for i := range t.Rows {
		row := &t.Rows[i]
		row.Ns = append(row.Ns, round(median(c.samples[i])))
		row.ToOurs = append(row.ToOurs, round(toOurs[i]))
		row.ToBest = append(row.ToBest, round(toOurs[i]/best))
	}
}

// round keeps four digits, for the JSON to be readable.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	return r
}

func (r *report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

func (r *report) markdown(w io.Writer) error {
	var b strings.Builder
	for _, line := range r.Head {
		fmt.Fprintf(&b, "* %s\n", line)
	}
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "\n### %s\n\nNanoseconds, and in brackets how many times as long as the best.\n\n", t.Title)
		fmt.Fprintf(&b, "| | %s |\n|:--%s|\n", strings.Join(t.Columns, " | "), strings.Repeat("|--:", len(t.Columns)))
		for _, row := range t.Rows {
			name := row.Name
			if row.kind == ours {
				name = "**" + name + "**"
			}
			fmt.Fprintf(&b, "| %s ", name)
			for i, ns := range row.Ns {
				fmt.Fprintf(&b, "| %s (%.2f) ", short(ns), row.ToBest[i])
			}
			b.WriteString("|\n")
		}
	}
	if len(r.Targets) > 0 {
		b.WriteString("\n### Targets\n\nOur time over the peer's: the median of the rounds' ratios, and their quartiles.\n\n")
		b.WriteString("| | at | against | target | reached | quartiles | |\n|:--|:--|:--|--:|--:|:--|:--|\n")
		met := 0
		for _, v := range r.Targets {
			fmt.Fprintf(&b, "| %s | %s | %s | %.2f | %.2f | %.2f - %.2f | %s |\n", v.Op, v.At, v.Against, v.Target, v.Reached, v.Lower, v.Upper, v.Verdict)
			if v.Reached <= v.Target {
				met++
			}
		}
		fmt.Fprintf(&b, "\n%d of %d met.\n", met, len(r.Targets))
	}
	_, err := io.WriteString(w, b.String())
	return err
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
