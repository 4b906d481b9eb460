package main

import (
	"fmt"
	"slices"
	"strings"
)

// A verdict is a row of the design's targets.
type verdict struct {
	What    string `json:"what"`
	Against string `json:"against"`
	Target  string `json:"target"`
	Reached string `json:"reached"`
	Met     bool   `json:"met"`
}

// A choice of rows.
type which func(*row) bool

func named(name string) which { return func(r *row) bool { return r.Name == name } }
func anyPeer(r *row) bool     { return !r.Ours }
func iid(r *row) bool         { return r.Ours && strings.Contains(r.Name, "i.i.d.") }
func ordered(r *row) bool     { return r.Ours && !iid(r) }

// Our steps a second must be at least so many times those of a peer.
var speedTargets = []struct {
	what, set     string
	ours, against which
	least         float64
}{
	{"i.i.d. steps/s", "a9a", iid, named("sofia-ml Pegasos"), 2},
	{"i.i.d. steps/s", "imdb", iid, named("sofia-ml Pegasos"), 2},
	{"best-order steps/s", "a9a", ordered, named("svmsgd"), 1.2},
	{"best-order steps/s", "imdb", ordered, named("svmsgd"), 1.5},
	{"dense steps/s", "fashion26", ordered, anyPeer, 5},
}

// Our time to one of targetsAbove must be at most so many times that of the best peer.
var timeTargets = []struct {
	above int // of targetsAbove
	set   string
	most  float64
}{
	{1, "a9a", 0.6}, {1, "imdb", 0.6}, {1, "moneyfx", 0.6},
	{2, "a9a", 0.5}, {2, "imdb", 0.5}, {2, "moneyfx", 0.9},
}

// verdicts holds a run against those targets that it has the data for.
func verdicts(r *report) (vs []verdict) {
	find := func(set string) *table {
		i := slices.IndexFunc(r.Tables, func(t *table) bool {
			return t.Set == set && t.Lambda == 1e-4
		})
		if i < 0 {
			return nil
		}
		return r.Tables[i]
	}
	for _, goal := range speedTargets {
		if t := find(goal.set); t != nil {
			our, peer := t.quickest(goal.ours), t.quickest(goal.against)
			if our != nil && peer != nil {
				vs = append(vs, speedVerdict(goal.what+", "+goal.set, our, peer, goal.least))
			}
		}
	}
	for _, goal := range timeTargets {
		if t := find(goal.set); t != nil {
			our, peer := t.fastest(true, goal.above), t.fastest(false, goal.above)
			if peer != nil {
				what := fmt.Sprintf("time to %.4g f*, %s", targetsAbove[goal.above], goal.set)
				vs = append(vs, timeVerdict(what, our, peer, goal.above, goal.most))
			}
		}
	}
	for _, t := range r.Many {
		vs = append(vs, t.verdicts()...)
	}
	return vs
}

func speedVerdict(what string, our, peer *row, least float64) verdict {
	ratio := our.Speed / peer.Speed
	return verdict{
		What:    what + ": " + our.Name,
		Against: fmt.Sprintf("%s, %s M/s", peer.Name, million(peer.Speed, tilde(peer))),
		Target:  fmt.Sprintf(">= %.2g x", least),
		Reached: fmt.Sprintf("%s M/s, %.2f x", million(our.Speed, ""), ratio),
		Met:     ratio >= least,
	}
}

// timeVerdict is about seconds; our is nil if none of ours got there.
func timeVerdict(what string, our, peer *row, above int, most float64) verdict {
	v := verdict{
		What:    what,
		Against: fmt.Sprintf("%s, %s", peer.Name, seconds(peer.Seconds[above], tilde(peer))),
		Target:  fmt.Sprintf("<= %.2g x", most),
		Reached: "never",
	}
	if our != nil {
		ratio := our.Seconds[above] / peer.Seconds[above]
		v.What += ": " + our.Name
		v.Reached = fmt.Sprintf("%s, %.2f x", seconds(our.Seconds[above], ""), ratio)
		v.Met = ratio <= most
	}
	return v
}

func markTargets(b *strings.Builder, vs []verdict) {
	if len(vs) == 0 {
		return
	}
	b.WriteString("\n### Targets\n\n")
	b.WriteString("The rows of the design's section on targets that this run has the data for.\n\n")
	b.WriteString("| | against | target | reached | |\n|:--|:--|--:|--:|:--|\n")
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
