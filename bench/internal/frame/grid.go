package frame

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Ours begins the names of our competitors in a race.
const Ours = "Pegasimd"

// A Grid is a table with a row for each competitor and a race in each column.
type Grid struct {
	Title     string
	Rows      []string
	Columns   []string
	Races     []Race     // by column; a row that did not run has no samples
	Quartiles bool       // write ratios with their quartiles
	NoteHead  []string   // heads of columns after those of ratios
	Notes     [][]string // cells of these columns, by row
}

// Base returns the first of our rows that ran in a column; -1 if none did.
func (g *Grid) Base(column int) int {
	for row, name := range g.Rows {
		if strings.HasPrefix(name, Ours) && len(g.Races[column][row]) > 0 {
			return row
		}
	}
	return -1
}

// Write writes a table of times divided by our time, with the notes as columns and more as the last
// rows. A table of times follows.
func (g *Grid) Write(w io.Writer, more ...[]any) error {
	ratios := Table{Title: g.Title, Head: append([]string{"time / ours"}, g.Columns...)}
	times := Table{Head: append([]string{"time"}, g.Columns...)}
	ratios.Head = append(ratios.Head, g.NoteHead...)
	for row, name := range g.Rows {
		ratio, time := []any{name}, []any{name}
		for column, race := range g.Races {
			if len(race[row]) == 0 {
				ratio, time = append(ratio, "-"), append(time, "-")
				continue
			}
			text := "-"
			if base := g.Base(column); base >= 0 {
				middle, low, high := race.Ratio(row, base)
				if text = fmt.Sprintf("%.2f", middle); g.Quartiles {
					text += fmt.Sprintf(" (%.2f-%.2f)", low, high)
				}
			}
			ratio, time = append(ratio, text), append(time, Short(race.Seconds(row)))
		}
		if g.Notes != nil {
			for _, note := range g.Notes[row] {
				ratio = append(ratio, note)
			}
		}
		ratios.Add(ratio...)
		times.Add(time...)
	}
	for _, row := range more {
		ratios.Add(row...)
	}
	if err := ratios.Write(w); err != nil {
		return err
	}
	return times.Write(w)
}

func WriteCSV(file string, grids []*Grid) error {
	lines := [][]string{{"table", "row", "column", "round", "seconds"}}
	for _, g := range grids {
		for column, race := range g.Races {
			for row, samples := range race {
				for round, seconds := range samples {
					lines = append(lines, []string{g.Title, g.Rows[row], g.Columns[column],
						strconv.Itoa(round), strconv.FormatFloat(seconds, 'g', 6, 64)})
				}
			}
		}
	}
	return WriteLines(file, lines)
}

// Numbers parses comma-separated numbers, each in [least, most].
func Numbers[T int | float64](list string, least, most T) (all []T, err error) {
	for text := range strings.SplitSeq(list, ",") {
		var v T
		if _, err := fmt.Sscanln(text, &v); err != nil || !(v >= least && v <= most) {
			kind := "number"
			if _, whole := any(v).(int); whole {
				kind = "whole number"
			}
			return nil, fmt.Errorf("have %q, want a %s from %v to %v", text, kind, least, most)
		}
		all = append(all, v)
	}
	return all, nil
}

// ReadLines returns the lines of a CSV file after its header.
func ReadLines(r io.Reader) ([][]string, error) {
	lines, err := csv.NewReader(r).ReadAll()
	return lines[min(1, len(lines)):], err
}

// WriteLines also creates the file's folder.
func WriteLines(file string, lines [][]string) error {
	var text bytes.Buffer
	return errors.Join(csv.NewWriter(&text).WriteAll(lines), os.MkdirAll(filepath.Dir(file), 0o777),
		os.WriteFile(file, text.Bytes(), 0o666))
}
