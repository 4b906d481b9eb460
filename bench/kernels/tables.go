package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
)

func (t *table) write(w io.Writer) error {
	more := [][]any{t.row("**ours / Go's best**", isInGo)}
	if slices.ContainsFunc(t.ways, func(w way) bool { return w.inC }) {
		more = append(more, t.row("**ours / best**", isAny))
	}
	return t.Grid.Write(w, more...)
}

func (t *table) row(name string, considered func(way) bool) (cells []any) {
	cells = []any{name}
	for i := range t.sizes {
		ratio, peer := t.behind(i, considered)
		text := ""
		if peer != "" {
			text = fmt.Sprintf("%.2f", ratio)
		}
		cells = append(cells, text)
	}
	return cells
}

func isAny(way) bool    { return true }
func isInGo(w way) bool { return !w.inC }

// behind returns the largest ratio, at the i-th size, of our first way's time to a considered
// peer's time, and that peer; 0 and "" if there is none.
func (t *table) behind(i int, considered func(way) bool) (most float64, peer string) {
	for k, w := range t.ways {
		if w.isOurs() || w.name == readLoop || !considered(w) {
			continue
		}
		if ratio, _, _ := t.Races[i].Ratio(t.Base(i), k); ratio > most {
			most, peer = ratio, w.name
		}
	}
	return most, peer
}

// A cell is behind, or far behind, if our time divided by the best peer's exceeds this.
const (
	behindBest    = 1.05
	farBehindBest = 1.15
)

type lost struct {
	cell  string // as printed
	ratio float64
	inC   bool // the best peer is in C
}

var groups = []struct {
	name string
	has  func(t *table) bool
}{
	{"the ten operations, aligned", func(t *table) bool { return t.ten && t.off == 0 }},
	{"the ten operations, one float off", func(t *table) bool { return t.ten && t.off > 0 }},
	{"other vectors, aligned", func(t *table) bool { return t.both && !t.ten && t.off == 0 }},
	{"other vectors, one float off", func(t *table) bool { return t.both && !t.ten && t.off > 0 }},
	{"rows, batches, matrices, sparse", func(t *table) bool { return !t.both }},
}

func summary(w io.Writer, tables []*table) error {
	counts := frame.Table{Title: "Where we are behind: cells by our time / the best peer's",
		Head: []string{"", "cells", "> 1.05 of Go's best", "> 1.15"}}
	if len(inC) > 0 {
		counts.Head = append(counts.Head, "cells with C", "> 1.05 of all", "> 1.15")
	}
	var lostInGo, lostToC []lost
	for _, g := range groups {
		some := slices.DeleteFunc(slices.Clone(tables), func(t *table) bool { return !g.has(t) })
		cells, behind, far := count(some, isInGo)
		row := []any{g.name, cells, len(behind), far}
		lostInGo = append(lostInGo, behind...)
		if len(inC) > 0 {
			cells, behind, far = count(some, isAny)
			row = append(row, cells, len(behind), far)
			lostToC = append(lostToC, slices.DeleteFunc(behind, func(l lost) bool { return !l.inC })...)
		}
		if cells > 0 {
			counts.Add(row...)
		}
	}
	if err := counts.Write(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nOur time is over 1.05 of Go's best: %s.\n", names(lostInGo))
	if len(inC) > 0 {
		fmt.Fprintf(w, "Our time is over 1.05 of the best, which is in C: %s.\n", names(lostToC))
	}
	return nil
}

func count(tables []*table, considered func(way) bool) (cells int, behind []lost, far int) {
	for _, t := range tables {
		for i, n := range t.sizes {
			ratio, peer := t.behind(i, considered)
			if peer == "" {
				continue
			}
			cells++
			if ratio > behindBest {
				_, inGo := t.behind(i, isInGo)
				behind = append(behind, lost{fmt.Sprintf("%s %d (%.2f, %s)", t.Title, n, ratio, peer),
					ratio, peer != inGo})
			}
			if ratio > farBehindBest {
				far++
			}
		}
	}
	return cells, behind, far
}

func names(cells []lost) string {
	slices.SortStableFunc(cells, func(a, b lost) int { return cmp.Compare(b.ratio, a.ratio) })
	var all []string
	for _, c := range cells {
		all = append(all, c.cell)
	}
	return cmp.Or(strings.Join(all, "; "), "no cell")
}

func overview(w io.Writer, tables []*table) error {
	text := frame.Table{Title: "Our time / Go's best, by elements (+1: one float off)"}
	for _, t := range tables {
		if t.both {
			text.Head = append([]string{""}, t.Columns...)
			text.Add(t.row(t.name+[]string{"", " +1"}[t.off], isInGo)...)
		}
	}
	if text.Rows == nil {
		return nil
	}
	return text.Write(w)
}
