package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/internal/base/escape"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/pegasos"
)

const (
	exitDone        = 0
	exitError       = 1   // in the data or the run; verify: a claim is contradicted
	exitUsage       = 2   // in the command line
	exitNothing     = 3   // verify: the model claims nothing
	exitInterrupted = 130 // 128 + SIGINT, like shells
)

var errClaimsNothing = errors.New("the model claims nothing to confirm: it has no gap of at most " +
	"100 %")

type command struct {
	name, arguments, summary, help string
	least, most                    int // arguments
	define                         func(c *call) (run func() error)
}

type call struct {
	context.Context
	*flag.FlagSet
	args           []string
	beam           []string // flags after --
	stdout, stderr io.Writer

	quiet, force bool
}

func (c *call) say(format string, a ...any) {
	if !c.quiet {
		fmt.Fprintf(c.stderr, format+"\n", a...)
	}
}

func (c *call) given(name string) (given bool) {
	c.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

func (c *call) defineForce(usage string) { c.BoolVar(&c.force, "force", false, usage) }

// choice defines a flag whose value is one of the choices.
func choice[T ~string](c *call, to *T, name, usage string, choices ...T) {
	c.Func(name, "`"+options.Choices(choices...)+"` "+usage, func(s string) error {
		if *to = T(s); !slices.Contains(choices, *to) {
			return errors.New("want one of " + strings.ReplaceAll(options.Choices(choices...), "|", ", "))
		}
		return nil
	})
}

type usageError struct{ error }

func usagef(format string, a ...any) error { return usageError{fmt.Errorf(format, a...)} }

// printFlag leaves out of the usage a placeholder with which it begins, in backquotes.
func (c *call) printFlag(f *flag.Flag) {
	name, usage := flag.UnquoteUsage(f)
	usage = strings.TrimPrefix(usage, name+" ")
	if d := f.DefValue; d != "" && d != "0" && d != "false" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(c.stdout, "  %s\n      %s\n", strings.TrimSpace("-"+f.Name+" "+name), usage)
}

func (cmd command) run(c *call, args []string) int {
	c.SetOutput(io.Discard)
	c.Usage = func() {}
	c.BoolVar(&c.quiet, "quiet", false, "print only errors")
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
			"see 'pegasimd-beam help %s'.\n", cmd.name, escape.Text(err.Error()), cmd.name,
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

// parse accepts flags anywhere among the arguments, and stores the arguments after -- in c.beam.
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
		return usagef("an argument is empty")
	}
	return nil
}

var flagOf = map[string]string{
	"Loss": "-loss", "ClassWeight": "-class-weight", "Lambda": "-lambda", "Tol": "-tol",
	"Bias": "-bias", "Scale": "-scale", "Epochs": "-epochs", "Method": "-method",
}

func configError(err error) error {
	var bad *pegasos.ConfigError
	if !errors.As(err, &bad) || flagOf[bad.Field] == "" {
		return err
	}
	return usagef("%s: %s", flagOf[bad.Field], bad.Reason)
}
