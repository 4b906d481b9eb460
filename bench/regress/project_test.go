package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/bench/internal/history"
	"github.com/pegasimd/pegasimd/bench/internal/machine"
)

// Another project, the module in example, gates its benchmark as docs/gate.md says: a change of
// words passes without a measurement, more work or an allocation in a call does not, and what can't
// be compared is an error with its own exit code.
func TestAnotherProject(t *testing.T) {
	needs(t, "git")
	if machine.Slug(machine.CPU()) == "" {
		t.Fatal("the CPU has no name")
	}
	head, err := here()
	if err != nil {
		t.Fatal(err)
	}
	gate := filepath.Join(t.TempDir(), "regress")
	if _, err := run(".", nil, "go", "build", "-o", gate, "."); err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	if err := os.CopyFS(project, os.DirFS("example")); err != nil {
		t.Fatal(err)
	}
	do := func(name string, args ...string) {
		t.Helper()
		if _, err := run(project, nil, name, args...); err != nil {
			t.Fatal(err)
		}
	}
	do("go", "mod", "edit", "-replace", "github.com/pegasimd/pegasimd="+head.root, "-replace",
		"github.com/pegasimd/pegasimd/bench="+filepath.Join(head.root, "bench"))
	do("git", "init", "-q")
	do("git", "config", "user.email", "someone@example.com")
	do("git", "config", "user.name", "Someone")
	commit := func(what string) {
		t.Helper()
		do("git", "add", "-A")
		do("git", "commit", "-q", "-m", what)
	}
	write := func(old, new string) {
		t.Helper()
		name := filepath.Join(project, "search.go")
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), old) {
			t.Fatalf("the example has no %q", old)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	past := filepath.Join(project, "history.jsonl")
	check := func(want int, args ...string) string {
		t.Helper()
		cmd := exec.Command(gate, append([]string{"-history", past, "-rounds", "6"}, args...)...)
		cmd.Dir = project
		cmd.Env = append(cmd.Environ(), "GITHUB_STEP_SUMMARY="+filepath.Join(project, "summary.md"))
		out, err := cmd.CombinedOutput()
		code := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if code != want {
			t.Errorf("regress %v: exit code %d, want %d\n%s", args, code, want, out)
		}
		return string(out)
	}

	commit("Begin")
	write("// Nearest returns", "// Nearest tells")
	if out := check(0, "-base", "HEAD"); !strings.Contains(out, "byte for byte") {
		t.Errorf("another word in a comment was measured:\n%s", out)
	}
	commit("Word")
	if out := check(2, "-base", "nowhere"); !strings.Contains(out, "nowhere") {
		t.Errorf("the commit that is not there is not named:\n%s", out)
	}
	check(2)
	write("m.DotRows(", "this does not compile(")
	if out := check(2, "-base", "HEAD"); !strings.Contains(out, "the head can't be built") {
		t.Errorf("it is not said which of the two can't be built:\n%s", out)
	}
	write("this does not compile(", "m.DotRows(")
	if out := check(0, "-base", "HEAD", "-copy", "search_test.go", "-force", "-time", "Nearest",
		"-counts=false"); !strings.Contains(out, "| ns/op, timed | 1 |") {
		t.Errorf("the benchmark is not timed:\n%s", out)
	}
	if err := os.Remove(past); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(past); !os.IsNotExist(err) {
		t.Error("the history has what was not measured")
	}

	needs(t, "valgrind")
	write("	best := 0", "	m.DotRows(scores, 0, query) // twice\n	best := 0")
	out := check(1, "-base", "HEAD~1")
	for _, want := range []string{"| Nearest | insn/call |", machine.CPU(),
		"with changes that are not committed"} {
		if !strings.Contains(out, want) {
			t.Errorf("the summary lacks %q:\n%s", want, out)
		}
	}
	if out := check(0, "-base", "HEAD~1", "-time", "", "-functions", `search\.`, "-accept",
		"^(Nearest|all functions)"); !strings.Contains(out, "worse, accepted") {
		t.Errorf("what was accepted is not shown:\n%s", out)
	}
	write("	m.DotRows(scores, 0, query) // twice\n",
		"	scores = append([]float32(nil), scores...)\n")
	if out := check(1, "-base", "HEAD", "-time", ""); !strings.Contains(out,
		"| Nearest | allocs/call | 0 | 1 |") {
		t.Errorf("the allocation is not seen:\n%s", out)
	}

	// The head's benchmark does not fit the base, which then keeps its own.
	write("query, scores []float32) int {", "query, scores []float32, first int) int {")
	write("best := 0", "best := first")
	benchmark := filepath.Join(project, "search_test.go")
	text, err := os.ReadFile(benchmark)
	if err != nil {
		t.Fatal(err)
	}
	fitting := strings.NewReplacer("Nearest(m, query, scores)", "Nearest(m, query, scores, 0)",
		"if got := Nearest(operands())", "m, query, scores := operands()\n\tif got := Nearest(m, "+
			"query, scores, 0)").Replace(string(text))
	if err := os.WriteFile(benchmark, []byte(fitting), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := check(1, "-base", "HEAD", "-time", "", "-copy", "search_test.go"); !strings.Contains(
		out, "do not fit the base") || !strings.Contains(out, "| Nearest | allocs/call | 0 | 1 |") {
		t.Errorf("the base's own benchmark is not used:\n%s", out)
	}

	f, err := os.Open(past)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	runs, err := history.Read(past, f)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		got = append(got, r.Verdict)
		if r.Values["Nearest"]["insn/call"] < 1000 || r.CPU != machine.CPU() ||
			len(r.Commit) != 40 {
			t.Errorf("line of the history: %+v", r)
		}
	}
	if !slices.Equal(got, []string{"regression", "pass", "regression", "regression"}) {
		t.Errorf("the history has %v", got)
	}
	text, err = os.ReadFile(filepath.Join(project, "summary.md"))
	if err != nil || strings.Count(string(text), "## Regression gate") != 6 {
		t.Errorf("the summary's file has not the six comparisons: %v\n%s", err, text)
	}
	if left, err := git(project, "worktree", "list"); err != nil || strings.Count(left, "\n") != 0 {
		t.Errorf("worktrees are left behind: %s, %v", left, err)
	}
}
