package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/record"
)

// A report is what -json writes; the Markdown is made from it.
type report struct {
	Head    []string     `json:"head"`
	Tables  []*table     `json:"tables"`
	Many    []*manyTable `json:"many_classes"`
	Targets []verdict    `json:"targets"`
}

// A table is that of a problem of two classes.
type table struct {
	Set      string        `json:"set"`
	Heading  string        `json:"heading"`
	Lambda   float64       `json:"lambda"`
	Optimum  record.Number `json:"optimum"`
	Gap      record.Number `json:"gap"`
	Accuracy record.Number `json:"accuracy"`
	Factor   record.Number `json:"liblinear_here_over_there"` // see absent.go
	Other    string        `json:"other,omitempty"`
	Rows     []row         `json:"rows"`
	Left     []string      `json:"left_out,omitempty"`
}

// A row is a contender's.
type row struct {
	Name     string          `json:"name"`
	Ours     bool            `json:"ours,omitempty"`
	Scaled   bool            `json:"scaled,omitempty"` // from another machine
	Seconds  []float64       `json:"-"`                // to the five targets
	Times    []record.Number `json:"seconds"`
	Best     float64         `json:"best_over_optimum"`
	Accuracy float64         `json:"accuracy"`
	Speed    float64         `json:"-"`
	Steps    record.Number   `json:"steps_per_second"`
	Points   []point         `json:"points,omitempty"`
}

func (p *problem) table() *table {
	o := p.optimum
	t := &table{
		Set: p.set.name, Heading: p.set.heading(), Lambda: p.lambda,
		Optimum: record.Number(o.upper), Gap: record.Number(o.gap()),
		Accuracy: record.Number(o.accuracy),
	}
	for _, c := range p.contenders {
		if c.left != "" {
			t.Left = append(t.Left, c.name+": "+c.left)
			continue
		}
		r := row{Name: c.name, Ours: c.ours, Best: c.best() / o.upper, Speed: c.stepsPerSecond(),
			Points: c.points}
		r.Accuracy = c.points[len(c.points)-1].accuracy()
		for _, above := range targetsAbove {
			s, _ := c.toObjective(o, above*o.upper, (*point).cpu)
			r.Seconds = append(r.Seconds, s)
		}
		for _, below := range targetsBelow {
			s, _ := c.toAccuracy(o.accuracy - below)
			r.Seconds = append(r.Seconds, s)
		}
		t.Rows = append(t.Rows, r)
	}
	added, factor, other := scaled(p, t.Rows)
	t.Rows, t.Factor, t.Other = append(t.Rows, added...), record.Number(factor), other
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Steps = record.Number(r.Speed)
		for _, s := range r.Seconds {
			r.Times = append(r.Times, record.Number(s))
		}
	}
	return t
}

// fastest returns the row of ours or of the peers with the least time to a target, or nil if none
// got there.
func (t *table) fastest(ours bool, target int) (best *row) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if s := r.Seconds[target]; r.Ours == ours && !math.IsNaN(s) &&
			(best == nil || s < best.Seconds[target]) {
			best = r
		}
	}
	return best
}

// quickest returns the row with the most steps a second.
func (t *table) quickest(choose func(*row) bool) (best *row) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if choose(r) && r.Speed > 0 && (best == nil || r.Speed > best.Speed) {
			best = r
		}
	}
	return best
}

func (t *table) row(name string) *row {
	for i := range t.Rows {
		if t.Rows[i].Name == name {
			return &t.Rows[i]
		}
	}
	return nil
}

// markdown returns the record.
func (r *report) markdown() string {
	var b strings.Builder
	record.Write(&b, "bench/trainers", r.Head)
	for _, t := range r.Tables {
		t.markdown(&b)
	}
	for _, t := range r.Many {
		t.markdown(&b)
	}
	markTargets(&b, r.Targets)
	return b.String()
}

func (t *table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s, lambda %g\n\n", t.Heading, t.Lambda)
	fmt.Fprintf(b, "The optimum f* is %.6f, with a proven relative gap of %.0e; "+
		"test accuracy there %.2f %%. CPU seconds of training, one thread.\n",
		t.Optimum, t.Gap, t.Accuracy)
	if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Scaled }) {
		fmt.Fprintf(b, "A ~ marks a guess: what was measured elsewhere on a Zen 4, times %.2f, "+
			"by which liblinear is slower here", t.Factor)
		if t.Other != "" {
			b.WriteString("; it was " + t.Other)
		}
		b.WriteString(".\n")
	}
	b.WriteString("\n| | to 1.10 f* | to 1.01 f* | to 1.001 f* " +
		"| to accuracy -0.5 | to accuracy -0.1 " +
		"| best f/f* | accuracy at the end | M steps/s |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, ours := range []bool{true, false} {
		for _, r := range t.Rows {
			if r.Ours != ours {
				continue
			}
			fmt.Fprintf(b, "| %s ", record.Name(r.Name, ours))
			for _, s := range r.Seconds {
				fmt.Fprintf(b, "| %s ", seconds(s, tilde(&r)))
			}
			fmt.Fprintf(b, "| %.4f | %.2f | %s |\n", r.Best, r.Accuracy,
				million(r.Speed, tilde(&r)))
		}
	}
	first := t.row(settings[0].name)
	t.ratios(b, "best peer / Pegasimd", func(int) *row { return first }, first)
	t.ratios(b, "best peer / best Pegasimd",
		func(target int) *row { return t.fastest(true, target) },
		t.quickest(func(r *row) bool { return r.Ours }))
	for _, l := range t.Left {
		fmt.Fprintf(b, "\nLeft out: %s\n", l)
	}
}

// ratios writes how many times as long the best peer takes. In the last column it is our speed over
// its.
func (t *table) ratios(b *strings.Builder, name string, ours func(target int) *row, quickest *row) {
	fmt.Fprintf(b, "| *%s* ", name)
	for target := range len(targetsAbove) + len(targetsBelow) {
		peer, our := t.fastest(false, target), ours(target)
		switch {
		case our == nil || math.IsNaN(our.Seconds[target]):
			b.WriteString("| - ")
		case peer == nil:
			b.WriteString("| alone ")
		default:
			fmt.Fprintf(b, "| %.2f ", peer.Seconds[target]/our.Seconds[target])
		}
	}
	b.WriteString("| | | ")
	if peer := t.quickest(func(r *row) bool { return !r.Ours }); peer != nil && quickest != nil {
		fmt.Fprintf(b, "%.2f ", quickest.Speed/peer.Speed)
	}
	b.WriteString("|\n")
}

func seconds(s float64, mark string) string {
	switch {
	case math.IsNaN(s):
		return "-"
	case s < 1:
		return mark + fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return mark + fmt.Sprintf("%.3g s", s)
}

func million(perSecond float64, mark string) string {
	if math.IsNaN(perSecond) || perSecond == 0 {
		return ""
	}
	return mark + fmt.Sprintf("%.3g", perSecond/1e6)
}

// tilde marks what was not measured here.
func tilde(r *row) string {
	if r.Scaled {
		return "~"
	}
	return ""
}
