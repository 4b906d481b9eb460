// Package help prints help screens, a man page, and completion scripts for shells.
package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

// Command describes a command of pegasimd.
type Command struct {
	Name, Arguments, Summary, Help string
}

func (c *Command) Usage() string {
	usage := "pegasimd " + c.Name
	if flags.Topics(c.Name, true) != nil {
		usage += " [flags]"
	}
	return strings.TrimSuffix(usage+" "+c.Arguments, " ")
}

// Overview is the help text before and after the list of commands.
var Overview = [2]string{`Pegasimd trains linear models (support vector machines, logistic and ridge regression) and kernel
machines, and predicts with them.

Usage: pegasimd COMMAND [flags] ARGUMENTS
`, `'pegasimd help COMMAND' explains a command and its usual flags. As an argument, - is standard
input or output. Inputs may be compressed (.gz, .bz2 or .zst), and outputs are if their names end in
.gz. .pgsm and .go files can't be compressed. Output files are written atomically: after a failure,
a file is either the old file or complete. An existing file is replaced only if it is empty or shows
that pegasimd wrote it, or with -force.

Begin with pegasimd train DATA, then pegasimd cv DATA, then pegasimd predict DATA MODEL.
'pegasimd completion SHELL' writes completion for bash, zsh or fish, 'pegasimd help -man' a man page.
`}

// WriteOverview writes Overview and the list of commands.
func WriteOverview(w io.Writer, commands []Command) {
	fmt.Fprintln(w, Overview[0])
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %-21s  %s\n", c.Name, c.Arguments, c.Summary)
	}
	fmt.Fprint(w, "\n", Overview[1])
}

// WriteCommand writes the help on a command, with all flags or only the usual flags.
func WriteCommand(w io.Writer, c Command, all bool) {
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", c.Usage(), c.Help)
	shown, listed := 0, flags.Topics(c.Name, all)
	for _, topic := range listed {
		fmt.Fprintf(w, "\n%s:\n", topic.Title)
		for _, f := range topic.Flags {
			writeFlag(w, f)
			shown++
		}
	}
	if shown < len(flags.Of(c.Name)) {
		fmt.Fprintf(w, "\n'pegasimd %s -help-all' lists all flags.\n", c.Name)
	}
}

func writeFlag(w io.Writer, f flags.Flag) {
	fmt.Fprintln(w, strings.TrimSuffix("  -"+f.Name+" "+f.Takes, " "))
	line := "   "
	for word := range strings.FieldsSeq(helpOf(f)) {
		if len(line)+1+len(word) > 92 {
			fmt.Fprintln(w, line)
			line = "   "
		}
		line += " " + word
	}
	fmt.Fprintln(w, line)
}

func helpOf(f flags.Flag) string {
	if f.Default == "" {
		return f.Help
	}
	return f.Help + " (default " + f.Default + ")"
}
