// Command pegasimd trains linear models and kernel machines with Pegasos, predicts with them and
// evaluates them.
//
//	pegasimd help            # lists the commands
//	pegasimd help COMMAND    # lists a command's flags
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/pegasimd/pegasimd/internal/base/escape"
)

// Exit codes.
const (
	exitDone        = 0
	exitError       = 1 // the data or the run
	exitUsage       = 2
	exitNothing     = 3   // verify: the model claims nothing
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
	exitPipe        = 141 // 128 + SIGPIPE: who read standard output has enough
)

func main() {
	setCollector()
	ctx, cancel := context.WithCancel(context.Background())
	catchSignals(cancel)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err := os.Stdout.Close(); err != nil && code == exitDone {
		fmt.Fprintln(os.Stderr, "pegasimd:", err)
		code = exitError
	}
	os.Exit(code)
}

// setCollector lets the command control the garbage collector of the process.
func setCollector() {
	collectAbove = func(bytes int64) { debug.SetMemoryLimit(bytes) }
	collectEarly = func() {
		debug.SetGCPercent(10)
		debug.FreeOSMemory()
	}
}

// A command is one of pegasimd's.
type command struct {
	name, arguments, summary, help string
	common                         string // the flags that -h lists; empty for all
	flags                          func() commandFlags
}

// commandFlags are the flags of a command, and do what it does.
type commandFlags interface {
	define(f *flag.FlagSet)
	run(c *call, args []string) error
}

var commands = []command{
	trainCommand, predictCommand, evalCommand, verifyCommand, cvCommand, convertCommand,
	inspectCommand, versionCommand,
}

// A call is one run of a command.
type call struct {
	context.Context
	flags  *flag.FlagSet
	usage  string   // of the arguments
	args   []string // the arguments
	stdout *standardOutput
	stderr io.Writer

	helpAll   bool     // help lists all flags
	quiet     bool     // no warnings are printed
	warnings  []string // that end the output
	inputs    []inputFile
	outputs   []*output
	temporary []*os.File // of files.Temp, kept open until the command ends
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	name, args := args[0], args[1:]
	if name == "-version" || name == "--version" {
		name = versionCommand.name
	}
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		if len(args) == 0 {
			out := &standardOutput{w: stdout}
			printUsage(out)
			return exitCode("help", out.err, stderr)
		}
		name, args = args[0], []string{"-help"}
	}
	for _, cmd := range commands {
		if cmd.name == name {
			return cmd.call(ctx, args, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "pegasimd: there is no command %q\n\n", name)
	printUsage(stderr)
	return exitUsage
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "Pegasimd trains linear models (support vector machines, logistic and ridge "+
		"regression) and\nkernel machines, and predicts with them.\n\n"+
		"Usage: pegasimd COMMAND [flags] ARGUMENTS\n\n")
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-10s %-18s  %s\n", cmd.name, cmd.arguments, cmd.summary)
	}
	fmt.Fprint(w, `
'pegasimd help COMMAND' lists a command's flags and gives examples. In every command - stands for
standard input or output, and a name that ends in .gz means compressed. Files are written in one
piece, and replace only files that show that they are ours, unless -force is given.

To begin with: pegasimd train DATA, then pegasimd cv DATA, then pegasimd predict DATA MODEL.
`)
}

// call runs the command and returns the exit code.
func (cmd command) call(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &call{Context: ctx, stdout: &standardOutput{w: stdout}, stderr: stderr}
	stage.Store(working)
	c.flags = flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	defer c.discardOutputs() // also if it panics
	defer c.closeTemporary()
	flags := cmd.flags()
	arguments, err := c.parse(flags, args, cmd.arguments)
	if err == nil {
		err = flags.run(c, arguments)
	}
	c.printWarnings()
	var usage usageError
	var open *questionError
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(c.stdout, "Usage: %s\n\n%s\n", cmd.usage(), cmd.help)
		if cmd.common == "" || c.helpAll {
			printFlags(c.stdout, c.flags, "")
		} else {
			printFlags(c.stdout, c.flags, cmd.common)
			fmt.Fprintf(c.stdout, "\n'pegasimd %s -help-all' lists all flags.\n", cmd.name)
		}
		err = nil
	case errors.As(err, &open):
		fmt.Fprintf(stderr, "pegasimd %s: %s\n", cmd.name, escape.Text(plain(err)))
		for _, line := range open.answers {
			fmt.Fprintf(stderr, "  %s\n", escape.Text(line))
		}
		return exitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "pegasimd %s: %s\nUsage: %s; 'pegasimd help %s' tells more.\n",
			cmd.name, escape.Text(plain(err)), cmd.usage(), cmd.name)
		return exitUsage
	}
	if err == nil {
		err = c.stdout.err // of text that was printed without asking
	}
	return exitCode(cmd.name, err, stderr)
}

// closeTemporary closes the temporary files, which are gone then, or once they are not mapped any
// more.
func (c *call) closeTemporary() {
	for _, f := range c.temporary {
		f.Close()
	}
}

// usage returns how the command is called.
func (cmd command) usage() string {
	if cmd.arguments == "" {
		return "pegasimd " + cmd.name
	}
	return "pegasimd " + cmd.name + " [flags] " + cmd.arguments
}

// exitCode tells of the error that a command ends with, and returns its exit code.
func exitCode(name string, err error, stderr io.Writer) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(stderr, "pegasimd %s: interrupted\n", name)
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "pegasimd %s: %s\n", name, escape.Text(plain(err)))
	if errors.Is(err, errClaimsNothing) {
		return exitNothing
	}
	return exitError
}

// parse reads flags, which may come before, between and after the arguments, and takes as many
// arguments as usage has words, of which those in brackets can be left out.
func (c *call) parse(flags commandFlags, args []string, usage string) (
	arguments []string, err error,
) {
	flags.define(c.flags)
	c.flags.BoolFunc("help-all", "list all flags", func(string) error {
		c.helpAll = true
		return flag.ErrHelp
	})
	for {
		if err := c.flags.Parse(args); c.helpAll || errors.Is(err, flag.ErrHelp) {
			return nil, flag.ErrHelp
		} else if err != nil {
			return nil, c.inShellWords(err)
		}
		if args = c.flags.Args(); len(args) == 0 {
			break
		}
		arguments, args = append(arguments, args[0]), args[1:]
	}
	if err := c.checkValues(); err != nil {
		return nil, err
	}
	most := len(strings.Fields(usage))
	switch {
	case len(arguments) < most-strings.Count(usage, "["):
		return nil, usagef("too few arguments")
	case len(arguments) > most:
		return nil, usagef("unexpected argument %q", arguments[most])
	case slices.Contains(arguments, ""):
		return nil, usagef("an argument is empty: want a name")
	}
	c.usage, c.args = usage, arguments
	return arguments, nil
}
