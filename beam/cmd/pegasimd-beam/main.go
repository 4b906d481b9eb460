// Command pegasimd-beam trains and predicts where the data outgrow one machine, on Apache Beam: see
// docs/beam.md. On data that fit one machine, command pegasimd is several times as fast.
//
//	pegasimd-beam split [flags] DATA FOLDER
//	pegasimd-beam train [flags] MANIFEST MODEL [-- BEAM'S FLAGS]
//	pegasimd-beam score [flags] DATA... MODEL FOLDER [-- BEAM'S FLAGS]
//	pegasimd-beam verify [flags] MANIFEST MODEL [-- BEAM'S FLAGS]
//
// pegasimd-beam help COMMAND lists a command's flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Exit codes.
const (
	exitDone        = 0
	exitError       = 1 // the data or the run
	exitUsage       = 2
	exitNothing     = 3   // verify: the model claims nothing
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

func main() {
	if args := os.Args[1:]; engine.IsWorker(args) {
		os.Exit(engine.Worker(args))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	atomicfile.DiscardAll()
	os.Exit(code)
}

// A command is one of pegasimd-beam's.
type command struct {
	name, arguments, summary, help string
	least, most                    int // arguments
	define                         func(c *call) (run func() error)
}

var commands = []command{splitCommand, trainCommand, scoreCommand, verifyCommand}

// A call is one run of a command.
type call struct {
	context.Context
	*flag.FlagSet
	args           []string
	beam           []string // behind --
	stdout, stderr io.Writer

	quiet, force bool // flags
}

// say prints a line for people.
func (c *call) say(format string, a ...any) {
	if !c.quiet {
		fmt.Fprintf(c.stderr, format+"\n", a...)
	}
}

// defineForce defines the flag of what is replaced unasked.
func (c *call) defineForce(what string) {
	c.BoolVar(&c.force, "force", false, "replace any "+what)
}

// text defines a flag of a string type.
func text[T ~string](c *call, to *T, name, usage string) {
	c.Func(name, usage, func(s string) error {
		*to = T(s)
		return nil
	})
}

// usageError is the caller's mistake, answered with the way to help.
type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		printUsage(stderr)
		return exitUsage
	}
	name, args := args[0], args[1:]
	if slices.Contains([]string{"help", "-h", "-help", "--help"}, name) {
		if len(args) == 0 {
			printUsage(stdout)
			return exitDone
		}
		name, args = args[0], []string{"-help"}
	}
	for _, cmd := range commands {
		if cmd.name == name {
			c := &call{Context: ctx, stdout: stdout, stderr: stderr,
				FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
			return cmd.run(c, args)
		}
	}
	fmt.Fprintf(stderr, "pegasimd-beam: there is no command %q\n\n", name)
	printUsage(stderr)
	return exitUsage
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "Pegasimd-beam trains and predicts where the data outgrow one machine. On data "+
		"that fit one,\ncommand pegasimd is several times as fast.\n\n"+
		"Usage: pegasimd-beam COMMAND [flags] ARGUMENTS [-- BEAM'S FLAGS]\n\n")
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-7s %-22s  %s\n", cmd.name, cmd.arguments, cmd.summary)
	}
	fmt.Fprintln(w, "\n'pegasimd-beam help COMMAND' lists a command's flags and gives examples.")
}

// printFlag prints a flag, whose usage begins with its placeholder in backquotes.
func (c *call) printFlag(f *flag.Flag) {
	name, usage := flag.UnquoteUsage(f)
	usage = strings.TrimPrefix(usage, name+" ")
	if d := f.DefValue; d != "" && d != "0" && d != "false" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(c.stdout, "  %s\n      %s\n", strings.TrimSpace("-"+f.Name+" "+name), usage)
}

// run runs the command and returns the exit code.
func (cmd command) run(c *call, args []string) int {
	c.SetOutput(io.Discard)
	c.Usage = func() {}
	c.BoolVar(&c.quiet, "quiet", false, "print no progress and no summary, only errors")
	work := cmd.define(c)
	err := cmd.parse(c, args)
	if err == nil {
		err = configError(work())
	}
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(c.stdout, "Usage: pegasimd-beam %s [flags] %s\n\n%s\n\nFlags:\n", cmd.name,
			cmd.arguments, cmd.help)
		c.VisitAll(c.printFlag)
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(c.stderr, "pegasimd-beam %s: %s\nUsage: pegasimd-beam %s [flags] %s; "+
			"'pegasimd-beam help %s' tells more.\n", cmd.name, escape.Text(err.Error()), cmd.name,
			cmd.arguments, cmd.name)
		return exitUsage
	case c.Err() != nil:
		fmt.Fprintf(c.stderr, "pegasimd-beam %s: interrupted\n", cmd.name)
		return exitInterrupted
	}
	fmt.Fprintf(c.stderr, "pegasimd-beam %s: %s\n", cmd.name, escape.Text(err.Error()))
	if errors.Is(err, errClaimsNothing) {
		return exitNothing
	}
	return exitError
}

// parse reads the flags, which may come before, between and after the arguments, and those of Beam.
func (cmd command) parse(c *call, args []string) error {
	if at := slices.Index(args, "--"); at >= 0 {
		args, c.beam = args[:at], args[at+1:]
	}
	for rest := args; ; {
		if err := c.Parse(rest); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				return err
			}
			return usageError{err}
		}
		if rest = c.Args(); len(rest) == 0 {
			break
		}
		c.args, rest = append(c.args, rest[0]), rest[1:]
	}
	switch {
	case len(c.args) < cmd.least:
		return usagef("too few arguments")
	case len(c.args) > cmd.most:
		return usagef("unexpected argument %q", c.args[cmd.most])
	case slices.Contains(c.args, ""):
		return usagef("an argument is empty: want a name")
	}
	return nil
}

// flagOf has the flags of the trainer's fields.
var flagOf = map[string]string{
	"Loss": "-loss", "ClassWeight": "-class-weight", "Lambda": "-lambda", "Tol": "-tol",
	"Bias": "-bias", "Scale": "-scale", "Epochs": "-epochs", "Method": "-method",
}

// configError makes a usage error of one about a field of a configuration, with the flag in place
// of the field.
func configError(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) || flagOf[bad.Field] == "" {
		return err
	}
	return usageError{errors.New(strings.Replace(err.Error(), bad.Error(),
		flagOf[bad.Field]+": "+bad.Reason, 1))}
}
