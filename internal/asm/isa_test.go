package asm

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPathsWanted fails if PEGASIMD_WANT is set and differs from the available paths: a run meant
// for a path must not pass without it.
func TestPathsWanted(t *testing.T) {
	var have []string
	for _, isa := range Available() {
		have = append(have, isa.String())
	}
	t.Logf("paths tested: %s; in use: %v", strings.Join(have, " "), Active())
	if want := os.Getenv("PEGASIMD_WANT"); want != "" && want != strings.Join(have, " ") {
		t.Errorf("this run is meant to test %q", want)
	}
}

func TestChoose(t *testing.T) {
	for _, isa := range Available() {
		if got := choose(isa.String()); got != isa {
			t.Errorf("choose(%q) is %v", isa, got)
		}
	}
	if got, want := choose(""), available[len(available)-1]; got != want {
		t.Errorf("choose(\"\") is %v, want the fastest path, %v", got, want)
	}
	for _, name := range []string{"sse", "AVX2", "none", " "} {
		func() {
			defer func() {
				if s, _ := recover().(string); !strings.Contains(s, "PEGASIMD_ISA="+name) {
					t.Errorf("choose(%q) did not panic with a message that names it: %q", name, s)
				}
			}()
			choose(name)
		}()
	}
}

func TestUseRejectsUnavailablePaths(t *testing.T) {
	for isa := range ISA(len(names)) {
		there := false
		for _, have := range Available() {
			there = there || have == isa
		}
		if there {
			continue
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Use(%v) did not panic", isa)
				}
			}()
			Use(isa)
		}()
	}
}

func TestDispatch(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no Go files in this directory: %v", err)
	}
	readers := []string{"active.go", "bytes.go", "hamming.go", "rows.go", "sparse.go"}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "active" && !slices.Contains(readers, path) {
				t.Errorf("%s reads active, want only %v to read it", path, readers)
			}
			return true
		})
	}
}
