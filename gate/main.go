// Command gate compares the benchmarks of a Go module at two commits, and reports whether the newer
// one is worse. docs/gate.md says how to use it in any project.
//
// It counts what a benchmark executes and allocates, reads what the assembly's loops do, and times.
// What is counted is the same in every run, or its spread is known; what is timed is compared
// within fractions of a second, and believed only beyond the noise that two copies of the base show
// in the same rounds, twice.
//
// Exit codes: 0 nothing is worse, 1 something is, 2 it could not be found out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const (
	exitRegression  = 1
	exitError       = 2
	exitInterrupted = 130
)

// A config is what the flags say.
type config struct {
	base, dir string
	packages  []string
	copies    []string
	bench     string // for counting
	times     string // for timing; empty for none
	counts    bool
	functions *regexp.Regexp // nil for none
	arches    []string
	rounds    int
	benchtime string
	limit     time.Duration
	accept    *regexp.Regexp // nil for nothing
	force     bool
	strict    bool
	history   string
	json      string
	markdown  string
	summary   string   // of the workflow's run
	env       []string // for building for this machine
}

// errWorse is for what is told already.
var errWorse = errors.New("something is worse")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the gate at once
	switch err := gate(ctx, os.Args[1:]); {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errWorse):
		os.Exit(exitRegression)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "gate: interrupted")
		os.Exit(exitInterrupted)
	default:
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(exitError)
	}
}

func gate(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "history" {
		return historyBranch(ctx, args[1:])
	}
	c, err := parse(args)
	if err != nil {
		return err
	}
	worse, err := gateHere(ctx, c, os.Stdout, os.Stderr)
	if err == nil && worse {
		return errWorse
	}
	return err
}

func parse(args []string) (*config, error) {
	c := &config{summary: os.Getenv("GITHUB_STEP_SUMMARY")}
	var packages, copies, arches, functions, accept string
	f := flag.NewFlagSet("gate", flag.ContinueOnError)
	f.StringVar(&c.base, "base", "", "the `commit` to compare the current folder's tree with, "+
		"such as origin/main (needed)")
	f.StringVar(&c.dir, "dir", "", "the module's `folder` in the repository, if it is not the "+
		"current one")
	f.StringVar(&packages, "package", "./...", "the `packages` with benchmarks, with commas")
	f.StringVar(&copies, "copy", "", "files and folders, with commas, that the base gets from "+
		"the head before it is built: the benchmarks, if they are new")
	f.StringVar(&c.bench, "bench", ".", "count the benchmarks that match this `pattern`")
	f.StringVar(&c.times, "time", ".", "time the benchmarks that match this `pattern`; empty "+
		"for none")
	f.BoolVar(&c.counts, "counts", true,
		"count instructions, where there is valgrind, and allocations")
	f.StringVar(&functions, "functions", "", "compare size and inner loops of the functions that "+
		"match this `pattern`; empty for none")
	f.StringVar(&arches, "arch", "amd64,arm64",
		"the architectures to build for, to compare functions")
	f.IntVar(&c.rounds, "rounds", 15, "rounds of timing; twice as many to confirm")
	f.StringVar(&c.benchtime, "benchtime", "500us",
		"time of a benchmark, as in go test; the shortest of 5 counts in a round")
	f.DurationVar(&c.limit, "limit", 240*time.Second, "the `time` to measure for at most, "+
		"besides building; what does not fit is left out, and named")
	f.StringVar(&accept, "accept", "",
		"let pass what is worse if its line, the name and the unit, matches this `pattern`, and "+
			"say so; so does a line \"Gate-Accept: pattern\" in a message of the commits "+
			"from the base to the head")
	f.BoolVar(&c.force, "force", false, "measure although the two binaries are equal")
	f.BoolVar(&c.strict, "strict", false, "fail, with exit code 2, if something that should be "+
		"counted or timed was not: there is no Valgrind, or the time was over")
	f.StringVar(&c.history, "history", "", "append a line of JSON to this `file`, or to the one "+
		"of the CPU in this folder")
	f.StringVar(&c.json, "json", "", "write all that was found to this `file`")
	f.StringVar(&c.markdown, "markdown", "", "write the summary, as for a comment, to this `file`")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("what is %q?", f.Arg(0))
	}
	if c.base == "" {
		return nil, errors.New("-base is needed: the commit to compare with")
	}
	if c.rounds < fewestRounds {
		return nil, fmt.Errorf("-rounds %d: fewer than %d have no interval of 95 %%", c.rounds,
			fewestRounds)
	}
	c.packages = strings.Split(packages, ",")
	if copies != "" {
		c.copies = strings.Split(copies, ",")
	}
	if functions != "" {
		c.arches = strings.Split(arches, ",")
	}
	return c, c.compile(functions, accept)
}

// compile reads the patterns.
func (c *config) compile(functions, accept string) error {
	var bench, times *regexp.Regexp // read here for their errors, and then by package testing
	for _, p := range []struct {
		flag, text string
		to         **regexp.Regexp
	}{
		{"functions", functions, &c.functions}, {"accept", accept, &c.accept},
		{"bench", c.bench, &bench}, {"time", c.times, &times},
	} {
		if p.text == "" {
			continue
		}
		re, err := regexp.Compile(p.text)
		if err != nil {
			return fmt.Errorf("-%s: %w", p.flag, err)
		}
		*p.to = re
	}
	return nil
}

// gateHere compares the tree of the current folder with the base, and writes the summary to out and
// to the files that c names.
func gateHere(ctx context.Context, c *config, out, progress io.Writer) (worse bool, err error) {
	work, err := os.MkdirTemp("", "gate-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	users, err := here(ctx)
	if err != nil {
		return false, err
	}
	if err := c.place(ctx, users.root); err != nil {
		return false, err
	}
	base, remove, err := checkout(ctx, users.root, "base", c.base, work)
	if err != nil {
		return false, err
	}
	defer remove()
	head, err := users.copyTo(ctx, filepath.Join(work, "head"))
	if err != nil {
		return false, err
	}
	if err := copyInto(base, head, c.copies); err != nil {
		return false, err
	}
	accepted, err := c.acceptances(ctx, users.root, base.commit)
	if err != nil {
		return false, err
	}
	r, err := compare(ctx, c, base, head, work, progress)
	if err != nil {
		return false, err
	}
	r.settle(accepted)
	if err := r.write(c, out); err != nil || r.worse() || !c.strict || len(r.Missed) == 0 {
		return r.worse(), err
	}
	return false, fmt.Errorf("-strict: not all was measured: %s", strings.Join(r.Missed, " "))
}

// place finds the module's folder where -dir does not name it: the current one.
func (c *config) place(ctx context.Context, root string) error {
	if c.dir != "" {
		if !filepath.IsLocal(c.dir) {
			return fmt.Errorf("-dir %s: not a folder inside the repository", c.dir)
		}
		return nil
	}
	prefix, err := git(ctx, ".", "rev-parse", "--show-prefix")
	if c.dir = prefix; prefix == "" {
		c.dir = "."
	}
	return err
}
