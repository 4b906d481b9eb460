package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/gate/history"
	"github.com/pegasimd/pegasimd/gate/machine"
)

type project struct {
	t   *testing.T
	dir string
}

func newProject(t *testing.T) *project {
	p := emptyProject(t)
	if err := os.CopyFS(p.dir, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	p.commit("Begin")
	return p
}

func emptyProject(t *testing.T) *project {
	needs(t, "git")
	t.Parallel()
	p := &project{t, filepath.Join(t.TempDir(), "inside")} // tests put files beside it
	if err := os.Mkdir(p.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	p.do("git", "init", "-q")
	return p
}

func (p *project) do(name string, args ...string) string {
	p.t.Helper()
	out, err := run(p.t.Context(), p.dir, nil, name, args...)
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

func (p *project) commit(what string) {
	p.t.Helper()
	p.do("git", "add", "-A")
	p.do("git", "commit", "-q", "-m", what)
}

func (p *project) edit(file, old, new string) {
	p.t.Helper()
	name := filepath.Join(p.dir, file)
	text, err := os.ReadFile(name)
	if err != nil {
		p.t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		p.t.Fatalf("%s has no %q", file, old)
	}
	p.write(file, strings.Replace(string(text), old, new, 1))
}

func (p *project) write(file, text string) {
	p.t.Helper()
	file = filepath.Join(p.dir, file)
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err = errors.Join(err, os.WriteFile(file, []byte(text), 0o666)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) remove(name string) {
	p.t.Helper()
	if err := os.RemoveAll(filepath.Join(p.dir, name)); err != nil {
		p.t.Fatal(err)
	}
}

// change makes the binaries differ without changing results.
func (p *project) change() {
	p.t.Helper()
	p.edit("search.go", "best := 0", "best := len(scores) - len(rows)")
}

func (p *project) command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"-rounds", "6"}, args...)...)
	cmd.Dir, cmd.Env = p.dir, append(append(os.Environ(), asGate+"=1"), env...)
	return cmd
}

func (p *project) check(want int, args ...string) string {
	p.t.Helper()
	return p.checkIn(nil, want, args...)
}

func (p *project) checkIn(env []string, want int, args ...string) string {
	p.t.Helper()
	out, err := p.command(env, args...).CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		p.t.Fatal(err)
	}
	if code != want {
		p.t.Errorf("gate %v: exit code %d, want %d\n%s", args, code, want, out)
	}
	return string(out)
}

func (p *project) lacks(text string, parts ...string) {
	p.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			p.t.Errorf("%q is missing:\n%s", part, text)
		}
	}
}

func TestNothingToMeasure(t *testing.T) {
	p := newProject(t)
	p.edit("search.go", "// Nearest returns", "// Nearest tells")
	past := filepath.Join(p.dir, "history.jsonl")
	p.lacks(p.check(0, "-base", "HEAD", "-history", past), "gate: comparing head ",
		"gate: building the head, packages: 1", "byte for byte")
	if _, err := os.Stat(past); !os.IsNotExist(err) {
		t.Error("there is a history, although nothing was measured")
	}
	p.commit("Word")
	p.lacks(p.check(2, "-base", "nowhere"), "nowhere")
	p.lacks(p.check(2), "-base is missing or empty")
	p.lacks(p.check(2, "-base", "HEAD", "-package", "./nowhere"), "no benchmarks in ./nowhere")
	p.edit("search.go", "best := 0", "best := nothing")
	p.lacks(p.check(2, "-base", "HEAD"), "the head can't be built")
	p.edit("search.go", "best := nothing", "best := 0")
	p.edit("search_test.go", "for range b.N {\n\t\t\tWords",
		"b.Fatal(1)\n\t\tfor range b.N {\n\t\t\tWords")
	p.lacks(p.check(2, "-base", "HEAD", "-time", ""),
		"benchmarks or packages that fail in the head alone: 1", "| Words/long | run |",
		"| Nearest | insn/op |")
}

func TestPlainBenchmarks(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: plain benchmarks, counted")
	}
	needs(t, "valgrind")
	p := newProject(t)
	const slower = "\tsum := float32(0)\n\t\tfor j := range 4 {\n" +
		"\t\t\tsum += float32(j) * 0\n\t\t}\n"
	p.edit("search.go", "\tsum := float32(0)\n", slower)
	before := p.do("git", "status", "--porcelain", "--ignored")
	past := filepath.Join(p.dir, "../history.jsonl")
	summary := filepath.Join(p.dir, "../summary.md")
	out := p.checkIn([]string{"GITHUB_STEP_SUMMARY=" + summary}, 1, "-base", "HEAD", "-time",
		"Nearest", "-history", past)
	p.lacks(out, "| Nearest | insn/op |", "| Score | insn/op |", machine.CPU(),
		"with changes that are not committed", "### All numbers\n\n<details><summary>13</summary>")
	if worse := section(out, "### Worse"); strings.Contains(worse, "Words") {
		t.Errorf("a benchmark that is not slower is worse:\n%s", out)
	}
	if after := p.do("git", "status", "--porcelain", "--ignored"); after != before {
		t.Errorf("the tree has changed: %s", after)
	}
	text, err := os.ReadFile(summary)
	if err != nil || !strings.Contains(out, string(text)) ||
		!strings.HasPrefix(string(text), "## Regression gate: ") {
		t.Errorf("%s is not the summary: %v\n%s", summary, err, text)
	}
	runs := readHistory(t, past)
	if len(runs) != 1 || runs[0].Verdict != "regression" || runs[0].CPU != machine.CPU() ||
		runs[0].Values["Score"]["insn/op"] < 1000 || len(runs[0].Commit) != 40 {
		t.Errorf("history: %+v", runs)
	}
	if left := p.do("git", "worktree", "list"); strings.Count(left, "\n") != 1 {
		t.Errorf("worktrees are left behind: %s", left)
	}

	p.do("git", "checkout", "-q", ".")
	p.edit("search.go", "\tScore(rows, query, scores)\n",
		"\tscores = append([]float32(nil), scores...)\n\tScore(rows, query, scores)\n")
	p.lacks(section(p.check(1, "-base", "HEAD", "-time", "", "-bench", "Nearest"), "### Worse"),
		"| Nearest | allocs/op | 0 | 1 |", "| Nearest | B/op | 0 | 256 |")
}

func section(text, heading string) string {
	_, text, _ = strings.Cut(text, heading)
	text, _, _ = strings.Cut(text, "\n### ")
	return text
}

func TestFirstPullRequest(t *testing.T) {
	p := newProject(t)
	tests := p.do("git", "show", "HEAD:search_test.go")
	p.remove("search_test.go")
	p.commit("Take the benchmarks away")
	p.write("search_test.go", tests)
	if err := os.CopyFS(filepath.Join(p.dir, "more"), os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	p.remove("more/go.mod")
	p.lacks(section(p.check(0, "-base", "HEAD"), "### Not in both"), "| Nearest |",
		"| Words/long |", "| more.Nearest |", "| new |")
	p.commit("More")
	p.remove("more")
	p.edit("search_test.go", "BenchmarkScore", "BenchmarkOther")
	out := p.check(0, "-base", "HEAD", "-time", "")
	p.lacks(out, "| Score | ", "| gone |", "| Other | ",
		"no benchmarks in `example.com/search/more`")
}

func TestWithoutValgrind(t *testing.T) {
	p := newProject(t)
	p.edit("search.go", "\tScore(rows, query, scores)\n",
		"\tfor range 3 {\n\t\tscores = append([]float32(nil), scores...)\n"+
			"\t\tScore(rows, query, scores)\n\t}\n")
	env := withoutValgrind(t)
	out := p.checkIn(env, 1, "-base", "HEAD", "-time", "Nearest")
	p.lacks(out, "Instructions were not counted: there is no valgrind in PATH", "| Nearest | ns/op |",
		"| Nearest | allocs/op | 0 | 3 |")
	if strings.Contains(out, "insn/") {
		t.Errorf("there are instructions:\n%s", out)
	}
	p.do("git", "checkout", "-q", ".")
	p.change()
	for code, flags := range map[int][]string{0: nil, 2: {"-strict"}} {
		p.checkIn(env, code, append(flags, "-base", "HEAD", "-time", "")...)
	}
}

func withoutValgrind(t *testing.T) []string {
	t.Helper()
	bin := t.TempDir()
	for _, program := range []string{"go", "git", "sh"} {
		path, err := exec.LookPath(program)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(bin, program)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin}
}

// A line in a commit's message accepts the regressions that match its pattern, until the base
// contains the commit.
func TestAcceptedByCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: what commits accept")
	}
	p := newProject(t)
	p.do("git", "branch", "before")
	p.edit("search.go", "\tScore(rows, query, scores)\n",
		"\tscores = append([]float32(nil), scores...)\n\tScore(rows, query, scores)\n")
	message := "Keep the scores of the caller\n\nThey are read later.\n\ngate-accept: %s\n"
	flags := []string{"-base", "before", "-time", "", "-bench", "Nearest"}
	p.commit(fmt.Sprintf(message, "^Nearest ("))
	p.lacks(p.check(2, flags...), "gate-accept: ^Nearest (: error parsing regexp")
	p.do("git", "commit", "-q", "--amend", "-m", fmt.Sprintf(message, ""))
	p.lacks(p.check(2, flags...), "there is no pattern")
	p.do("git", "commit", "-q", "--amend", "-m", fmt.Sprintf(message, "^Nearest allocs/op$"))
	p.lacks(section(p.check(1, flags...), "### Worse"),
		"| Nearest | allocs/op | 0 | 1 | - | worse, accepted |",
		"| Nearest | B/op | 0 | 256 | - | worse |")
	p.do("git", "commit", "-q", "--amend", "-m", fmt.Sprintf(message, "^Nearest "))
	commit := strings.TrimSpace(p.do("git", "rev-parse", "--short", "HEAD"))
	p.lacks(p.check(0, flags...), "nothing is worse",
		"Commit "+commit+" accepts worse numbers that match `^Nearest`")
	p.do("git", "branch", "-f", "before")
	p.edit("search.go", "scores = append", "scores = append([]float32(nil), scores...)\n"+
		"\tscores = append")
	p.commit("Once more")
	p.check(1, flags...)
}

// Assembly that this CPU may not be able to run is compared by reading its loops.
func TestAssemblyOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: assembly of others")
	}
	p := newProject(t)
	p.write("wide_amd64.go", `package search

func double(x *float32, n int)

func carry()

var wide bool

func init() {
	if wide {
		double(nil, 0)
		carry()
	}
}
`)
	p.write("wide_amd64.s", `#include "textflag.h"

// func double(x *float32, n int)
TEXT ·double(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), AX
	MOVQ n+8(FP), CX
loop:
	VMOVUPS (AX), Z0
	VADDPS  Z0, Z0, Z0
	VMOVUPS Z0, (AX)
	ADDQ    $64, AX
	SUBQ    $16, CX
	JNZ     loop
	VZEROUPPER
	RET

// func carry()
TEXT ·carry(SB), NOSPLIT, $0-0
	ADOXQ R11, R13
	RET
`)
	p.commit("Add assembly")
	p.edit("wide_amd64.s", "\tVMOVUPS Z0, (AX)\n", "\tVADDPS  Z0, Z0, Z0\n\tVMOVUPS Z0, (AX)\n")
	flags := []string{"-base", "HEAD", "-bench", "", "-time", "", "-functions", `search\.`}
	out := p.check(1, flags...)
	p.lacks(section(out, "### Worse"), "| search.double/loop=1/amd64 | insn/KiB | 96 | 112 |")
	p.lacks(out, "can't be read: `search.carry`.")
	p.do("git", "checkout", "-q", ".")
	p.change()
	p.check(0, flags...)
	p.check(2, append(flags, "-strict")...)
}

func TestSingleCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: single calls, counted")
	}
	needs(t, "valgrind")
	p := newProject(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/pegasimd/pegasimd/gate"
	const text = `package search

import (
	"testing"

	"` + module + `/count"
)

func BenchmarkCalls(b *testing.B) {
	rows, query, scores := operands()
	count.Run(b, func() { nearest = Nearest(rows, query, scores) })
}
`
	p.do("go", "mod", "edit", "-require", module+"@v0.0.0", "-replace", module+"="+here)
	p.write("calls_test.go", text)
	p.do("go", "mod", "tidy")
	p.commit("Require the gate")
	past := filepath.Join(p.dir, "../history.jsonl")
	flags := []string{"-base", "HEAD", "-bench", "Calls", "-time", "", "-history", past}
	p.change()
	p.lacks(p.check(0, flags...), "| Calls | insn/call |")
	p.edit("search.go", "best := len", "scores[0] += float32(len(query))\n\tbest := len")
	p.check(0, flags...)
	p.check(0, flags...)
	var calls []float64
	for _, run := range readHistory(t, past) {
		calls = append(calls, run.Values["Calls"]["insn/call"])
	}
	if len(calls) != 3 || calls[1] <= calls[0] || calls[2] != calls[1] {
		t.Errorf("%v instructions, want more with another statement, and as many again", calls)
	}
}

func readHistory(t *testing.T, file string) []*history.Run {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := history.Read(file, f)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}
