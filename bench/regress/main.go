// Command regress compares the benchmarks of a Go package at two commits, and reports whether the
// newer one is worse. docs/gate.md says how to use it in any project.
//
// What it counts is the same in every run: instructions and allocations of a call, instructions and
// memory operands in a turn of each inner loop of the assembly, bytes of code. What it times is
// compared within fractions of a second, and believed only beyond the noise that two copies of the
// base show in the same rounds, twice.
//
// Exit codes: 0 nothing is worse, 1 something is, 2 it could not be found out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pegasimd/pegasimd/bench/internal/history"
	"github.com/pegasimd/pegasimd/bench/internal/machine"
)

const (
	exitRegression  = 1
	exitError       = 2
	exitInterrupted = 130
)

// A config is what the flags say.
type config struct {
	base, dir, pkg string
	copies         []string
	bench          string // for counting
	times          string // for timing; empty for none
	counts         bool
	functions      *regexp.Regexp // nil for none
	arches         []string
	rounds         int
	benchtime      string
	accept         *regexp.Regexp // nil for nothing
	force          bool
	history        string
	json           string
	summary        string
}

func main() {
	c, err := parse(os.Args[1:])
	if err == flag.ErrHelp {
		os.Exit(0)
	}
	if err == nil {
		var worse bool
		if worse, err = gateHere(c, os.Stdout, os.Stderr); worse {
			os.Exit(exitRegression)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "regress:", err)
		os.Exit(exitError)
	}
}

func parse(args []string) (*config, error) {
	c := &config{}
	var copies, arches, functions, accept string
	f := flag.NewFlagSet("regress", flag.ContinueOnError)
	f.StringVar(&c.base, "base", "", "the `commit` to compare the current folder's tree with, "+
		"such as origin/main (needed)")
	f.StringVar(&c.dir, "dir", ".", "the module's `folder` in the repository")
	f.StringVar(&c.pkg, "package", ".", "the `package` with the benchmarks")
	f.StringVar(&copies, "copy", "", "files and folders, with commas, that the base gets from "+
		"the head before it is built: the benchmarks, if they are new")
	f.StringVar(&c.bench, "bench", ".", "count the benchmarks that match this `pattern`")
	f.StringVar(&c.times, "time", ".", "time the benchmarks that match this `pattern`; empty "+
		"for none")
	f.BoolVar(&c.counts, "counts", runtime.GOOS == "linux",
		"count instructions and allocations, which needs valgrind")
	f.StringVar(&functions, "functions", "", "compare size and inner loops of the functions that "+
		"match this `pattern`; empty for none")
	f.StringVar(&arches, "arch", "amd64,arm64",
		"the architectures to build for, to compare functions")
	f.IntVar(&c.rounds, "rounds", 15, "rounds of timing; twice as many to confirm")
	f.StringVar(&c.benchtime, "benchtime", "500us",
		"time of a benchmark, as in go test; the shortest of 5 counts in a round")
	f.StringVar(&accept, "accept", "",
		"let pass what is worse if its line matches this `pattern`, and say so")
	f.BoolVar(&c.force, "force", false, "measure although the two binaries are equal")
	f.StringVar(&c.history, "history", "", "append a line of JSON to this `file`, or to the one "+
		"of the CPU in this folder")
	f.StringVar(&c.json, "json", "", "write all that was found to this `file`")
	f.StringVar(&c.summary, "summary", os.Getenv("GITHUB_STEP_SUMMARY"),
		"append the Markdown to this `file`")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("what is %q?", f.Arg(0))
	}
	if c.base == "" {
		return nil, fmt.Errorf("-base is needed: the commit to compare with")
	}
	if c.rounds < 6 {
		return nil, fmt.Errorf("-rounds %d: fewer than 6 have no interval of 95 %%", c.rounds)
	}
	if copies != "" {
		c.copies = strings.Split(copies, ",")
	}
	if functions != "" {
		c.arches = strings.Split(arches, ",")
	}
	return c, c.compile(functions, accept)
}

// compile reads the patterns of -functions and -accept.
func (c *config) compile(functions, accept string) error {
	for _, p := range []struct {
		flag, text string
		to         **regexp.Regexp
	}{{"functions", functions, &c.functions}, {"accept", accept, &c.accept}} {
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
func gateHere(c *config, out, progress io.Writer) (worse bool, err error) {
	work, err := os.MkdirTemp("", "regress-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	head, err := here()
	if err != nil {
		return false, err
	}
	base, remove, err := checkout(head.root, "base", c.base, work)
	if err != nil {
		return false, err
	}
	defer remove()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		remove()
		os.RemoveAll(work)
		os.Exit(exitInterrupted)
	}()
	if err := copyInto(base, head, c.copies); err != nil {
		return false, err
	}
	r, err := compare(c, base, head, work, progress)
	if err != nil {
		return false, err
	}
	r.settle(c.accept)
	return r.worse(), r.write(c, out)
}

// compare builds both trees and compares what they do.
func compare(c *config, base, head tree, work string, progress io.Writer) (*result, error) {
	r, err := prepare(c, base, head, work, progress)
	if err != nil || r.Identical && !c.force {
		return r, err
	}
	return r, r.measure(c, work, progress)
}

// binaryOf is the name of a tree's test binary for an architecture, which is "" for this machine's.
func binaryOf(work, tree, arch string) string { return filepath.Join(work, tree+arch+".test") }

// prepare builds the test binaries and finds out whether they differ.
func prepare(c *config, base, head tree, work string, progress io.Writer) (*result, error) {
	r := &result{Time: time.Now().UTC(), Base: base.commit, Commit: head.commit,
		Changed: head.changed, CPU: machine.CPU()}
	goVersion, err := run(filepath.Join(head.root, c.dir), nil, "go", "version")
	if err != nil {
		return nil, err
	}
	r.Go = strings.TrimPrefix(strings.TrimSpace(goVersion), "go version ")
	fmt.Fprintf(progress, "regress: building base %.12s and head %.12s\n", base.commit, head.commit)
	r.Identical = true
	if err := head.buildAll(c, work); err != nil {
		return nil, err
	}
	if err := base.buildAll(c, work); err != nil {
		if len(c.copies) == 0 {
			return nil, err
		}
		// The head's benchmarks need what the base does not have. Those of the base may do as well.
		if restored := base.restore(); restored != nil {
			return nil, restored
		}
		if base.buildAll(c, work) != nil {
			return nil, err
		}
		r.Notes = append(r.Notes, "The benchmarks of the head do not fit the base, which was "+
			"built with its own.")
	}
	for _, arch := range append([]string{""}, c.arches...) {
		equal, err := same(binaryOf(work, "base", arch), binaryOf(work, "head", arch))
		if err != nil {
			return nil, err
		}
		r.Identical = r.Identical && equal
	}
	if r.Identical {
		fmt.Fprintln(progress, "regress: the test binaries are equal, byte for byte: nothing can "+
			"have changed")
	}
	return r, nil
}

// measure compares the binaries that prepare has built in work.
func (r *result) measure(c *config, work string, progress io.Writer) (err error) {
	say := func(format string, a ...any) { fmt.Fprintf(progress, "regress: "+format+"\n", a...) }
	trees := []string{"base", "head"}
	for _, arch := range c.arches {
		say("reading the functions for %s", arch)
		var both [2][]function
		for i, t := range trees {
			if both[i], err = functions(binaryOf(work, t, arch), c.functions); err != nil {
				return err
			}
		}
		r.compareFunctions(arch, both[0], both[1])
	}

	if c.counts {
		say("counting instructions")
		var both [2]map[string]count
		var errs [2]error
		var wait sync.WaitGroup // the two may disturb each other: what is counted stays the same
		for i, t := range trees {
			wait.Go(func() {
				files := filepath.Join(work, t+".counts")
				both[i], errs[i] = counts(binaryOf(work, t, ""), c.bench, files)
				if errs[i] != nil {
					errs[i] = fmt.Errorf("%s: %w", t, errs[i])
				}
			})
		}
		wait.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		r.compareCounts(both[0], both[1])
	} else {
		r.Notes = append(r.Notes, "Instructions and allocations were not counted.")
	}

	if c.times != "" {
		return r.time(c, work, say)
	}
	return nil
}

// time is the soft part.
func (r *result) time(c *config, work string, say func(string, ...any)) error {
	base, head := binaryOf(work, "base", ""), binaryOf(work, "head", "")
	again := binaryOf(work, "again", "")
	if err := copyFile(again, base); err != nil {
		return err
	}
	r.Notes = append(r.Notes, "Processes that were timed: "+machine.Pin().String()+".")
	defer runtime.UnlockOSThread()
	before, err := names(base, c.times)
	if err != nil {
		return err
	}
	after, err := names(head, c.times)
	if err != nil {
		return err
	}
	both := slices.DeleteFunc(after, func(name string) bool {
		return !slices.Contains(before, name)
	})
	measure := func(benchmarks []string, rounds int) (map[string]*timing, error) {
		say("timing %d benchmarks in %d rounds of base, head and base again",
			len(benchmarks), rounds)
		start, last, left := time.Now(), time.Now(), len(benchmarks)*rounds
		return timeAll(base, head, again, benchmarks, rounds, c.benchtime, func() {
			left--
			if done := len(benchmarks)*rounds - left; time.Since(last) > 10*time.Second {
				last = time.Now()
				say("%.0f s left", time.Since(start).Seconds()*float64(left)/float64(done))
			}
		})
	}
	first, err := measure(both, c.rounds)
	if err != nil {
		return err
	}
	var doubtful []string
	for _, name := range both {
		if first[name].slower() {
			doubtful = append(doubtful, name)
		}
	}
	var second map[string]*timing
	if len(doubtful) > 0 {
		say("%d look slower; once more", len(doubtful))
		if second, err = measure(doubtful, 2*c.rounds); err != nil {
			return err
		}
	}
	for _, name := range both {
		r.addTiming(name, first[name], second[name])
	}
	return nil
}

// write writes the summary, the findings and the line of the history.
func (r *result) write(c *config, out io.Writer) error {
	text := r.markdown()
	if _, err := io.WriteString(out, text); err != nil {
		return err
	}
	if c.summary != "" {
		f, err := os.OpenFile(c.summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, text); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	if c.json != "" {
		if err := r.writeJSON(c.json); err != nil {
			return err
		}
	}
	if c.history != "" && len(r.Findings) > 0 {
		return history.Append(history.File(c.history, r.CPU), r.line())
	}
	return nil
}
