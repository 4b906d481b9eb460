package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// outcomes has a result for each heading in the table of outcomes in docs/gate.md.
var outcomes = []struct {
	name            string
	identical, idle bool
	missed          int
	verdicts        []verdict
	want            outcome
}{
	{name: "all equal", verdicts: []verdict{equal, better},
		want: outcome{"nothing is worse", 0, 0}},
	{name: "equal, with new and removed ones", verdicts: []verdict{equal, added, gone},
		want: outcome{"nothing is worse; gone: 1", 0, 0}},
	{name: "equal binaries", identical: true, want: outcome{"nothing is worse", 0, 0}},
	{name: "equal binaries, others not built", identical: true, missed: 1, want: outcome{
		"not settled: not everything could be built, and the rest is equal", 0, 2}},
	{name: "accepted", verdicts: []verdict{accepted, equal},
		want: outcome{"nothing is worse, but for what is accepted", 0, 0}},
	{name: "worse", verdicts: []verdict{worse, equal, accepted, gone},
		want: outcome{"numbers that are worse: 1 of 3; gone: 1", 1, 1}},
	{name: "worse, and -limit was reached", missed: 1, verdicts: []verdict{worse, unsettled},
		want: outcome{"numbers that are worse: 1 of 2", 1, 1}},
	{name: "some not settled", verdicts: []verdict{equal, better, unsettled},
		want: outcome{"not settled: not everything was measured; numbers that are not " +
			"worse: 2 of 3", 0, 2}},
	{name: "some not measured", missed: 1, verdicts: []verdict{equal},
		want: outcome{"not settled: not everything was measured; numbers that are not " +
			"worse: 1 of 1", 0, 2}},
	{name: "accepted, others not measured", missed: 1, verdicts: []verdict{accepted},
		want: outcome{"not settled: not everything was measured; numbers that are not " +
			"worse: 0 of 1", 0, 2}},
	{name: "none settled", verdicts: []verdict{unsettled, unsettled},
		want: outcome{"not settled: nothing could be compared", 2, 2}},
	{name: "none measured", missed: 1, want: outcome{"not settled: nothing could be compared", 2, 2}},
	{name: "nothing at all", want: outcome{"not settled: nothing could be compared", 2, 2}},
	{name: "all removed", verdicts: []verdict{gone},
		want: outcome{"not settled: nothing could be compared; gone: 1", 2, 2}},
	{name: "all new", verdicts: []verdict{added, gone},
		want: outcome{"nothing was compared: all that was measured in the head is new; gone: 1", 0, 0}},
	{name: "new, others not measured", missed: 1, verdicts: []verdict{added},
		want: outcome{"not settled: not everything was measured, and the rest is new in the head",
			0, 2}},
	{name: "fails", verdicts: []verdict{failing, equal},
		want: outcome{"benchmarks or packages that fail in the head alone: 1", 2, 2}},
	{name: "the same commit", identical: true, idle: true,
		want: outcome{"nothing to compare: the head is the base, without changes", 0, 2}},
	{name: "the same commit, and still worse", idle: true, verdicts: []verdict{worse, equal},
		want: outcome{"numbers that are worse: 1 of 2", 1, 1}},
}

func TestOutcomes(t *testing.T) {
	text, err := os.ReadFile("../docs/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(.*)` \\| .* \\| (\\d) \\| (\\d) \\|$").
		FindAllStringSubmatch(string(text), -1) {
		listed[strings.Join(row[1:], " ")] = false
	}
	number, lost := regexp.MustCompile(`\d+ of \d+`), regexp.MustCompile(`; gone: \d+$`)
	for _, c := range outcomes {
		r := &result{identical: c.identical, idle: c.idle, missed: make([]string, c.missed)}
		for _, v := range c.verdicts {
			r.add(finding{verdict: v})
		}
		got := r.outcome()
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		if strings.HasPrefix(got.heading, "nothing is worse") && c.missed > 0 {
			t.Errorf("%s: %q, though not all was measured", c.name, got.heading)
		}
		heading := lost.ReplaceAllString(number.ReplaceAllString(got.heading, "K of N"), "")
		heading = regexp.MustCompile(`alone: \d+$`).ReplaceAllString(heading, "alone: K")
		row := fmt.Sprint(heading, " ", got.exit, " ", got.strict)
		if _, ok := listed[row]; !ok {
			t.Errorf("%s: docs/gate.md has no row for %q", c.name, row)
		}
		listed[row] = true
	}
	for row, tried := range listed {
		if !tried {
			t.Errorf("docs/gate.md lists %q, which no result has", row)
		}
	}
}

func bench(name, before string) string {
	return "func Benchmark" + name + "(b *testing.B) {\n\t" + before +
		"\n\tfor range b.N {\n\t\tsink = Work(1000)\n\t}\n}\n"
}

func halves(between string) string {
	const half = "\tb.Run(%q, func(b *testing.B) {\n\t\tfor range b.N {\n" +
		"\t\t\tsink = Work(1000)\n\t\t}\n\t})\n"
	return "func BenchmarkHalves(b *testing.B) {\n" + fmt.Sprintf(half, "a") + "\t" + between +
		"\n" + fmt.Sprintf(half, "b") + "}\n"
}

const setUp = "func TestMain(m *testing.M) {\n\tprint(\"ready: \")\n\tm.Run()\n}\n"

func (p *project) benchmarks(add, text string) {
	p.t.Helper()
	p.write("go.mod", "module example.com/ex\n\ngo 1.24\n")
	p.write("f.go", "package ex\n\nfunc Work(n int) int {\n\ts := 0\n\tfor i := range n {\n"+
		"\t\ts += i ^ s>>1\n\t}\n\treturn s + "+add+"\n}\n")
	p.write("f_test.go", "package ex\n\nimport (\n\t\"os\"\n\t\"testing\"\n\t\"time\"\n)\n\n"+
		"var sink int\n\nvar _, _ = os.Args, time.Now\n\n"+text)
}

// The gate must not say "nothing is worse" if a benchmark that was asked for was not measured.
func TestFailsClosed(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: projects whose benchmarks can't be measured")
	}
	needs(t, "valgrind")
	const nothing = "Regression gate: not settled: nothing could be compared"
	const partly = "Regression gate: not settled: not everything was measured"
	work := bench("Work", "")
	silent := bench("Work", "b.Skip()") + bench("Late", "if b.N > 1 {\n\t\tb.Skip()\n\t}") +
		bench("More", "print(1)") +
		"func BenchmarkParts(b *testing.B) {\n\tb.Run(\"a\", func(b *testing.B) { b.Skip() })\n}\n"
	for _, c := range []struct {
		name         string
		base, head   string
		flags        string
		exit, strict int
		parts        []string
	}{
		{"no such package", work, work, "-package .,./more", 2, 2,
			[]string{"there are no benchmarks in ./more"}},
		{"removed", work, bench("Other", ""), "-bench Work", 2, 2,
			[]string{"-bench Work matches no benchmark of the head; the base has `BenchmarkWork`; " +
				"the head has `BenchmarkOther`"}},
		{"all removed", work, "", "", 2, 2,
			[]string{"the base has benchmarks in ./..., and the head has none that are built here"}},
		{"new", bench("Other", ""), work, "-bench Work", 0, 0,
			[]string{"nothing was compared: all that was measured in the head is new",
				"| Work | insn/op |"}},
		{"new, to be timed", bench("Other", ""), work, "-bench= -time Work", 0, 0,
			[]string{"nothing was compared: all that was measured in the head is new"}},
		{"all left out", work, work, "-skip .", 2, 2,
			[]string{"-bench . matches no benchmark of the head besides those that -skip leaves out; " +
				"the base has `BenchmarkWork`"}},
		{"functions, and benchmarks that are left out", work, work,
			"-bench Work -skip Work -functions Work", 2, 2, []string{"-bench Work matches no benchmark"}},
		{"skipped at once, late, in a sub-benchmark, and not to be read", silent, silent, "", 2, 2,
			// On a busy machine the first iteration may take a millisecond in one tree. Then no
			// other follows, and Late is not skipped.
			[]string{nothing, "and not compared: `Late`, `Parts/a`, `Work`",
				"Skipped by the base, and not compared: ", "Skipped by the head, and not compared: ",
				"the base prints no line", "the head prints no line"}},
		{"skipped in the head", work, bench("Work", "b.Skip()"), "", 2, 2,
			[]string{nothing, "Skipped by the head, and not compared: `Work`"}},
		{"skipped and not to be read, to be timed", work + bench("More", ""),
			bench("Work", "b.Skip()") + bench("More", "print(1)"), "-bench= -time .", 2, 2,
			[]string{nothing, "Skipped by the head, and not compared: `Work`",
				"the head prints no line", "`More`"}},
		{"one skipped, one not to be read", work + bench("More", "") + bench("Other", ""),
			bench("Work", "b.Skip()") + bench("More", "print(1)") + bench("Other", ""), "", 0, 2,
			[]string{partly + "; numbers that are not worse: 3 of 3", "Skipped by the head, and not " +
				"compared: `Work`", "the head prints no line of results that can be read", "`More`"}},
		{"new, with a name that is not ASCII", "", bench("Über", ""), "-limit 60s", 0, 0,
			[]string{"nothing was compared: all that was measured in the head is new",
				"| Über | insn/op |"}},
		{"prints before all others", work + setUp, bench("Work", "print(1)") + setUp, "", 2, 2,
			[]string{nothing, "the head prints no line", "`Work`"}},
		{"skipped halfway", halves(""), halves("b.Skip()"), "", 0, 2,
			[]string{partly + "; numbers that are not worse: 3 of 3",
				"in the head a parent benchmark", "`Halves/b`"}},
		{"skipped halfway, to be timed", halves(""), halves("b.Skip()"), "-bench= -time .", 0, 2,
			[]string{partly + "; numbers that are not worse: 1 of 1",
				"in the head a parent benchmark", "`Halves/b`"}},
		{"fails in the base", bench("Work", "b.Fatal(1)"), work, "", 2, 2,
			[]string{nothing, "do not run in the base are not counted: "}},
		{"panics in both", bench("Work", "panic(1)"), bench("Work", "panic(1)"), "", 2, 2,
			[]string{nothing, "do not run in the head are not counted: "}},
		{"panics in the head", work, bench("Work", "panic(1)"), "", 2, 2,
			[]string{"fail in the head alone: ", "| Work | run |"}},
		{"panics in the head, to be timed", work, bench("Work", "panic(1)"), "-bench= -time .", 2, 2,
			[]string{"fail in the head alone: ", "| Work | run |"}},
		{"another benchmark fails in the head", bench("Work", "") + bench("Other", "b.Fatal(1)"),
			bench("Work", "b.Fatal(1)") + bench("Other", ""), "", 2, 2,
			[]string{"fail in the head alone: ", "| Work | run |"}},
		{"ends without a word", bench("A", "") + bench("Work", "os.Exit(0)"),
			bench("A", "") + bench("Work", "os.Exit(0)"), "", 0, 2,
			[]string{partly, "the process ended without printing PASS or FAIL"}},
		{"no tests are run", work, work + "func TestMain(m *testing.M) {}\n", "", 2, 2,
			[]string{"-bench . matches no benchmark of the head"}},
		{"a benchmark does not end", bench("Work", "b.StopTimer()\n\ttime.Sleep(time.Minute)"),
			bench("Work", "b.StopTimer()\n\ttime.Sleep(time.Minute)"), "-limit 10s", 2, 2,
			[]string{nothing, "Running at that time: `Work`."}},
		{"operations that take too long", bench("Work", "time.Sleep(150 * time.Millisecond)"),
			bench("Work", "time.Sleep(150 * time.Millisecond)"), "", 2, 2,
			[]string{nothing, "took more than 100 ms: `Work`"}},
		{"no time", work, work, "-limit 1ns", 2, 2,
			[]string{nothing, "-limit was too short to run all benchmarks"}},
		{"no time to time", work, work, "-bench= -time . -limit 1ns", 2, 2, []string{nothing}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := emptyProject(t)
			p.benchmarks("0", c.base)
			p.commit("Begin")
			p.benchmarks("1", c.head)
			flags := append([]string{"-base", "HEAD", "-time="}, strings.Fields(c.flags)...)
			page := filepath.Join(t.TempDir(), "summary.md")
			out := p.checkIn([]string{"GITHUB_STEP_SUMMARY=" + page}, c.exit, append(flags, "-json")...)
			text, _ := os.ReadFile(page) // none if the gate ends before it measures
			p.lacks(out+string(text), c.parts...)
			if strings.Contains(out, "nothing is worse") {
				t.Errorf("nothing is worse:\n%s", out)
			}
			if text != nil || c.strict != c.exit {
				p.lacks(out, fmt.Sprintf("\"exit_strict\": %d", c.strict))
			}
		})
	}
}

func TestSkip(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: a benchmark that is left out, counted and timed")
	}
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", "")+bench("Other", ""))
	p.commit("Begin")
	p.benchmarks("1", bench("Work", "")+strings.Replace(bench("Other", ""), "1000", "3000", 1))
	flags := []string{"-base", "HEAD", "-rounds", "6"}
	p.lacks(p.check(1, flags...), "| Other | ")
	out := p.check(0, append(flags, "-skip", "Other")...)
	p.lacks(out, "| Work | ", "Benchmarks that match -skip are left out: `Other`")
	if strings.Contains(out, "| Other | ") {
		t.Errorf("Other was compared:\n%s", out)
	}
}

func TestNoMatchInEqualTrees(t *testing.T) {
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", ""))
	p.commit("Begin")
	for _, flags := range [][]string{{"-time", "NoSuch"}, {"-bench", "Work/fast"},
		{"-functions", "NoSuch"}} {
		out := p.check(2, append(flags, "-base", "HEAD")...)
		p.lacks(out, strings.Join(flags, " ")+" matches no ")
	}
	p.lacks(p.check(0, "-base", "HEAD", "-package", "./,example.com/ex/"),
		"nothing to compare: the head is the base")
	p.lacks(p.check(2, "-base", "HEAD", "-strict"), "-strict: nothing to compare: ")
}

func TestGone(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: benchmarks that end early, measured")
	}
	p := emptyProject(t)
	p.benchmarks("0", halves(""))
	p.commit("Begin")
	p.benchmarks("1", halves("if len(os.Args) > 0 {\n\t\treturn\n\t}"))
	for _, flag := range []string{"-time=", "-bench="} {
		out := p.check(0, "-base", "HEAD", flag)
		p.lacks(out, "; gone: 1\n", "| Halves/b | ", "| gone |")
	}
}
