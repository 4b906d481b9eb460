// Command pegasimd-beam trains and predicts with Apache Beam, on data too large for one machine:
// see docs/beam.md.
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
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/pegasimd/pegasimd/beam/internal/engine"
	"github.com/pegasimd/pegasimd/internal/sys/atomicfile"
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

var commands = []command{splitCommand, trainCommand, scoreCommand, verifyCommand}

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
	fmt.Fprintf(stderr, "pegasimd-beam: unknown command %q\n\n", name)
	printUsage(stderr)
	return exitUsage
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "Pegasimd-beam trains and predicts on data too large for one machine. For other "+
		"data use pegasimd.\n\nUsage: pegasimd-beam COMMAND [flags] ARGUMENTS [-- BEAM'S FLAGS]\n\n")
	for _, cmd := range commands {
		fmt.Fprintf(w, "  %-7s %-22s  %s\n", cmd.name, cmd.arguments, cmd.summary)
	}
	fmt.Fprintln(w, "\n'pegasimd-beam help COMMAND' lists a command's flags and gives examples.")
}
