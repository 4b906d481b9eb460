package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/pegasimd/pegasimd/gate/stats"
)

// Results are what make bench has measured, as medians.
type results struct {
	head  [][2]string
	cells map[key]*cell
	ops   []string // in order
	isas  []string // weakest first
	sets  []string // of training
}

type key struct {
	op  string
	n   int
	isa string
}

type cell struct {
	level  string
	values map[string][]float64 // by unit
}

// of is the median of what was measured in a unit, or NaN.
func (c *cell) of(unit string) float64 {
	if c == nil {
		return math.NaN()
	}
	return stats.Median(c.values[unit])
}

// shown are the lines of the head that the page shows.
var shown = []string{"cpu", "caches", "core", "go", "paths", "counters", "limit", "training",
	"verified", "date", "commit"}

func readResults(file string) (*results, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &results{cells: map[key]*cell{}}
	config := map[string]string{}
	in := benchfmt.NewReader(f, file)
	for in.Scan() {
		switch result := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, result
		case *benchfmt.Result:
			for _, c := range result.Config {
				config[c.Key] = string(c.Value)
			}
			if err := r.add(result); err != nil {
				return nil, err
			}
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if len(r.cells) == 0 {
		return nil, fmt.Errorf("%s has no benchmarks", file)
	}
	for _, name := range shown {
		if config[name] != "" {
			r.head = append(r.head, [2]string{name, config[name]})
		}
	}
	return r, nil
}

// add takes in one line of measurements.
func (r *results) add(result *benchfmt.Result) error {
	keys := nameKeys(result.Name)
	n, err := strconv.Atoi(keys["n"])
	if err != nil || keys["op"] == "" || keys["isa"] == "" {
		file, line := result.Pos()
		return fmt.Errorf("%s:%d: %s: want op=, n= and isa=", file, line, result.Name)
	}
	k := key{keys["op"], n, keys["isa"]}
	c := r.cells[k]
	if c == nil {
		c = &cell{level: keys["level"], values: map[string][]float64{}}
		r.cells[k] = c
	}
	for _, v := range result.Values {
		unit, value := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, value = v.OrigUnit, v.OrigValue
		}
		c.values[unit] = append(c.values[unit], value)
	}
	appendNew(&r.isas, k.isa)
	if set, ok := strings.CutPrefix(k.op, "train-"); ok {
		appendNew(&r.sets, set)
	} else if !strings.HasPrefix(k.op, "prefetch") { // which moves nothing itself
		appendNew(&r.ops, k.op)
	}
	return nil
}

// nameKeys reads the parts of a benchmark's name that are key=value.
func nameKeys(name benchfmt.Name) map[string]string {
	keys := map[string]string{}
	_, parts := name.Parts()
	for _, part := range parts {
		if name, value, ok := strings.Cut(strings.TrimPrefix(string(part), "/"), "="); ok {
			keys[name] = value
		}
	}
	return keys
}

func appendNew(list *[]string, s string) {
	if !slices.Contains(*list, s) {
		*list = append(*list, s)
	}
}

// sizes are the n of an operation, ascending.
func (r *results) sizes(op string) (all []int) {
	for k := range r.cells {
		if k.op == op && k.isa == r.isas[0] {
			all = append(all, k.n)
		}
	}
	slices.Sort(all)
	return all
}

// best is the strongest path.
func (r *results) best() string { return r.isas[len(r.isas)-1] }

// A path has the same style in all figures.
func pathClass(isa string) string {
	switch isa {
	case "generic":
		return "s2"
	case "avx2", "neon":
		return "s1"
	case "avx512":
		return "s3"
	case "avx512x256":
		return "s4"
	}
	return "s5" // a path that came later
}

func (r *results) legend() (all []legend) {
	for _, isa := range r.isas {
		all = append(all, legend{pathClass(isa), isa})
	}
	return append(all, legend{"limit", "limit of loads and stores"})
}

// figures draws the speed of each kernel over the size.
func (r *results) figures() (all []*figure) {
	for _, op := range r.ops {
		if strings.HasSuffix(op, "-misaligned") {
			continue
		}
		var lines []series
		sizes := r.sizes(op)
		limit := series{class: "limit", name: "limit"}
		for _, isa := range r.isas {
			s := series{class: pathClass(isa), name: isa}
			for _, n := range sizes {
				c := r.cells[key{op, n, isa}]
				s.add(float64(n), c.of("MB/s")/1e3)
				if isa == r.best() {
					limit.add(float64(n), c.of("limit-MB/s")/1e3)
				}
			}
			lines = append(lines, s)
		}
		lines = append(lines, limit)
		for i := range lines {
			lines[i].title = func(x, y float64) string {
				return fmt.Sprintf("n = %.0f, %.3g GB/s", x, y)
			}
		}
		f := draw("kernel-"+op, op, axis{label: "n", log: true, format: short},
			axis{label: "GB/s", log: true, format: short}, lines)
		f.levels(r, op, sizes)
		all = append(all, f)
	}
	return all
}

// levels marks which sizes are in which level of the caches.
func (f *figure) levels(r *results, op string, sizes []int) {
	from := float64(marginLeft)
	for i, n := range sizes {
		level := r.cells[key{op, n, r.isas[0]}].level
		to := float64(width - marginRight)
		if i+1 < len(sizes) {
			if r.cells[key{op, sizes[i+1], r.isas[0]}].level == level {
				continue
			}
			to = f.bandsAt(math.Sqrt(float64(n) * float64(sizes[i+1])))
		}
		f.Bands = append(f.Bands, band{From: from, Width: round(to - from),
			Middle: round((from + to) / 2), Name: level, Odd: len(f.Bands)%2 == 1})
		from = to
	}
}

// A summary is a table of the strongest path: kernels by levels.
type summary struct {
	Path   string
	Levels []string
	Rows   []summaryRow
}

type summaryRow struct {
	Op    string
	Cells [][2]string // ratio to plain Go, percent of the limit
}

func (r *results) summary() summary {
	s := summary{Path: r.best(), Levels: []string{"L1", "L2", "L3", "DRAM"}}
	for _, op := range r.ops {
		row := summaryRow{Op: op}
		for _, level := range s.Levels {
			var ratios, limits cell
			ratios.values, limits.values = map[string][]float64{}, map[string][]float64{}
			for _, n := range r.sizes(op) {
				c := r.cells[key{op, n, r.best()}]
				if c == nil || c.level != level {
					continue
				}
				ratios.values[""] = append(ratios.values[""], c.of("x-generic"))
				// below n = 100 a probe waits for its call, as a kernel does
				if v := c.of("%limit"); !math.IsNaN(v) && n >= 100 {
					limits.values[""] = append(limits.values[""], v)
				}
			}
			var text [2]string
			if v := ratios.of(""); v == v {
				text[0] = fmt.Sprintf("%.1f×", v)
			}
			if v := limits.of(""); v == v {
				text[1] = fmt.Sprintf("%.0f\u00a0%%", v)
			}
			row.Cells = append(row.Cells, text)
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// A trainingTable has the steps a second of each data set in each path.
type trainingTable struct {
	Paths []string
	Rows  []trainingRow
}

type trainingRow struct {
	Set   string
	Rows  int
	Cells []string
	Ratio string
}

func (r *results) training() trainingTable {
	t := trainingTable{Paths: r.isas}
	for _, set := range r.sets {
		for _, n := range r.sizes("train-" + set) {
			row := trainingRow{Set: set, Rows: n}
			for _, isa := range r.isas {
				row.Cells = append(row.Cells,
					short(r.cells[key{"train-" + set, n, isa}].of("steps/s")))
			}
			row.Ratio = fmt.Sprintf("%.1f×",
				r.cells[key{"train-" + set, n, r.best()}].of("x-generic"))
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
