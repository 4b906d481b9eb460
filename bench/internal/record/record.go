// Package record writes what a measurement leaves behind: where and how it was made, and tables in
// Markdown. bench/pages reads that form.
package record

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/pegasimd/pegasimd/gate/machine"
)

// Head returns the lines "Key: value" that every record has. core says which core the program was
// pinned to.
func Head(program, core string) []string {
	return []string{
		fmt.Sprintf("CPU: %s, %d cores seen; %s", machine.CPU(), runtime.NumCPU(), core),
		"Date: " + time.Now().UTC().Format(time.RFC3339),
		"Commit: " + Commit(),
		"Command: " + strings.TrimSpace(program+" "+strings.Join(os.Args[1:], " ")),
	}
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

// Write begins a record.
func Write(b *strings.Builder, title string, head []string) {
	fmt.Fprintf(b, "# %s\n\n", title)
	for _, line := range head {
		fmt.Fprintf(b, "* %s\n", line)
	}
}

// Name returns how a table's row is called: ours in bold.
func Name(name string, ours bool) string {
	if ours {
		return "**" + name + "**"
	}
	return name
}

// Print writes a record to w and, if file is not empty, to that file.
func Print(w io.Writer, file, text string) error {
	if file != "" {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// JSON writes v with indentation.
func JSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// A Number may be NaN, for what was not reached, which is null in JSON.
type Number float64

// Reached tells whether there is a number.
func (n Number) Reached() bool { return !math.IsNaN(float64(n)) }

// MarshalJSON writes null for what JSON has no number for.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
