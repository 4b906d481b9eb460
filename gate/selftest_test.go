//go:build selftest

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripts/ci.sh gate_selftest runs these tests on copies of this tree, some with a kernel slowed
// down.

func copyTree(t *testing.T, name string) tree {
	t.Helper()
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Fatal("the self-test needs valgrind: run scripts/ci.sh only install")
	}
	root, err := git(t.Context(), ".", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	to, err := newTree(t.Context(), "head", root, "HEAD", filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	to.name = name
	return to
}

func (to tree) edit(t *testing.T, file, old, new string) {
	t.Helper()
	name := filepath.Join(to.root, file)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), old); n != 1 {
		t.Fatalf("%s has %q %d times, want once: adapt this test to the change",
			file, old, n)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)),
		0o666); err != nil {
		t.Fatal(err)
	}
}

func (to tree) generate(t *testing.T) {
	t.Helper()
	if _, err := run(t.Context(), filepath.Join(to.root, "internal/gen"), nil, "go", "run", ".",
		"-dir", "../asm"); err != nil {
		t.Fatal(err)
	}
}

func kernelsConfig() *config {
	return &config{
		dir: "bench", packages: []string{"./regress"}, bench: ".",
		functions: regexp.MustCompile(`internal/asm\.`), rounds: 15, limit: 5 * time.Minute,
	}
}

const blocks = "\t\tt.Comment(\"64 elements per iteration, one to each lane.\")\n"

func TestSelfSlowedOnPurpose(t *testing.T) {
	base := copyTree(t, "base")
	for _, fault := range []struct {
		name, file, old, new string
		want                 []string
	}{
		{
			name: "an extra instruction", file: "internal/gen/sum.go",
			old: blocks, new: blocks + "t.Decrement(s.n, 0)\n",
			want: []string{
				"Kernels/op=dot/n=784/isa=avx2 insn/call",
				"asm.dotAVX2/loop=1/amd64 insn/KiB", "asm.dotAVX512/loop=1/amd64 insn/KiB",
				"asm.dotAVX512x256/loop=1/amd64 insn/KiB",
				"asm.dotNEON/loop=1/arm64 insn/KiB",
			},
		},
		{
			name: "a doubled load", file: "internal/gen/sum.go",
			old: "\ts.term(s.product, from)\n",
			new: "\ts.term(s.product, from)\n\ts.term(s.product, from)\n",
			want: []string{
				"Kernels/op=sumsquares/n=784/isa=avx2 insn/call",
				"asm.sumSquaresAVX2/loop=1/amd64 mem/KiB",
				"asm.sumSquaresAVX512/loop=1/amd64 mem/KiB",
				"asm.sumSquaresAVX512x256/loop=1/amd64 mem/KiB",
				"asm.sumSquaresNEON/loop=1/arm64 mem/KiB",
			},
		},
		{
			name: "a lost unroll", file: "internal/gen/elementwise.go",
			old: "\tpiece(block, width)\n\tadvance(block)\n\tt.Decrement(n, block)\n",
			new: "\tpiece(width, width)\n\tadvance(width)\n\tt.Decrement(n, width)\n",
			want: []string{
				"Kernels/op=axpy/n=784/isa=avx2 insn/call",
				"asm.axpyAVX2/loop=1/amd64 insn/KiB", "asm.axpyAVX512/loop=1/amd64 insn/KiB",
				"asm.axpyAVX512x256/loop=1/amd64 insn/KiB",
				"asm.axpyNEON/loop=1/arm64 insn/KiB",
			},
		},
	} {
		t.Run(fault.name, func(t *testing.T) {
			head := copyTree(t, "head")
			head.edit(t, fault.file, fault.old, fault.new)
			head.generate(t)
			// The kernel is slow, but correct: its benchmarks compare the results with plain Go.
			c := kernelsConfig()
			c.bench = "Kernels/op=(dot|sumsquares|axpy)$/n=784"
			r := &result{work: t.TempDir()}
			err := compare(t.Context(), c, base, head, r)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range r.with(worse) {
				got = append(got, f.line())
			}
			for _, want := range fault.want {
				if !slices.Contains(got, want) {
					t.Errorf("%s is not found to be worse", want)
				}
			}
			if !r.worse() {
				t.Error("not caught")
			}
			t.Logf("%d numbers are worse", len(got))
		})
	}
}

// The gate does not measure equal binaries. This test counts and times the equal binaries of two
// copies of the tree.
func TestSelfSameCodePasses(t *testing.T) {
	base, head := copyTree(t, "base"), copyTree(t, "head")
	c := kernelsConfig()
	r := &result{work: t.TempDir()}
	prepared, err := build(t.Context(), c, base, head, r)
	if err != nil {
		t.Fatal(err)
	}
	if !prepared.identical {
		t.Fatal("two copies of the tree make different binaries")
	}
	if prepared.unhooked != nil {
		t.Fatal(prepared.unhooked)
	}
	lengths, kernels := []string{"31", "784"}, []string{"dot", "axpy", "dotsparse", "exp"}
	paths := []string{"generic", "avx2"} // that Valgrind can run
	const times = 20
	passed, numbers := 0, map[string]int{}
	for i := range times {
		start := time.Now()
		k := *prepared
		r := *prepared.result
		k.result = &r
		c.bench = fmt.Sprintf("Kernels/./n=%s$/isa=%s$", lengths[i%2], paths[i/2%2])
		c.times = fmt.Sprintf("Kernels/op=%s$/n=784/isa=[^g]", kernels[i%4])
		if err := k.measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !r.worse() {
			passed++
		} else {
			t.Errorf("run %d:\n%s", i+1, r.summary())
		}
		for _, f := range r.findings {
			numbers[f.unit]++
			if f.timed == nil && f.base != f.head {
				t.Errorf("run %d: %s is %v and %v", i+1, f.line(), f.base, f.head)
			}
		}
		t.Logf("run %d: %d numbers, %.1f s", i+1, len(r.findings), time.Since(start).Seconds())
	}
	t.Logf("%d of %d passed; numbers compared: %v", passed, times, numbers)
	if numbers["insn/call"] < 10*times || numbers["ns/op"] < times {
		t.Error("too few numbers were compared")
	}
}

// The gate finds slow kernel bodies by their times: those for AVX-512, whose instructions Valgrind
// can't count, or those for AVX2 and NEON on a machine without AVX-512.
func TestSelfSlowTimeIsSeen(t *testing.T) {
	base, head := copyTree(t, "base"), copyTree(t, "head")
	paths, err := run(t.Context(), base.root, nil, "go", "test", "-v", "-run", "PathsWanted",
		"./internal/asm")
	if err != nil {
		t.Fatal(err)
	}
	paths, _, _ = strings.Cut(paths, ";") // the path in use follows
	slowed := []string{"AVX2", "NEON"}
	if strings.Contains(paths, "avx512") {
		slowed = []string{"AVX512", "AVX512x256"}
	}
	head.edit(t, "internal/gen/sum.go", blocks, blocks+
		fmt.Sprintf("if name := t.Name(); name == %q || name == %q {\n\t\tfor range 64 "+
			"{\n\t\t\tt.Decrement(s.n, 0)\n\t\t}\n\t}\n", slowed[0], slowed[1]))
	head.generate(t)
	c := kernelsConfig()
	c.functions = nil
	c.bench = "Kernels/op=(dot|axpy)$/n=4096"
	c.times = c.bench + "/isa=[^g]"
	r := &result{work: t.TempDir()}
	err = compare(t.Context(), c, base, head, r)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[bool]int{}
	for _, f := range r.findings {
		_, isa, _ := strings.Cut(f.what, "isa=")
		slow := f.unit == "ns/op" && strings.Contains(f.what, "op=dot/") &&
			slices.ContainsFunc(slowed, func(s string) bool { return strings.EqualFold(s, isa) })
		if f.unit == "insn/call" && slowed[0] == "AVX2" {
			continue // Valgrind counts slow AVX2 code, too
		}
		if seen[slow]++; slow != (f.verdict == worse) {
			t.Errorf("%s: %s\n%s", f.line(), f.verdict, r.summary())
		}
	}
	t.Logf("%d slow bodies are seen, of %v", seen[true], slowed)
	if want := strings.Count(paths, "avx512"); seen[true] != max(1, want) || seen[false] == 0 {
		t.Errorf("%d timings of slow bodies, %d other numbers", seen[true], seen[false])
	}
}
