package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func verdicts(r *result) map[string]verdict {
	all := map[string]verdict{}
	for _, f := range r.Findings {
		all[f.line()] = f.Verdict
	}
	return all
}

func TestCompareCounts(t *testing.T) {
	r := &result{}
	r.compareCounts(
		map[string]count{"same": {100, 0}, "slower": {1000, 0}, "hardly": {1000, 0},
			"faster": {1000, 2}, "allocates": {50, 0}, "old": {1, 0}},
		map[string]count{"same": {100, 0}, "slower": {1006, 0}, "hardly": {1005, 0},
			"faster": {900, 1}, "allocates": {50, 1}, "young": {1, 0}},
	)
	want := map[string]verdict{
		"same insn/call": equal, "same allocs/call": equal,
		"slower insn/call": worse, "slower allocs/call": equal,
		"hardly insn/call": equal, "hardly allocs/call": equal,
		"faster insn/call": better, "faster allocs/call": better,
		"allocates insn/call": equal, "allocates allocs/call": worse,
		"young insn/call": added, "young allocs/call": added, "old insn/call": gone,
	}
	if got := verdicts(r); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	r.settle(regexp.MustCompile("^(slower|allocates) "))
	if r.worse() || verdicts(r)["slower insn/call"] != accepted {
		t.Error("what is accepted is still worse")
	}
	if text := r.markdown(); !strings.Contains(text,
		"| slower | insn/call | 1000 | 1006 | +0.6 % | worse, accepted |") {
		t.Errorf("the summary hides what was accepted:\n%s", text)
	}
}

func TestCompareFunctions(t *testing.T) {
	base := []function{
		{"f", 1000, []loop{{20, 8, 256}, {6, 2, 32}}},
		{"lost", 500, []loop{{20, 8, 256}, {6, 2, 32}}},
		{"gone", 10, nil},
	}
	head := []function{
		{"f", 1000, []loop{{21, 9, 256}, {6, 2, 32}}},
		{"lost", 400, []loop{{6, 2, 32}}}, // one loop less: the fastest of each are compared
		{"new", 4000, nil},
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
}

// The files of a counting run are read, and what they lack is reported.
func TestReadCounts(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	names, err := readListed(save("counted", "BenchmarkA/n=1 0\nBenchmarkB 2.5\n"))
	if want := []listed{{"A/n=1", 0}, {"B", 2.5}}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, %v, want %v", names, err, want)
	}
	if _, err := readListed(filepath.Join(dir, "none")); err == nil ||
		!strings.Contains(err.Error(), "gate.Run") {
		t.Errorf("without a file: %v", err)
	}
	if _, err := readListed(save("bad", "BenchmarkA\n")); err == nil {
		t.Error("a line without a number passes")
	}
	parts := "part: 1\ndesc: Trigger: --dump-after=gate.collect\nsummary: 342\n\n" +
		"part: 2\ndesc: Trigger: Program termination\nsummary: 7\n\n" +
		"part: 3\ndesc: Trigger: --dump-after=gate.collect\nsummary: 94\n"
	if got, err := readParts(save("profile", parts)); err != nil ||
		!reflect.DeepEqual(got, []int{342, 94}) {
		t.Errorf("got %v, %v, want the two calls", got, err)
	}
}

func TestParse(t *testing.T) {
	for _, args := range []string{"", "-base x -rounds 5", "-base x -functions (",
		"-base x -accept (", "-base x y", "-what"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%q passes", args)
		}
	}
	c, err := parse(strings.Fields("-base main -functions asm -arch arm64 -copy a,b"))
	if err != nil || !reflect.DeepEqual(c.arches, []string{"arm64"}) || !reflect.DeepEqual(c.copies,
		[]string{"a", "b"}) {
		t.Errorf("%+v, %v", c, err)
	}
}
