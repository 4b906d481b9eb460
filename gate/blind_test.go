//go:build unix

package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestBinaryOf(t *testing.T) {
	seen := map[string]string{}
	for _, path := range []string{"m/x/y", "m/x_y", "m/x.y", "m/x%2Fy", "m/x-y", ".", "_", "m/x/y-"} {
		for _, kind := range []string{native, "arm64", "amd64"} {
			name := binaryOf("work", "head", pkg{path: path}, kind)
			if other, ok := seen[name]; ok || filepath.Dir(name) != "work" {
				t.Errorf("%s is the binary of %s and of %s", name, path, other)
			}
			seen[name] = path
		}
	}
}

func TestShorten(t *testing.T) {
	both := [2][]function{{{name: "m/x/p.F"}, {name: "m/p.G"}, {name: "m/p.F"}},
		{{name: "m/y/p.F"}, {name: "m/p.G"}, {name: "m/p.F"}}}
	shorten(both)
	want := [2][]function{{{name: "m/x/p.F"}, {name: "p.G"}, {name: "m/p.F"}},
		{{name: "m/y/p.F"}, {name: "p.G"}, {name: "m/p.F"}}}
	if !reflect.DeepEqual(both, want) {
		t.Errorf("got %+v, want %+v", both, want)
	}
}

func TestHas(t *testing.T) {
	for text, want := range map[string]bool{
		"package a\nfunc BenchmarkWork(b *testing.B) {": true,
		"func BenchmarkÜber(b *testing.B) {":            true,
		"func Benchmark算(b *testing.B) {":               true,
		"func  Benchmark_1 (b *testing.B) {":            true,
		"func (x T) BenchmarkWork(b *testing.B) {":      false,
		"// func BenchmarkWork(b *testing.B) {":         false,
	} {
		if got := has.MatchString(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestUnread(t *testing.T) {
	const result = "  \t     100\t         5.0 ns/op"
	binary := script(t, `cat <<'END'
BenchmarkDots
..BenchmarkDots`+result+`
BenchmarkOwnName
BenchmarkOwnName: BenchmarkOwnName`+result+`
setup BenchmarkFirst
.BenchmarkFirst`+result+`
BenchmarkTorn
BenchmarkTorn  	.     100	         5.0 ns/op
BenchmarkAll
BenchmarkAll/one
BenchmarkAll/one`+result+`
BenchmarkAll/two
.BenchmarkAll/two`+result+`
BenchmarkNot
--- SKIP: BenchmarkNot
BenchmarkParseBenchmarkLines
BenchmarkParseBenchmarkLines`+result+`
--- BENCH: BenchmarkParseBenchmarkLines
    f_test.go:5: BenchmarkOther`+result+`
PASS
END
`)
	ran := benchmarks(t.Context(), side{dir: ".", binary: binary}, nil, 1, ".")
	slices.Sort(ran.unread)
	want := []string{"All/two", "Dots", "First", "OwnName", "Torn"}
	if !slices.Equal(ran.unread, want) || len(ran.lines) != 2 || !ran.mayHave("Dots") {
		t.Errorf("got %+v, want unread %q", ran, want)
	}
	binary = script(t, "echo BenchmarkAll; echo BenchmarkWork; echo BenchmarkAll/one\n"+
		"echo 'BenchmarkAll/one  100  5 ns/op'; echo PASS\n")
	ran = benchmarks(t.Context(), side{dir: ".", binary: binary}, nil, 1, "./one")
	if len(ran.unread) > 0 || len(ran.lines) != 1 {
		t.Errorf("got %+v", ran)
	}
}

// A benchmark that is skipped or fails after some of its sub-benchmarks may have more of them.
func TestHalfway(t *testing.T) {
	base := tally{ended: true, lines: map[string][]line{"All/one": {{}}, "All/two": {{}},
		"Also": {{}}}}
	for _, kind := range []string{"SKIP", "FAIL"} {
		binary := script(t, "echo BenchmarkAll; echo BenchmarkAll/one\n"+
			"echo 'BenchmarkAll/one  100  5 ns/op'; echo '--- "+kind+": BenchmarkAll'; echo PASS\n")
		ran := benchmarks(t.Context(), side{dir: ".", binary: binary}, nil, 1, ".")
		if !ran.mayHave("All/two") || ran.mayHave("Also") ||
			!slices.Equal(ran.cutOff(base), []string{"All/two"}) {
			t.Errorf("%s: got %+v", kind, ran)
		}
	}
	if names := base.cutOff(base); len(names) > 0 {
		t.Errorf("cut off from itself: %q", names)
	}
}

// The gate notices changes that git was configured to hide.
func TestHiddenChanges(t *testing.T) {
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", ""))
	p.write("testdata/n.go", "1")
	p.commit("Begin")
	head := func() tree {
		t.Helper()
		work := t.TempDir()
		base, err := newTree(t.Context(), "base", p.dir, "HEAD", work)
		if err != nil {
			t.Fatal(err)
		}
		head, err := newTree(t.Context(), "head", p.dir, "HEAD", work)
		if err != nil {
			t.Fatal(err)
		}
		if err := head.borrowLinked(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := head.findData(t.Context(), base); err != nil {
			t.Fatal(err)
		}
		return head
	}
	p.write(historyFolder+"/CPU.jsonl", "{}\n")
	if tree := head(); tree.changed || len(tree.data) > 0 {
		t.Errorf("without changes: %+v", tree)
	}
	p.do("git", "config", "status.showUntrackedFiles", "no")
	p.write("g.go", "package ex\n")
	if tree := head(); !tree.changed || len(tree.data) > 0 {
		t.Errorf("with a new Go file: %+v", tree)
	}
	p.remove("g.go")
	p.write("../sub/n", "1")
	sub := project{t, filepath.Join(p.dir, "../sub")}
	sub.do("git", "init", "-q")
	sub.commit("Begin")
	p.do("git", "submodule", "-q", "add", sub.dir, "sub")
	p.commit("Add a submodule")
	if tree := head(); tree.changed || len(tree.data) > 0 {
		t.Errorf("with a submodule: %+v", tree)
	}
	p.write("sub/n", "2")
	if tree := head(); !tree.changed || !slices.Equal(tree.data, []string{"sub"}) {
		t.Errorf("with a change in the submodule: %+v", tree)
	}
	p.write("sub/n", "1")
	p.do("git", "update-index", "--assume-unchanged", "testdata/n.go")
	p.write("testdata/n.go", "2")
	if tree := head(); !tree.changed || !slices.Equal(tree.data, []string{"testdata/n.go"}) {
		t.Errorf("with a changed data file: %+v", tree)
	}
}

// If the head loses all benchmarks of a package, the gate passes and names the package, unless a
// pattern of -package matches that package alone.
func TestPackages(t *testing.T) {
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", ""))
	text := "package q\n\nimport \"testing\"\n\nfunc BenchmarkBad(b *testing.B) "
	p.write("q/f_test.go", text+"{}\n")
	p.commit("Begin")
	p.write("q/f_test.go", "package q\n")
	p.lacks(p.check(2, "-base", "HEAD", "-package", ".,./q"),
		"the base has benchmarks in ./q, and the head has none that are built here")
	p.lacks(p.check(0, "-base", "HEAD", "-time="), "The head has no benchmarks in",
		"nothing is worse; gone: 1\n")
	p.commit("Take benchmarks away")
	p.write("q/f_test.go", text+"{ b.Fatal(1) }\n")
	for _, flags := range [][]string{{"-time="}, {"-bench="}} {
		p.lacks(p.check(2, append(flags, "-base", "HEAD")...), "fail in the head alone: 1",
			"| q.Bad | run |")
	}
	p.write("q/f.go", "package q\n\nvar x int = \"\"\n")
	p.commit("Break")
	p.write("q/f.go", "package q\n\nvar y int = \"\"\n")
	p.lacks(p.check(2, "-base", "HEAD", "-package", "./q"),
		"gate: no package of the head with benchmarks can be built", "q/f.go:3")
}

func TestChangedData(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: data of benchmarks, counted")
	}
	needs(t, "valgrind")
	p := emptyProject(t)
	p.benchmarks("0", "func BenchmarkData(b *testing.B) {\n\ttext, _ := os.ReadFile(\"n\")\n"+
		"\tfor range b.N {\n\t\tsink = Work(1000 * len(text))\n\t}\n}\n")
	p.write("n", "x")
	p.commit("Begin")
	p.write("n", "xx")
	p.lacks(p.check(1, "-base", "HEAD", "-time=", "-bench=Data"), "but not these files, "+
		"which benchmarks may read: `n`", "| Data | insn/op |")
}
