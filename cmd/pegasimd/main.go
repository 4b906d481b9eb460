// Command pegasimd trains linear models and kernel machines, predicts with them and evaluates
// them.
//
//	pegasimd help            # lists the commands
//	pegasimd help COMMAND    # explains a command
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/base/escape"
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

func setCollector() {
	collectAbove = func(bytes int64) { debug.SetMemoryLimit(bytes) }
	collectEarly = func() {
		debug.SetGCPercent(10)
		debug.FreeOSMemory()
	}
}

func commands() []command {
	return []command{trainCommand, predictCommand, evalCommand, reportCommand, verifyCommand,
		cvCommand, convertCommand, inspectCommand, versionCommand,
		{completion, runCompletion}}
}

func descriptions() (list []help.Command) {
	for _, c := range commands() {
		list = append(list, c.Command)
	}
	return list
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help.WriteOverview(stderr, descriptions())
		return exitUsage
	}
	name, args := args[0], args[1:]
	if name == "-version" || name == "--version" {
		name = versionCommand.Name
	}
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		if len(args) > 0 && args[0] == name {
			args = nil // help on help
		}
		if len(args) == 0 || args[0] == "-man" {
			out := &standardOutput{w: stdout}
			if len(args) == 0 {
				help.WriteOverview(out, descriptions())
			} else {
				help.WriteMan(out, descriptions())
			}
			return exitCode("help", out.err, stderr)
		}
		name, args = args[0], []string{"-help"}
	}
	var names []string
	for _, cmd := range commands() {
		if cmd.Name == name {
			return cmd.call(ctx, args, stdout, stderr)
		}
		names = append(names, cmd.Name)
	}
	fmt.Fprintf(stderr, "pegasimd: there is no command %q%s\n\n", name,
		flags.DidYouMean(name, "", names))
	help.WriteOverview(stderr, descriptions())
	return exitUsage
}

func (cmd command) call(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c := &call{Context: ctx, stdout: &standardOutput{w: stdout}, stderr: stderr}
	stage.Store(working)
	c.flags = flags.NewSet(cmd.Name)
	defer c.discardOutputs() // also if it panics
	defer c.closeTemporary()
	arguments, err := c.parse(args, cmd.Arguments)
	if err == nil {
		err = cmd.run(c, arguments)
	}
	if err != nil { // doubts about the data may explain the error
		for _, d := range c.readers {
			d.settle(false)
		}
	}
	c.printWarnings()
	var usage flags.UsageError
	var open *questionError
	switch {
	case errors.Is(err, flags.ErrHelp), errors.Is(err, flags.ErrHelpAll):
		help.WriteCommand(c.stdout, cmd.Command, errors.Is(err, flags.ErrHelpAll))
		err = nil
	case errors.As(err, &open):
		printError(stderr, cmd.Name, err)
		for _, line := range open.answers {
			fmt.Fprintf(stderr, "  %s\n", escape.Text(line))
		}
		return exitUsage
	case errors.As(err, &usage):
		printError(stderr, cmd.Name, err)
		fmt.Fprintf(stderr, "Usage: %s; 'pegasimd help %s' explains it.\n", cmd.Usage(), cmd.Name)
		return exitUsage
	}
	if err == nil {
		err = c.stdout.err
	}
	return exitCode(cmd.Name, err, stderr)
}

func printError(stderr io.Writer, name string, err error) {
	fmt.Fprintf(stderr, "pegasimd %s: %s\n", name, escape.Text(flags.Message(err)))
}

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
	printError(stderr, name, err)
	if errors.Is(err, errClaimsNothing) {
		return exitNothing
	}
	return exitError
}

var versionCommand = command{help.Command{
	Name:      "version",
	Arguments: "",
	Summary:   "print the version, and which kernels this machine runs",
	Help: `Version prints the command's version, the version of Go, and the kernels' path on this machine.
Paths differ in speed. All give the same bits.

Example:
  pegasimd version`,
}, runVersion}

func runVersion(c *call, _ []string) error {
	version := "(devel)" // unless the build sets it
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	fmt.Fprintf(c.stdout, "pegasimd %s\nbuilt with %s for %s/%s\nkernels %s\n", version,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, asm.Active())
	return nil
}

var completion = help.Command{
	Name:      "completion",
	Arguments: "SHELL",
	Summary:   "write a script that completes commands and flags in a shell",
	Help: `Completion writes a script for bash, zsh or fish. It completes commands, flags, names of files,
and the values of flags that accept only certain words, such as -loss. In zsh run compinit first.

Examples:
  source <(pegasimd completion bash)
  source <(pegasimd completion zsh)
  pegasimd completion fish > ~/.config/fish/completions/pegasimd.fish`,
}

func runCompletion(c *call, args []string) error {
	if !help.WriteCompletion(c.stdout, args[0], descriptions()) {
		return flags.Usagef("there is no completion for %q, only for %s%s", args[0],
			strings.Join(help.Shells, ", "), flags.DidYouMean(args[0], "", help.Shells))
	}
	return nil
}
