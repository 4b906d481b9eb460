package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pegasimd/pegasimd/bench/internal/frame"
)

// write writes a table of the ratios of all times to ours, whose last rows are the ratios of our
// time to the best peer's, and a table of the times.
func (t *table) write(w io.Writer) error {
	ratios := frame.Table{Title: t.title, Width: frame.Narrow, Head: []string{"time / ours"}}
	times := frame.Table{Width: frame.Narrow, Head: []string{"time"}}
	ofGo, ofAll := []any{"**ours / Go's best**"}, []any{"**ours / best**"}
	for i, n := range t.sizes {
		ratios.Head = append(ratios.Head, strconv.Itoa(n))
		times.Head = append(times.Head, strconv.Itoa(n))
		ofGo = append(ofGo, written(t.behind(i, isInGo)))
		ofAll = append(ofAll, written(t.behind(i, isAny)))
	}
	us := slices.IndexFunc(t.ways, way.isOurs)
	for k, way := range t.ways {
		ratio, time := []any{way.name}, []any{way.name}
		for _, r := range t.races {
			median, _, _ := r.Ratio(k, us)
			ratio = append(ratio, fmt.Sprintf("%.2f", median))
			time = append(time, frame.Short(r.Seconds(k)))
		}
		ratios.Add(ratio...)
		times.Add(time...)
	}
	ratios.Add(ofGo...)
	if slices.ContainsFunc(t.ways, func(w way) bool { return w.inC }) {
		ratios.Add(ofAll...)
	}
	if err := ratios.Write(w); err != nil {
		return err
	}
	return times.Write(w)
}

// written formats the results of behind.
func written(ratio float64, peer string) string {
	if peer == "" {
		return ""
	}
	return fmt.Sprintf("%.2f", ratio)
}

func isAny(way) bool    { return true }
func isInGo(w way) bool { return !w.inC }

// behind returns the ratio of our first way's time at the i-th size to the time of the fastest peer
// for which considered returns true, and the peer's name: empty if there is no such peer.
func (t *table) behind(i int, considered func(way) bool) (most float64, peer string) {
	us := slices.IndexFunc(t.ways, way.isOurs)
	for k, w := range t.ways {
		if w.isOurs() || w.name == readLoop || !considered(w) {
			continue
		}
		if ratio, _, _ := t.races[i].Ratio(us, k); ratio > most {
			most, peer = ratio, w.name
		}
	}
	return most, peer
}

// Ratios of our time to the best peer's above which a cell counts as behind, and as far behind.
const (
	behindBest    = 1.05
	farBehindBest = 1.15
)

// lost is a cell in which a peer is faster than we are.
type lost struct {
	cell  string  // operation, size, ratio and peer, as the summary prints them
	ratio float64 // ratio of our time to the best peer's
	toC   bool    // whether the best peer is in C
}

// group is a set of tables whose cells the summary counts together.
type group struct {
	name string
	has  func(t *table) bool
}

var groups = []group{
	{"the ten operations, aligned", func(t *table) bool { return t.ten && t.off == 0 }},
	{"the ten operations, one float off", func(t *table) bool { return t.ten && t.off > 0 }},
	{"other vectors, aligned", func(t *table) bool { return t.both && !t.ten && t.off == 0 }},
	{"other vectors, one float off", func(t *table) bool { return t.both && !t.ten && t.off > 0 }},
	{"rows, batches, matrices, sparse", func(t *table) bool { return !t.both }},
}

// summary writes in how many cells our time exceeds the best peer's, and names these cells.
func summary(w io.Writer, tables []*table) error {
	counts := frame.Table{Title: "Where we are behind: cells by our time / the best peer's",
		Width: frame.Narrow, Head: []string{"", "cells", "> 1.05 of Go's best", "> 1.15"}}
	if len(inC) > 0 {
		counts.Head = append(counts.Head, "cells with C", "> 1.05 of all", "> 1.15")
	}
	var lostInGo, lostToC []lost
	for _, g := range groups {
		cells, behind := g.count(tables, isInGo)
		row := []any{g.name, cells, len(behind), far(behind)}
		lostInGo = append(lostInGo, behind...)
		if len(inC) > 0 {
			cells, behind = g.count(tables, isAny)
			row = append(row, cells, len(behind), far(behind))
			lostToC = append(lostToC, slices.DeleteFunc(behind, func(l lost) bool { return !l.toC })...)
		}
		if cells > 0 {
			counts.Add(row...)
		}
	}
	if err := counts.Write(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	name(w, "Behind Go's best: ", lostInGo)
	if len(inC) > 0 {
		name(w, "Behind a peer in C: ", lostToC)
	}
	return nil
}

// overview writes our time over Go's best for each operation on vectors, by length, with one row
// for aligned vectors and one for vectors one float off.
func overview(w io.Writer, tables []*table) error {
	text := frame.Table{Title: "Our time / Go's best, by elements (+1: one float off)",
		Width: frame.Narrow, Head: []string{""}}
	for _, t := range tables {
		if !t.both {
			continue
		}
		if len(text.Rows) == 0 {
			for _, n := range t.sizes {
				text.Head = append(text.Head, strconv.Itoa(n))
			}
		}
		row := []any{t.name}
		if t.off > 0 {
			row[0] = t.name + " +1"
		}
		for i := range t.sizes {
			row = append(row, written(t.behind(i, isInGo)))
		}
		text.Add(row...)
	}
	if len(text.Rows) == 0 {
		return nil
	}
	return text.Write(w)
}

// count returns the number of the group's cells with a peer for which considered returns true, and
// the cells in which such a peer is ahead by more than behindBest.
func (g group) count(tables []*table, considered func(way) bool) (cells int, behind []lost) {
	for _, t := range tables {
		if !g.has(t) {
			continue
		}
		for i, n := range t.sizes {
			ratio, peer := t.behind(i, considered)
			if peer == "" {
				continue
			}
			cells++
			if ratio > behindBest {
				_, inGo := t.behind(i, isInGo)
				behind = append(behind, lost{fmt.Sprintf("%s %d (%.2f, %s)", t.title, n, ratio, peer),
					ratio, peer != inGo})
			}
		}
	}
	return cells, behind
}

// far returns the number of cells that are far behind.
func far(cells []lost) (count int) {
	for _, l := range cells {
		if l.ratio > farBehindBest {
			count++
		}
	}
	return count
}

// mostNamed is the greatest number of cells that the summary names behind peers in Go, and the
// greatest number behind peers in C.
const mostNamed = 40

// name writes the cells, the worst first, in lines of at most frame.Narrow columns.
func name(w io.Writer, head string, cells []lost) {
	slices.SortStableFunc(cells, func(a, b lost) int { return cmp.Compare(b.ratio, a.ratio) })
	line := head
	if len(cells) == 0 {
		line += "no cell."
	}
	for i, c := range cells {
		text := c.cell + "; "
		if i == mostNamed {
			text = fmt.Sprintf("and %d more.", len(cells)-mostNamed)
		} else if i == len(cells)-1 {
			text = c.cell + "."
		}
		if len(line)+len(text) > frame.Narrow {
			fmt.Fprintln(w, strings.TrimRight(line, " "))
			line = ""
		}
		line += text
		if i == mostNamed {
			break
		}
	}
	fmt.Fprintln(w, line)
}
