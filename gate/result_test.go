package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func verdicts(r *result) map[string]verdict {
	all := map[string]verdict{}
	for _, f := range r.findings {
		all[f.line()] = f.verdict
	}
	return all
}

func fakeCampaign(base, head map[string][2]float64) *campaign {
	k := &campaign{result: &result{}, numbers: map[string]*numbers{}}
	for i, side := range []map[string][2]float64{base, head} {
		k.surveys[i] = map[string]survey{}
		for name, v := range side {
			k.surveys[i][name] = survey{calls: true}
			n := k.numbers[name]
			if n == nil {
				n = &numbers{}
				k.numbers[name] = n
			}
			n.insn[i], n.allocs[i] = []float64{v[0]}, []float64{v[1]}
		}
	}
	return k
}

func TestCompareCounts(t *testing.T) {
	k := fakeCampaign(
		map[string][2]float64{"same": {100, 0}, "slower": {1000, 0}, "hardly": {1000, 0},
			"faster": {1000, 2}, "allocates": {50, 0}, "old": {1, 0}},
		map[string][2]float64{"same": {100, 0}, "slower": {1006, 0}, "hardly": {1005, 0},
			"faster": {900, 1}, "allocates": {50, 1}, "young": {1, 0}},
	)
	k.conclude()
	r := k.result
	want := map[string]verdict{
		"same insn/call": equal, "same allocs/call": equal,
		"slower insn/call": worse, "slower allocs/call": equal,
		"hardly insn/call": equal, "hardly allocs/call": equal,
		"faster insn/call": better, "faster allocs/call": better,
		"allocates insn/call": equal, "allocates allocs/call": worse,
		"young insn/call": added, "young allocs/call": added,
		"old insn/call": gone, "old allocs/call": gone,
	}
	if got := verdicts(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.settle([]acceptance{{"7654321", regexp.MustCompile("^slower ")}, {"1234567",
		regexp.MustCompile("^alocates ")}})
	if text := strings.Join(r.notes, " "); !r.worse() || !strings.Contains(text,
		"Commit 7654321 accepts worse numbers that match `^slower `: 1.") || !strings.Contains(text,
		"The pattern `^alocates ` that commit 1234567 accepts matches no number that is worse") {
		t.Errorf("worse: %v, notes: %s", r.worse(), text)
	}
	r.settle([]acceptance{{"7654321", regexp.MustCompile("^allocates ")}})
	if r.worse() || verdicts(r)["slower insn/call"] != accepted {
		t.Error("accepted numbers are still worse")
	}
	if text := r.summary(); !strings.Contains(text,
		"| slower | insn/call | 1000 | 1006 | +0.6 % | worse, accepted |") {
		t.Errorf("the summary hides an accepted number:\n%s", text)
	}
}

func TestCompareFunctions(t *testing.T) {
	base := []function{
		{"f", 1000, []loop{{20, 8, 256}, {6, 2, 32}}, nil},
		{"lost", 500, []loop{{20, 8, 256}, {6, 2, 32}}, nil},
		{"gone", 10, nil, nil},
	}
	head := []function{
		{"f", 1000, []loop{{21, 9, 256}, {6, 2, 32}}, nil},
		{"lost", 400, []loop{{6, 2, 32}}, nil}, // one loop less: the fastest of each are compared
		{"new", 4000, nil, nil},
	}
	r := &result{}
	r.compareFunctions("amd64", base, head)
	want := map[string]verdict{
		"f/loop=1/amd64 insn/KiB": worse, "f/loop=1/amd64 mem/KiB": worse,
		"f/loop=2/amd64 insn/KiB": equal, "f/loop=2/amd64 mem/KiB": equal,
		"lost/loop=fastest/amd64 insn/KiB": worse, "lost/loop=fastest/amd64 mem/KiB": worse,
		"new/amd64 text-bytes": added, "gone/amd64 text-bytes": gone,
		"all functions in both/amd64 text-bytes": better, "all functions/amd64 text-bytes": equal,
	}
	if got := verdicts(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	line := r.line()
	if line.Verdict != "regression" || line.Values["f/loop=1/amd64"]["insn/KiB"] != 84 ||
		line.Values["gone/amd64"] != nil {
		t.Errorf("line of the history: %+v", line)
	}
	r.compareFunctions("arm64", base, head)
	if heading := r.outcome().heading; !strings.HasSuffix(heading, "; gone: 1") {
		t.Errorf("a function that is gone on two architectures: the heading is %q", heading)
	}
}

func TestCompareOtherFunctions(t *testing.T) {
	r := &result{}
	r.compareFunctions("amd64", []function{{"f", 1000, nil, nil}}, []function{{"g", 9, nil, nil}})
	if got := r.with(equal, better, worse); len(got) > 0 || len(r.missed) > 0 {
		t.Errorf("compared: %+v, missed: %q", got, r.missed)
	}
	r = &result{}
	r.compareFunctions("amd64", []function{{"f", 1000, []loop{{20, 8, 256}}, nil}},
		[]function{{"f", 1000, nil, nil}})
	if len(r.missed) != 1 || !strings.Contains(r.missed[0], "`f/amd64`") {
		t.Errorf("missed: %q", r.missed)
	}
}

func TestParse(t *testing.T) {
	for _, args := range []string{"", "-base x -bench= -time=", "-base x -rounds 5", "-base x -rounds 1000001",
		"-base x -functions (", "-base x -bench (", "-base x -time (", "-base x y", "-what"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%q passes", args)
		}
	}
	exact := result{threshold: .03}
	exact.add(finding{verdict: worse, base: 100, head: 103})
	exact.add(finding{verdict: worse, base: 1000, head: 1031})
	if exact.findings[0].verdict != equal || exact.findings[1].verdict != worse {
		t.Errorf("a threshold of 3 %%: %+v", exact.findings)
	}
	if _, err := parse(strings.Fields("-base x -threshold 115")); err == nil ||
		!strings.HasPrefix(err.Error(), "-threshold 115: ") {
		t.Errorf("-threshold 115: %v", err)
	}
	c, err := parse(strings.Fields("-base main -functions asm -package ./a/,.//b,./,c/"))
	if err != nil || c.functions == nil || !reflect.DeepEqual(c.packages,
		[]string{"./a", "./b", ".", "c"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestOutputOfToolsIsNoMarkdown(t *testing.T) {
	r := &result{}
	r.note("`p` is left out: exit status 1\n# p\nundefined: ```f")
	if text := r.summary(); !strings.Contains(text,
		"\n`p` is left out: exit status 1\n\n```\n# p\nundefined: '''f\n```\n") {
		t.Errorf("the summary:\n%s", text)
	}
}
