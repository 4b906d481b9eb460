// Command gate compares the benchmarks of a Go module at two commits, and reports whether the newer
// one is worse, by counts of instructions and allocations, by the loops of assembly, and by times.
// docs/gate.md says how to use it.
//
// Exit codes: 0 if no number is worse, except for accepted numbers; 1 if a number is worse; 2 for
// an error, if a benchmark fails in the head alone, or if nothing could be compared; 130 if
// interrupted. With -strict, 2 also if a measurement is missing or the head is the base.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

const mostRounds = 1_000_000

const (
	exitRegression  = 1
	exitError       = 2
	exitInterrupted = 130
)

type config struct {
	base, dir string // dir is relative to the repository's root
	packages  []string
	bench     string         // to count; empty for none
	times     string         // to time; empty for none
	skip      string         // to leave out; empty for none
	functions *regexp.Regexp // nil for none
	rounds    int
	limit     time.Duration
	strict    bool
	json      bool
	threshold float64 // a fraction of 1
	prepare   string
	wide      bool // there may be code that uses AVX-512
	history   string
	env       []string // for builds for this machine
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the gate at once
	worse, err := gate(ctx, os.Args[1:])
	switch {
	case err == nil && worse:
		os.Exit(exitRegression)
	case err == nil || errors.Is(err, flag.ErrHelp):
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "gate: interrupted")
		os.Exit(exitInterrupted)
	default:
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(exitError)
	}
}

func gate(ctx context.Context, args []string) (worse bool, err error) {
	if len(args) > 0 && args[0] == "history" {
		return false, historyBranch(ctx, args[1:])
	}
	c, err := parse(args)
	if err != nil {
		return false, err
	}
	return c.run(ctx)
}

func parse(args []string) (*config, error) {
	c := &config{}
	f := flag.NewFlagSet("gate", flag.ContinueOnError)
	f.StringVar(&c.base, "base", "", "compare the working tree with this `commit` (required), such "+
		"as origin/main, or with the merge base if HEAD does not descend from this commit")
	packages := f.String("package", "./...", "compare the benchmarks of these `packages`, separated "+
		"by commas")
	f.StringVar(&c.bench, "bench", ".", "count the instructions, where there is valgrind, and "+
		"allocations of the benchmarks that match this `pattern`; empty for none")
	f.StringVar(&c.times, "time", ".", "time the benchmarks that match this `pattern`; empty "+
		"for none")
	f.StringVar(&c.skip, "skip", "", "leave out the benchmarks that match this `pattern`")
	functions := f.String("functions", "", "compare the total size of the functions that "+
		"match this `pattern`, and the inner loops of those in assembly, built for amd64 and for "+
		"arm64; empty for none")
	f.IntVar(&c.rounds, "rounds", 15, "rounds of timing, as far as -limit allows; twice as "+
		"many to confirm that a benchmark is slower")
	f.DurationVar(&c.limit, "limit", 240*time.Second, "the `time` to measure for at most, "+
		"besides building and checking patterns; what does not fit is left out, and the summary says "+
		"so")
	f.BoolVar(&c.strict, "strict", false, "fail with exit code 2 if a measurement is missing, such "+
		"as if there is no Valgrind, -limit was too short, or a benchmark calls Skip, or if the head "+
		"is the base; worse numbers still give 1")
	f.StringVar(&c.history, "history", "", "append what was measured, as a line of JSON, to this "+
		"`file` or, if it is a folder, to a file there that is named after the CPU")
	f.BoolVar(&c.json, "json", false, "print the result as JSON, for programs; "+
		"$GITHUB_STEP_SUMMARY still gets Markdown")
	f.Float64Var(&c.threshold, "threshold", 0, "count changes of at most so many `percent`, "+
		"such as 3, as none")
	f.StringVar(&c.prepare, "prepare", "", "run this shell `command` in the current folder of "+
		"both trees before they are built, such as 'go generate ./...'")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q: the gate takes flags alone, or \"history "+
			"pull\" or \"history push\" alone", f.Arg(0))
	case c.base == "":
		return nil, errors.New("-base is missing or empty: name the commit to compare with, such " +
			"as origin/main")
	case c.rounds < fewestRounds:
		return nil, fmt.Errorf("-rounds %d: must be at least %d, for a confidence interval of 95 %%",
			c.rounds, fewestRounds)
	case c.rounds > mostRounds:
		return nil, fmt.Errorf("-rounds %d: must be at most %d", c.rounds, mostRounds)
	case c.limit <= 0:
		return nil, fmt.Errorf("-limit %s: must be positive", c.limit)
	case !(c.threshold >= 0 && c.threshold < 100):
		return nil, fmt.Errorf("-threshold %g: must be a percentage, at least 0 and below 100",
			c.threshold)
	case c.bench == "" && c.times == "" && *functions == "":
		return nil, errors.New("nothing to compare: -bench, -time and -functions are all empty")
	}
	c.threshold /= 100
	if _, err := os.Stat(filepath.Dir(c.history)); err != nil { // fail before the measurement
		return nil, fmt.Errorf("-history %s: %w", c.history, err)
	}
	for pattern := range strings.SplitSeq(*packages, ",") {
		pattern = strings.TrimSpace(pattern)
		const want = "name folders such as ./internal/..., separated by commas"
		switch {
		case pattern == "":
			return nil, errors.New("-package: a name is missing: " + want)
		case strings.HasSuffix(pattern, ".go"):
			return nil, fmt.Errorf("-package: %q ends in .go: %s", pattern, want)
		}
		c.packages = append(c.packages, cleanPattern(pattern))
	}
	for name, text := range map[string]string{"bench": c.bench, "time": c.times,
		"skip": c.skip, "functions": *functions} {
		pattern, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("-%s: %w", name, err)
		}
		if name == "functions" && text != "" {
			c.functions = pattern
		}
	}
	return c, nil
}

// cleanPattern returns a pattern as go list prints it in Match.
func cleanPattern(pattern string) string {
	clean := path.Clean(pattern)
	if strings.HasPrefix(pattern, "./") && clean != "." {
		return "./" + clean
	}
	return clean
}

func (c *config) run(ctx context.Context) (worse bool, err error) {
	root, err := repository(ctx)
	if err != nil {
		return false, err
	}
	if c.dir, err = git(ctx, ".", "rev-parse", "--show-prefix"); err != nil {
		return false, err
	}
	if err := checkModule(ctx, root); err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "gate-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	r := &result{work: work, repository: root, threshold: c.threshold}
	defer func() {
		if err != nil {
			err = errors.New(r.clean(err.Error()))
		}
	}()
	from, err := chooseBase(ctx, root, c.base)
	if err != nil {
		return false, err
	}
	accepted, err := acceptances(ctx, root, from.commit)
	if err != nil {
		return false, err
	}
	base, err := newTree(ctx, "base", root, from.commit, work)
	if err != nil {
		return false, err
	}
	head, err := newTree(ctx, "head", root, "HEAD", work)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(filepath.Join(head.root, c.dir)); err != nil {
		return false, errors.New("git has no files in the current folder, or ignores them: start " +
			"the gate in a folder whose benchmarks git tracks")
	}
	if err := r.complete(ctx, c, &base, &head); err != nil {
		return false, err
	}
	if err := compare(ctx, c, base, head, r); err != nil {
		return false, err
	}
	r.why, r.idle = from.why, base.commit == head.commit && !head.changed
	r.settle(accepted)
	if err := r.write(c); err != nil {
		return false, err
	}
	o := r.outcome()
	switch {
	case o.exit == exitError:
		return false, errors.New(o.heading + r.reasons())
	case o.strict == exitError && c.strict:
		return false, fmt.Errorf("-strict: %s%s", o.heading, r.reasons())
	}
	return o.exit == exitRegression, nil
}

func (r *result) complete(ctx context.Context, c *config, base, head *tree) error {
	var names []string
	for _, t := range []*tree{base, head} {
		if err := t.borrowAll(ctx, c.dir); err != nil {
			return err
		}
		for _, path := range t.borrowed {
			if name, err := filepath.Rel(r.repository, path); err == nil {
				names = append(names, name)
			}
		}
		if c.prepare == "" {
			continue
		}
		r.say("preparing the %s", t.name)
		if err := t.prepare(ctx, c); err != nil && (t == head || ctx.Err() != nil) {
			return err
		} else if err != nil {
			r.miss("The base is left out: %s", reason(err))
			base.broken = true
		}
	}
	if len(names) > 0 {
		r.note("These are used as they are on the disk, since git does not have them in the base, "+
			"the head or both: %s.", list("", names))
	}
	return head.findData(ctx, *base)
}
