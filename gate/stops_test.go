//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func (p *project) stuck() {
	p.edit("search_test.go", "for range b.N {\n\t\t\tWords",
		"time.Sleep(10 * time.Minute)\n\t\tfor range b.N {\n\t\t\tWords")
	p.edit("search_test.go", "\"testing\"\n", "\"testing\"\n\t\"time\"\n")
}

func (p *project) noneLeft(dir string) {
	p.t.Helper()
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "gate-") {
			p.t.Errorf("%s is left behind", f.Name())
		}
	}
	if err != nil {
		p.t.Error(err)
	}
	if left := p.do("git", "worktree", "list"); strings.Count(left, "\n") != 1 {
		p.t.Errorf("worktrees are left behind: %s", left)
	}
	if processes := p.processes(dir); processes != "" {
		p.t.Errorf("processes are left behind:\n%s", processes)
	}
}

func (p *project) processes(dir string) string {
	p.t.Helper()
	needs(p.t, "ps")
	out, err := exec.Command("ps", "-A", "-o", "pid,args").Output()
	if err != nil {
		p.t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, dir) {
			all = append(all, line)
		}
	}
	return strings.Join(all, "")
}

func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o777); err != nil {
		t.Fatal(err)
	}
	return name
}

// The gate kills processes that a benchmark left, and does not wait for them, even if they hold the
// output open.
func TestChildrenEnd(t *testing.T) {
	p, child := &project{t: t}, script(t, "sleep 3600; exit")
	if _, err := measured(t.Context(), ".", nil, script(t, child+" & "+child+" >&2 &")); err != nil {
		t.Error(err)
	}
	for p.processes(child) != "" { // the test's time limit ends this if a process is left behind
		time.Sleep(10 * time.Millisecond)
	}
}

func TestForgedLines(t *testing.T) {
	binary := script(t, "echo BenchmarkA; echo BenchmarkA 1 5 ns/op\n"+
		"echo BenchmarkB/x; echo BenchmarkB/x 1 5 ns/op; echo BenchmarkB/x 7 6 ns/op\n"+
		"echo PASS\n")
	ran := benchmarks(t.Context(), side{dir: ".", binary: binary}, nil, 1, ".")
	if len(ran.lines) != 1 || len(ran.lines["A"]) != 1 || !ran.ended || ran.late || ran.err == nil ||
		!strings.Contains(ran.err.Error(), "B/x: there are 2 lines of results, want 1") {
		t.Errorf("got %+v", ran)
	}
	if testing.Short() {
		t.Skip("not tested in a short run: a project with such lines")
	}
	p := newProject(t)
	p.edit("search_test.go", "rows, query, scores := operands()\n\tb.ResetTimer()",
		"rows, query, scores := operands()\n\tprintln(\"BenchmarkScore 1 5 ns/op\")\n\tb.ResetTimer()")
	p.commit("Print a line like a result")
	p.change()
	out := p.check(0, "-base", "HEAD", "-bench", "Score|Nearest", "-time", "Score|Nearest")
	p.lacks(out, "Benchmarks of `example.com/search` that fail or do not run in the head are not counted: ",
		"Score: there are ", "| Nearest | ns/op |", "| Nearest | insn/op |")
}

func TestStuck(t *testing.T) {
	binary := script(t, "echo BenchmarkA; echo BenchmarkA 1 5 ns/op\n"+
		"echo BenchmarkB; echo BenchmarkB/x; sleep 3600\n")
	for limit := time.Second; ; limit *= 4 { // a busy machine may be slow to print the lines
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		ran := benchmarks(ctx, side{dir: ".", binary: binary}, nil, 1, ".")
		cancel()
		if len(ran.lines["A"]) == 1 && ran.stuck == "B/x" && !ran.ended && ran.late {
			return
		}
		if limit > time.Minute {
			t.Fatalf("got %+v", ran)
		}
	}
}

// -limit holds even if a benchmark does not end.
func TestLimitHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: the limit")
	}
	needs(t, "valgrind")
	p := newProject(t)
	p.stuck()
	dir := t.TempDir()
	env := []string{"TMPDIR=" + dir}
	start := time.Now()
	p.lacks(p.checkIn(env, 2, "-base", "HEAD", "-limit", "2s"),
		"does not end within its share of -limit", "| Words/long | run |")
	p.noneLeft(dir)
	p.commit("Stuck")
	p.change()
	const counted, timed = "| Nearest | insn/op |", "| Nearest | ns/op |"
	var out string
	for _, limit := range []string{"16s", "80s"} { // 16 s may be too few on a busy machine
		out = p.checkIn(env, 0, "-base", "HEAD", "-time", "Nearest|Words", "-limit", limit)
		p.noneLeft(dir)
		if strings.Contains(out, counted) && strings.Contains(out, timed) {
			break
		}
	}
	p.lacks(out, "once: only those that ended are counted. Running at that time: `Words/long`.",
		counted, timed, "of this package, are not timed. Running at that time: `Words/long`.")
	p.lacks(p.checkIn(env, 2, "-base", "HEAD", "-time", "Nearest", "-limit", "16s", "-strict"),
		"-strict: not settled: not everything was measured; ")
	if took := time.Since(start); took > 9*time.Minute { // the benchmark sleeps for ten
		t.Errorf("it took %s", took)
	}
}

func TestInterrupt(t *testing.T) {
	needs(t, "valgrind")
	p := newProject(t)
	p.change()
	p.edit("search_test.go", "for range b.N {\n\t\t\tWords", "for range 10000 * b.N {\n\t\t\tWords")
	for _, when := range []string{"--tool=callgrind", "-test.benchmem", ".test"} {
		t.Run(when, func(t *testing.T) {
			dir := t.TempDir()
			cmd := p.command([]string{"TMPDIR=" + dir}, "-base", "HEAD", "-bench", "Words")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			for !strings.Contains(p.processes(filepath.Join(dir, "gate-")), when) {
				if time.Since(begin) > 5*time.Minute {
					cmd.Process.Kill()
					t.Fatalf("%s was not run", when)
				}
				time.Sleep(10 * time.Millisecond)
			}
			begin = time.Now()
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
				t.Errorf("it ends with %v, want exit code %d\n%s", err, exitInterrupted, &out)
			}
			if took := time.Since(begin); took > time.Minute {
				t.Errorf("it took %s to end", took)
			}
			p.noneLeft(dir)
		})
	}
}
