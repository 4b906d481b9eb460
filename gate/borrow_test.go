package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: files that git does not have")
	}
	const one = "package other\n\nfunc One() int { return 1 }\n"
	const useOther = "package ex\n\nimport \"example.com/other\"\n\nvar _ = other.One\n"
	const require = "module example.com/ex\n\ngo 1.24\n\nrequire example.com/other v0.0.0\n\n" +
		"replace example.com/other => "
	for _, c := range []struct {
		name  string
		set   func(p *project)
		flags []string
		parts []string
	}{
		{"replace beside the repository", func(p *project) {
			p.write("../other/go.mod", "module example.com/other\n\ngo 1.24\n")
			p.write("../other/o.go", one)
			p.write("go.mod", require+"../other\n")
			p.write("use.go", useOther)
		}, nil, []string{"used as they are on the disk, since git does not have them in the base, " +
			"the head or both: `../other`"}},
		{"replace by an ignored folder", func(p *project) {
			p.write("third/other/go.mod", "module example.com/other\n\ngo 1.24\n")
			p.write("third/other/o.go", one)
			p.write(".gitignore", "third/\n")
			p.write("go.mod", require+"./third/other\n")
			p.write("use.go", useOther)
		}, nil, []string{"`third/other`"}},
		{"ignored go.work", func(p *project) {
			p.write("../other/go.mod", "module example.com/other\n\ngo 1.24\n")
			p.write("../other/o.go", one)
			p.write("go.work", "go 1.24\n\nuse (\n\t.\n\t../other\n)\n")
			p.write(".gitignore", "go.work\n")
			p.write("use.go", useOther)
		}, nil, []string{"`../other`", "`go.work`"}},
		{"go.work above the repository", func(p *project) {
			p.write("../other/go.mod", "module example.com/other\n\ngo 1.24\n")
			p.write("../other/o.go", one)
			p.write("../go.work", "go 1.24\n\nuse (\n\t./inside\n\t./other\n)\n")
			p.write("use.go", useOther)
		}, nil, []string{"`../go.work`"}},
		{"ignored data, a link to data, a submodule", func(p *project) {
			p.write("testdata/n", "x")
			p.write(".gitignore", "testdata/\n")
			p.write("../data/m", "x")
			p.write("../sub/s.go", "package sub\n\nconst One = 1\n")
			sub := project{p.t, filepath.Join(p.dir, "../sub")}
			sub.do("git", "init", "-q")
			sub.commit("Begin")
			p.do("git", "submodule", "-q", "add", sub.dir, "sub")
			if err := os.Symlink("../data", filepath.Join(p.dir, "data")); err != nil {
				t.Fatal(err)
			}
			p.write("use_test.go", "package ex\n\nimport (\n\t\"os\"\n\n\t\"example.com/ex/sub\"\n)\n\n"+
				"func init() {\n\tfor _, f := range []string{\"testdata/n\", \"data/m\"} {\n"+
				"\t\tif _, err := os.Stat(f); err != nil || sub.One != 1 {\n\t\t\tpanic(err)\n\t\t}\n"+
				"\t}\n}\n")
		}, nil, []string{"`../data`", "`testdata/n`"}},
		{"generated code", func(p *project) {
			p.write("make.sh", "echo 'package ex; func gen() int { return 1 }' >gen.go\n")
			p.write("gen.go", "package ex\n\nfunc gen() int { return 1 }\n")
			p.write("use.go", "package ex\n\nvar _ = gen()\n")
			p.write(".gitignore", "gen.go\n")
		}, []string{"-prepare", "sh make.sh"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := emptyProject(t)
			p.benchmarks("0", bench("Work", ""))
			c.set(p)
			p.commit("Begin")
			if c.name == "ignored go.work" { // a module that the base lacks
				p.write("new/go.mod", "module example.com/new\n\ngo 1.24\n")
				p.edit("go.work", "\t.\n", "\t.\n\t./new\n")
			}
			p.edit("f.go", "s := 0\n", "s := *leak()\n")
			p.edit("f.go", "package ex\n", "package ex\n\n//go:noinline\n"+
				"func leak() *int { return new(int) }\n")
			p.do("go", "vet", ".")
			before := p.do("git", "status", "--porcelain", "--ignored")
			out := p.checkIn(withoutValgrind(t), 1, append(c.flags, "-base", "HEAD", "-time=")...)
			p.lacks(out, append(c.parts, "| Work | allocs/op | 0 | 1 |")...)
			if after := p.do("git", "status", "--porcelain", "--ignored"); after != before {
				t.Errorf("the tree has changed: %s", after)
			}
			if strings.Contains(out, "/gate-") {
				t.Errorf("the temporary folder is named:\n%s", out)
			}
		})
	}
}

func TestPrepare(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: generated code, counted")
	}
	needs(t, "valgrind")
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", "")+"func BenchmarkGen(b *testing.B) {\n\tfor range b.N {\n"+
		"\t\tsink = gen()\n\t}\n}\n")
	p.write("make.sh", "echo 'package ex; func gen() int { return Work(1000) }' >gen.go\n")
	p.write(".gitignore", "gen.go\n")
	p.do("sh", "make.sh")
	p.commit("Begin")
	p.edit("make.sh", "1000", "2000")
	p.do("sh", "make.sh")
	flags := []string{"-base", "HEAD", "-time="}
	p.lacks(p.check(2, flags...),
		"the head can't be built, and its tree lacks files that git ignores: `gen.go`",
		"let -prepare run the command that writes them")
	out := p.check(1, append(flags, "-prepare", "sh make.sh")...)
	p.lacks(section(out, "### Worse"), "| Gen | insn/op |")
	if strings.Contains(section(out, "### Worse"), "| Work | insn/op |") {
		t.Errorf("Work is worse:\n%s", out)
	}
	p.lacks(p.check(2, append(flags, "-prepare", "exit 3")...), "-prepare fails in the head")
}

// The go command's overlay does not replace files in the module cache, such as a downloaded Go. The
// gate then says so, and compares times.
func TestDownloadedGo(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: Go in the module cache, timed")
	}
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", ""))
	p.commit("Begin")
	p.benchmarks("1", strings.Replace(bench("Work", ""), "1000", "3000", 1))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	downloaded := filepath.Join(cache, "toolchain@v0.0.1-go1.99.0.linux-amd64")
	if err := os.Symlink(strings.TrimSpace(string(root)), downloaded); err != nil {
		t.Fatal(err)
	}
	out := p.checkIn([]string{"GOROOT=" + downloaded, "GOMODCACHE=" + cache}, 1, "-base", "HEAD")
	p.lacks(out, "replaced: go1.99.0.linux-amd64 was downloaded by the go command", "| Work | ns/op |")
}

func TestFaultsOfTheBase(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested in a short run: faults of the base, counted")
	}
	needs(t, "valgrind")
	p := emptyProject(t)
	p.benchmarks("0", bench("Work", "")+bench("Bad", "b.Fatal(1)")+
		"func BenchmarkOdd(b *testing.B) {\n\tb.Run(\"a|b*c\", BenchmarkWork)\n}\n")
	p.write("q/q.go", "package q\n\nvar x int = \"\"\n")
	p.write("q/q_test.go", "package q\n\nimport \"testing\"\n\nfunc BenchmarkQ(b *testing.B) {}\n")
	p.commit("Begin")
	p.write("q/q.go", "package q\n\nvar x int\n")
	p.benchmarks("1", bench("Work", "")+bench("Bad", "")+
		"func BenchmarkOdd(b *testing.B) {\n\tb.Run(\"a|b*c\", BenchmarkWork)\n}\n")
	out := p.check(0, "-base", "HEAD", "-time=")
	p.lacks(out, "`example.com/ex/q` is left out, as the base can't be built",
		"do not run in the base are not counted: ", "| Work | insn/op |", `| Odd/a\|b\*c | insn/op |`)
	p.commit("Mend")
	p.edit("f.go", "s := 0\n", "s := 0\n\tfor i := range n / 50 {\n\t\ts += i ^ s>>1\n\t}\n")
	p.check(1, "-base", "HEAD", "-time=")
	p.lacks(p.check(0, "-base", "HEAD", "-time=", "-threshold", "3"), "nothing is worse\n",
		"| 3.0 % |")
	p.edit("f_test.go", "BenchmarkBad(b *testing.B) {\n",
		"BenchmarkBad(b *testing.B) {\n\tb.Fatal(1)\n")
	p.lacks(p.check(2, "-base", "HEAD", "-time=", "-bench", "Bad|Odd", "-threshold", "3"),
		"gate: benchmarks or packages that fail in the head alone: 1", "| Bad | run |",
		`| Odd/a\|b\*c | insn/op |`)
}
