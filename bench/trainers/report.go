package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
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
	Set      string   `json:"set"`
	Heading  string   `json:"heading"`
	Lambda   float64  `json:"lambda"`
	Optimum  number   `json:"optimum"`
	Gap      number   `json:"gap"`
	Accuracy number   `json:"accuracy"`
	Factor   number   `json:"liblinear_here_over_there"` // see absent.go
	Other    string   `json:"other,omitempty"`
	Rows     []row    `json:"rows"`
	Left     []string `json:"left_out,omitempty"`
}

// A row is a contender's.
type row struct {
	Name     string    `json:"name"`
	Ours     bool      `json:"ours,omitempty"`
	Scaled   bool      `json:"scaled,omitempty"` // from another machine
	Seconds  []float64 `json:"-"`                // to the five targets
	Times    []number  `json:"seconds"`
	Best     float64   `json:"best_over_optimum"`
	Accuracy float64   `json:"accuracy"`
	Speed    float64   `json:"-"`
	Steps    number    `json:"steps_per_second"`
	Points   []point   `json:"points,omitempty"`
}

// A number may be NaN, for not reached, which is null in JSON.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); v-v != 0 {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func (p *problem) table() *table {
	o := p.optimum
	t := &table{
		Set: p.set.name, Heading: p.set.heading(), Lambda: p.lambda,
		Optimum: number(o.upper), Gap: number(o.gap()), Accuracy: number(o.accuracy),
	}
	for _, c := range p.contenders {
		if c.left != "" {
			t.Left = append(t.Left, c.name+": "+c.left)
			continue
		}
		r := row{Name: c.name, Ours: c.ours, Best: c.best() / o.upper, Speed: c.stepsPerSecond(), Points: c.points}
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
	t.Rows, t.Factor, t.Other = append(t.Rows, added...), number(factor), other
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Steps = number(r.Speed)
		for _, s := range r.Seconds {
			r.Times = append(r.Times, number(s))
		}
	}
	return t
}

// fastest returns the row of ours or of the peers with the least time to a target, or nil if none got there.
func (t *table) fastest(ours bool, target int) (best *row) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if s := r.Seconds[target]; r.Ours == ours && s == s && (best == nil || s < best.Seconds[target]) {
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
		t.markdown(&b)
	}
	for _, t := range r.Many {
		t.markdown(&b)
	}
	markTargets(&b, r.Targets)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s, lambda %g\n\n", t.Heading, t.Lambda)
	fmt.Fprintf(b, "The optimum f* is %.6f, with a proven relative gap of %.0e; test accuracy there %.2f %%. CPU seconds of training, one thread.\n", t.Optimum, t.Gap, t.Accuracy)
	if slices.ContainsFunc(t.Rows, func(r row) bool { return r.Scaled }) {
		fmt.Fprintf(b, "A ~ marks a guess: what was measured elsewhere on a Zen 4, times %.2f, by which liblinear is slower here", t.Factor)
		if t.Other != "" {
			b.WriteString("; it was " + t.Other)
		}
		b.WriteString(".\n")
	}
	b.WriteString("\n| | to 1.10 f* | to 1.01 f* | to 1.001 f* | to accuracy -0.5 | to accuracy -0.1 | best f/f* | accuracy at the end | M steps/s |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, ours := range []bool{true, false} {
		for _, r := range t.Rows {
			if r.Ours != ours {
				continue
			}
			name, mark := r.Name, ""
			if ours {
				name = "**" + name + "**"
			}
			if r.Scaled {
				mark = "~"
			}
			fmt.Fprintf(b, "| %s ", name)
			for _, s := range r.Seconds {
				fmt.Fprintf(b, "| %s ", seconds(s, mark))
			}
			fmt.Fprintf(b, "| %.4f | %.2f | %s |\n", r.Best, r.Accuracy, million(r.Speed, mark))
		}
	}
	t.ratios(b, "best peer / Pegasimd", func(target int) *row { return t.row(settings[0].name) }, t.row(settings[0].name))
	t.ratios(b, "best peer / best Pegasimd", func(target int) *row { return t.fastest(true, target) }, t.quickest(func(r *row) bool { return r.Ours }))
	for _, l := range t.Left {
		fmt.Fprintf(b, "\nLeft out: %s\n", l)
	}
}

// ratios writes how many times as long the best peer takes. In the last column it is our speed over its.
func (t *table) ratios(b *strings.Builder, name string, ours func(target int) *row, quickest *row) {
	fmt.Fprintf(b, "| *%s* ", name)
	for target := range len(targetsAbove) + len(targetsBelow) {
		peer, our := t.fastest(false, target), ours(target)
		switch {
		case our == nil || our.Seconds[target] != our.Seconds[target]:
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
	case s != s:
		return "-"
	case s < 1:
		return mark + fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return mark + fmt.Sprintf("%.3g s", s)
}

func million(perSecond float64, mark string) string {
	if perSecond != perSecond || perSecond == 0 {
		return ""
	}
	return mark + fmt.Sprintf("%.3g", perSecond/1e6)
}

// A verdict is a row of the design's targets.
type verdict struct {
	What    string `json:"what"`
	Against string `json:"against"`
	Target  string `json:"target"`
	Reached string `json:"reached"`
	Met     bool   `json:"met"`
}

func verdicts(r *report) (vs []verdict) {
	find := func(set string, lambda float64) *table {
		i := slices.IndexFunc(r.Tables, func(t *table) bool { return t.Set == set && t.Lambda == lambda })
		if i < 0 {
			return nil
		}
		return r.Tables[i]
	}
	// Steps a second: at least so many times the peer's.
	speed := func(what, set string, ours func(*row) bool, against func(*row) bool, least float64) {
		t := find(set, 1e-4)
		if t == nil {
			return
		}
		our, peer := t.quickest(ours), t.quickest(against)
		if our == nil || peer == nil {
			return
		}
		ratio := our.Speed / peer.Speed
		vs = append(vs, verdict{
			What: fmt.Sprintf("%s, %s: %s", what, t.Set, our.Name), Against: fmt.Sprintf("%s, %s M/s", peer.Name, million(peer.Speed, tilde(peer))),
			Target: fmt.Sprintf(">= %.2g x", least), Reached: fmt.Sprintf("%s M/s, %.2f x", million(our.Speed, ""), ratio), Met: ratio >= least,
		})
	}
	iid := func(r *row) bool { return r.Ours && strings.Contains(r.Name, "i.i.d.") }
	ordered := func(r *row) bool { return r.Ours && !iid(r) }
	named := func(name string) func(*row) bool { return func(r *row) bool { return r.Name == name } }
	anyPeer := func(r *row) bool { return !r.Ours }
	for _, set := range []string{"a9a", "imdb"} {
		speed("i.i.d. steps/s", set, iid, named("sofia-ml Pegasos"), 2)
	}
	speed("best-order steps/s", "a9a", ordered, named("svmsgd"), 1.2)
	speed("best-order steps/s", "imdb", ordered, named("svmsgd"), 1.5)
	speed("dense steps/s", "fashion26", ordered, anyPeer, 5)

	// Time: at most so many times the best peer's.
	for target, name := range []string{"1.01 f*", "1.001 f*"} {
		for _, set := range []string{"a9a", "imdb", "moneyfx"} {
			t := find(set, 1e-4)
			if t == nil {
				continue
			}
			most := 0.6 - 0.1*float64(target)
			if target == 1 && set == "moneyfx" {
				most = 0.9
			}
			our, peer := t.fastest(true, target+1), t.fastest(false, target+1)
			if peer == nil {
				continue
			}
			v := verdict{
				What: fmt.Sprintf("time to %s, %s", name, set), Against: fmt.Sprintf("%s, %s", peer.Name, seconds(peer.Seconds[target+1], tilde(peer))),
				Target: fmt.Sprintf("<= %.2g x", most), Reached: "never",
			}
			if our != nil {
				ratio := our.Seconds[target+1] / peer.Seconds[target+1]
				v.What += ": " + our.Name
				v.Reached, v.Met = fmt.Sprintf("%s, %.2f x", seconds(our.Seconds[target+1], ""), ratio), ratio <= most
			}
			vs = append(vs, v)
		}
	}
	for _, t := range r.Many {
		vs = append(vs, t.verdicts()...)
	}
	return vs
}

func tilde(r *row) string {
	if r.Scaled {
		return "~"
	}
	return ""
}

func markTargets(b *strings.Builder, vs []verdict) {
	if len(vs) == 0 {
		return
	}
	b.WriteString("\n### Targets\n\nThe rows of the design's section on targets that this run has the data for.\n\n| | against | target | reached | |\n|:--|:--|--:|--:|:--|\n")
	met := 0
	for _, v := range vs {
		word := "missed"
		if v.Met {
			word = "met"
			met++
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", v.What, v.Against, v.Target, v.Reached, word)
	}
	fmt.Fprintf(b, "\n%d of %d met.\n", met, len(vs))
}
