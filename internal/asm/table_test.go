package asm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTableHasAllKernels(t *testing.T) {
	table, err := os.ReadFile("../testing/asmtest/kernels.go")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no Go files in this directory: %v", err)
	}
	kernels := 0
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if !ok || !function.Name.IsExported() || function.Recv != nil || !callsStub(function) {
				continue
			}
			kernels++
			name := function.Name.Name
			if name != "Prefetch" && !uses(function, "race", "checkOperands") {
				t.Errorf("%s: %s does not tell the race detector what the assembly reads and writes",
					path, name)
			}
			if !regexp.MustCompile(`\basm\.` + name + `\b`).Match(table) {
				t.Errorf("%s: asmtest's table has no row for %s", path, name)
			}
		}
	}
	if kernels < 40 {
		t.Errorf("%d functions call a dispatch stub, want at least 40", kernels)
	}
}

func uses(f *ast.FuncDecl, names ...string) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && slices.Contains(names, id.Name)
		return true
	})
	return found
}

func callsStub(f *ast.FuncDecl) (calls bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name, ok := call.Fun.(*ast.Ident)
			calls = calls || ok && name.Name != "Active" && strings.HasSuffix(name.Name, "Active")
		}
		return true
	})
	return calls
}
