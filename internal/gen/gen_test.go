package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/reg"
)

func TestCurrent(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		have, err := os.ReadFile(filepath.Join(asm, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(have, text) {
			t.Errorf("%s differs from the generator's output: run make generate", name)
		}
	}
	present, err := filepath.Glob(asm + "/kernels_*_*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range present {
		if files[filepath.Base(path)] == nil {
			t.Errorf("%s is no longer written by the generator: delete it", path)
		}
	}
}

func TestNamesInDocs(t *testing.T) {
	paths, err := filepath.Glob(asm + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, mentioned := map[string]bool{}, 0
	var docs []*ast.CommentGroup
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				declared[fn.Name.Name] = true
				if ast.IsGenerated(f) {
					docs = append(docs, fn.Doc)
				}
			}
		}
	}
	name := regexp.MustCompile(`(?:like|part of) (\w+)`)
	for _, d := range docs {
		for _, m := range name.FindAllStringSubmatch(d.Text(), -1) {
			mentioned++
			if !declared[m[1]] {
				t.Errorf("package asm has no %s: %s", m[1], d.Text())
			}
		}
	}
	want := 0
	for _, t := range []Target{newAVX2(), newAVX512x256(), newAVX512(), newNEON(), newNEONDot()} {
		want += len(kernelsFor(t))
	}
	for _, k := range kernels {
		if k.hasStub() {
			want++
		}
	}
	if mentioned != want {
		t.Errorf("%d comments name a function, want %d", mentioned, want)
	}
}

func TestOrder(t *testing.T) {
	place := map[string]int{}
	for _, name := range []string{"target.go", "avx.go", "neon.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		last, before := 0, ""
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, id := range m.Names {
						place[id.Name] = len(place) + 1
					}
				}
			case *ast.FuncDecl:
				if p := place[n.Name.Name]; n.Recv != nil && p > 0 {
					if p < last {
						t.Errorf("%s: %s comes after %s", name, n.Name.Name, before)
					}
					last, before = p, n.Name.Name
				}
			}
			return true
		})
	}
}

func TestGuards(t *testing.T) {
	source, err := os.ReadFile("../asm/isa_amd64.go")
	if err != nil {
		t.Fatal(err)
	}
	guard := regexp.MustCompile(`if ([^{]*) \{\n\s*isas = append\(isas, ([\w, ]+)\)`)
	// The guards ask cpuid and x/sys/cpu, because x/sys/cpu, in the version that go.mod requires,
	// does not report F16C.
	for unknown, feature := range map[string]*regexp.Regexp{
		"":     regexp.MustCompile(`\bcpuid\.([A-Z]\w+)\b[^.]`),
		"F16C": regexp.MustCompile(`\bcpu\.X86\.Has(\w+)`),
	} {
		required := map[string][]string{}
		for _, m := range guard.FindAllStringSubmatch(string(source), -1) {
			for _, isa := range strings.Split(m[2], ", ") {
				for _, f := range feature.FindAllStringSubmatch(m[1], -1) {
					required[isa] = append(required[isa], f[1])
				}
			}
		}
		for _, isa := range []string{"AVX512x256", "AVX512"} {
			required[isa] = append(required[isa], required["AVX2"]...)
		}
		for isa, need := range features {
			need = slices.DeleteFunc(slices.Clone(need), func(f string) bool { return f == unknown })
			have := slices.Sorted(slices.Values(required[isa]))
			if want := slices.Sorted(slices.Values(need)); !slices.Equal(have, want) {
				t.Errorf("the guard of %s requires %v, but features lists %v", isa, have, want)
			}
		}
	}
}

// TestMachineCode disassembles the kernels for arm64: they must not contain fused multiply-add, or
// registers that Go's toolchain or the platform reserves. The assembler uses R27 for constants that
// do not fit into an instruction.
func TestMachineCode(t *testing.T) {
	run := func(args ...string) []byte {
		c := exec.Command("go", args...)
		c.Dir = asm
		c.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return out
	}
	binary := filepath.Join(t.TempDir(), "asm.test")
	run("test", "-c", "-vet=off", "-o", binary, ".")
	code := run("tool", "objdump", "-s", `asm\.\w+NEON`, binary)
	want := len(kernelsFor(newNEON())) + len(kernelsFor(newNEONDot()))
	if got := bytes.Count(code, []byte("TEXT")); got != want {
		t.Errorf("%d functions in the disassembly, want %d", got, want)
	}
	for _, bad := range []string{`\bR(1[678]|2[678])\b`, `\bV?FN?M(ADD|SUB|LA|LS)`} {
		if line := regexp.MustCompile(`.*` + bad + `.*`).Find(code); line != nil {
			t.Errorf("forbidden in a kernel: %s", line)
		}
	}
}

func TestCheck(t *testing.T) {
	for name, emit := range map[string]func(t *avx){
		"fused multiply-add": func(t *avx) { t.VFMADD231PS(t.YMM(), t.YMM(), t.YMM()) },
		"AVX-512":            func(t *avx) { t.VPXORD(reg.Y1, reg.Y1, reg.Y1) },
		"registers from 16":  func(t *avx) { t.VADDPS(reg.Y16, reg.Y1, reg.Y1) },
	} {
		c := newAVX2()
		none := newSignature("func()")
		c.Func("bad", "", &none)
		emit(c)
		c.Done()
		if _, err := c.Compile(); err == nil {
			t.Errorf("%s in an AVX2 function: no error", name)
		}
	}
}

func TestRegistersRunOut(t *testing.T) {
	for _, c := range []Target{newAVX2(), newAVX512x256(), newAVX512(), newNEON(), newNEONDot()} {
		pointer := newSignature("func(x *float32)")
		c.Func("bad", "", &pointer)
		x := c.PointerParam("x")
		var all []Group
		for i := range 33 {
			v := c.New(8)
			c.Load(v, x, 32*i%512)
			all = append(all, v)
		}
		for _, v := range all {
			c.Store(v, x, 0)
		}
		c.Done()
		if _, err := c.Compile(); err == nil {
			t.Errorf("%s: 33 live groups: no error", c.Name())
		}
	}
}
