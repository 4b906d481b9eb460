package frame

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pegasimd/pegasimd/gate/machine"
)

// Head writes where and how the numbers below it were made. core says which core the program was
// pinned to.
func Head(w io.Writer, program, core string) {
	fmt.Fprintf(w, "CPU: %s, %d cores; %s\n", machine.CPU(), runtime.NumCPU(), core)
	fmt.Fprintf(w, "Date: %s, commit %s\n", time.Now().UTC().Format(time.DateOnly), Commit())
	fmt.Fprintf(w, "Command: %s\n", strings.Join(append([]string{program}, os.Args[1:]...), " "))
}

// Commit names the commit that is checked out, with a + if files differ from it. go run does not
// stamp it into the program.
func Commit() string {
	text, err := exec.Command("git", "describe", "--always", "--abbrev=7", "--dirty=+").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(text))
}

// A Table is written in Markdown with its columns aligned, to be read in a terminal and pasted into
// a page.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Add adds a row of cells, each written as fmt.Sprint writes it.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	t.Rows = append(t.Rows, row)
}

// Write writes the table.
func (t *Table) Write(w io.Writer) error {
	if t.Title != "" {
		fmt.Fprintf(w, "\n### %s\n\n", t.Title)
	}
	aligned := tabwriter.NewWriter(w, 1, 0, 1, ' ', 0)
	line := func(cells []string) { fmt.Fprintf(aligned, "| %s\t|\n", strings.Join(cells, "\t| ")) }
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
