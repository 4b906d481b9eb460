package frame

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/pegasimd/pegasimd/gate/machine"
)

// Head writes where and how the numbers below it were made. core says which core the program was
// pinned to.
func Head(w io.Writer, program, core string) {
	fmt.Fprintf(w, "CPU: %s, %d cores; %s\n", machine.CPU(), runtime.NumCPU(), core)
	fmt.Fprintf(w, "Date: %s, commit %s\n", time.Now().UTC().Format(time.DateOnly), Commit())
	command := append([]string{program}, os.Args[1:]...)
	if path := os.Getenv("PEGASIMD_ISA"); path != "" {
		command = append([]string{"PEGASIMD_ISA=" + path}, command...)
	}
	fmt.Fprintf(w, "Command: %s\n", strings.Join(command, " "))
}

// A Table is written in Markdown with its columns aligned, to be read in a terminal and pasted into
// a page.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
	Width int // greatest number of columns of text; 0 for no limit
}

// Add adds a row of cells, each written as fmt.Sprint writes it.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// Narrow is a Width for tables that are read in a terminal.
const Narrow = 120

// Write writes the table. If it is wider than Width, its columns are divided evenly among several
// tables, each of which begins with the first column. A table that no division makes narrow enough
// stays whole.
func (t *Table) Write(w io.Writer) error {
	if t.Title != "" {
		fmt.Fprintf(w, "\n### %s\n", t.Title)
	}
	for _, columns := range t.split() {
		if err := t.writeColumns(w, columns); err != nil {
			return err
		}
	}
	return nil
}

// split returns the indices of the columns of each part.
func (t *Table) split() (parts [][]int) {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), len("--:"))
		}
	}
	for count := 1; t.Width > 0 && count < len(widths); count++ {
		fits := true
		parts = nil
		for k := range count {
			part, width := []int{0}, len("| ")+widths[0]+len(" |")
			for i := 1 + k*(len(widths)-1)/count; i < 1+(k+1)*(len(widths)-1)/count; i++ {
				part, width = append(part, i), width+widths[i]+len(" | ")
			}
			parts, fits = append(parts, part), fits && width <= t.Width
		}
		if fits {
			return parts
		}
	}
	whole := make([]int, len(widths))
	for i := range whole {
		whole[i] = i
	}
	return [][]int{whole}
}

func (t *Table) writeColumns(w io.Writer, columns []int) error {
	fmt.Fprintln(w)
	aligned := tabwriter.NewWriter(w, 1, 0, 1, ' ', 0)
	line := func(cells []string) {
		for _, i := range columns {
			cell := ""
			if i < len(cells) {
				cell = cells[i]
			}
			fmt.Fprintf(aligned, "| %s\t", cell)
		}
		fmt.Fprintln(aligned, "|")
	}
	line(t.Head)
	rule := slices.Repeat([]string{"--:"}, len(t.Head))
	rule[0] = ":--"
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	return aligned.Flush()
}

// Short writes seconds with three digits and a unit.
func Short(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.3g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	case seconds >= 1e-6:
		return fmt.Sprintf("%.3g us", seconds*1e6)
	default:
		return fmt.Sprintf("%.3g ns", seconds*1e9)
	}
}
