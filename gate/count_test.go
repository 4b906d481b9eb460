package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestAttribute(t *testing.T) {
	dir := t.TempDir()
	save := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	events, err := readEvents(save("events", strings.Join([]string{
		"run 0 BenchmarkN", "on 0 BenchmarkN", "off 1 BenchmarkN",
		"run 0 BenchmarkN", "on 0 BenchmarkN", "reset 0 BenchmarkN", "off 8 BenchmarkN",
		"on 0 BenchmarkN", "off 8 BenchmarkN",
		"run 0 BenchmarkC/a_b", "on 0 BenchmarkC/a_b", "call 2.5 BenchmarkC/a_b",
		"call 2.5 BenchmarkC/a_b", "off 1 BenchmarkC/a_b",
	}, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	plan := map[string]int{"N": 8, "C/a_b": 1}
	parts := []int{1, 2 /**/, 4, 100, 80, 5, 16 /**/, 7, 9, 30, 9, 29, 1000}
	got, err := attribute(events, parts, plan)
	if want := map[string]float64{"N": 12, "C/a_b": 29}; err != nil ||
		!reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := attribute(events, parts[:5], plan); err == nil {
		t.Error("missing parts pass")
	}
	if _, err := attribute(events, append(parts, 1), plan); err == nil {
		t.Error("a part too many passes")
	}
	if none, err := readEvents(filepath.Join(dir, "none")); err != nil || len(none) != 0 {
		t.Errorf("without a file: %v, %v", none, err)
	}
	if _, err := readEvents(save("bad", "on BenchmarkA\n")); err == nil {
		t.Error("a line of two words passes")
	}
	profile := "part: 1\ndesc: Trigger: --dump-before=testing.gateBegin\nsummary: 342\n\n" +
		"part: 2\ndesc: Trigger: Program termination\nsummary: 7\n\n" +
		"part: 3\ndesc: Trigger: --dump-before=testing.gateEnd\nsummary: 94\n"
	if got, err := readParts(save("profile", profile)); err != nil ||
		!reflect.DeepEqual(got, []int{342, 94}) {
		t.Errorf("got %v, %v, want the two parts", got, err)
	}
}

func TestIterations(t *testing.T) {
	for _, c := range []struct {
		s    survey
		want int
	}{
		{survey{line: line{ns: 5}}, 1 << 18},
		{survey{line: line{ns: 300e3}}, 4},
		{survey{line: line{ns: 3e6}}, 4},
		{survey{line: line{ns: 20e6}}, 1},
		{survey{line: line{ns: 200e6}}, 0},
		{survey{calls: true, line: line{ns: 200e6}}, 1},
		{survey{line: line{ns: 5, n: 1000}, pieces: 1001}, 256}, // stopped in each
		{survey{line: line{n: 3000}}, 4096},                     // the benchmark hides its time
		{survey{line: line{n: 1}}, 1},
	} {
		if got := c.s.iterations(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.s, got, c.want)
		}
	}
}

func TestInsertHooks(t *testing.T) {
	root, err := run(t.Context(), ".", nil, "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "src/testing/benchmark.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed, err := insertHooks(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		for _, part := range h {
			if !strings.Contains(string(changed), part) {
				t.Errorf("%q is not inserted", part)
			}
		}
	}
	if _, err := insertHooks([]byte("package testing\nfunc (b *B) StartTimer() {}\n")); err == nil {
		t.Error("a package without the methods passes")
	}
}

func TestDeterministic(t *testing.T) {
	said, err := measured(t.Context(), ".", deterministic, os.Args[0], "-test.run=^$")
	if err != nil || strings.Contains(said, "GODEBUG: ") {
		t.Errorf("with %v: %v\n%s", deterministic, err, said)
	}
	for arch, want := range map[string]bool{"amd64": true, "arm64": false} {
		if got := strings.Contains(debug(arch), "cpu.rdtscp=off"); got != want {
			t.Errorf("%s: %s", arch, debug(arch))
		}
	}
}
