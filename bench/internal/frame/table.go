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

	"github.com/pegasimd/pegasimd/gate/machine"
)

// Head writes the CPU, date, commit and command of a measurement. core says how the program was
// pinned.
func Head(w io.Writer, program, core string) {
	fmt.Fprintf(w, "CPU: %s; usable logical CPUs: %d; %s\n", machine.CPU(), runtime.NumCPU(), core)
	fmt.Fprintf(w, "Date: %s, commit %s\n", time.Now().UTC().Format(time.DateOnly), Commit())
	command := append([]string{program}, os.Args[1:]...)
	if path := os.Getenv("PEGASIMD_ISA"); path != "" {
		command = append([]string{"PEGASIMD_ISA=" + path}, command...)
	}
	fmt.Fprintf(w, "Command: %s\n", strings.Join(command, " "))
}

// A Table is a Markdown table with aligned columns.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

func (t *Table) Write(w io.Writer) error {
	if t.Title != "" {
		fmt.Fprintf(w, "\n### %s\n", t.Title)
	}
	fmt.Fprintln(w)
	rule := slices.Repeat([]string{"--:"}, len(t.Head))
	rule[0] = ":--"
	aligned := tabwriter.NewWriter(w, 1, 0, 1, ' ', 0)
	for _, row := range append([][]string{t.Head, rule}, t.Rows...) {
		for i := range t.Head {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			fmt.Fprintf(aligned, "| %s\t", cell)
		}
		fmt.Fprintln(aligned, "|")
	}
	return aligned.Flush()
}

// Short formats seconds with three significant digits or fewer, and a unit.
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
