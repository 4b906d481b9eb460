package pegasimd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/pegasos"
)

// Public constants must have literal values. The comment of a public type from an internal package
// must say what the type is and, for a struct, list its fields.
func TestPublicDocumentation(t *testing.T) {
	structs := map[string]reflect.Type{
		"ClassResult":  reflect.TypeFor[pegasos.ClassResult](),
		"Decompressor": reflect.TypeFor[dataset.Decompressor](),
		"Doubt":        reflect.TypeFor[dataset.Doubt](),
		"Estimate":     reflect.TypeFor[pegasos.Estimate](),
		"Expansion":    reflect.TypeFor[pegasos.Expansion](),
		"Form":         reflect.TypeFor[dataset.Form](),
		"Table":        reflect.TypeFor[dataset.Table](),
	}
	out, err := exec.Command("go", "list", "-f", "{{.Name}} {{.Dir}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		name, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, file := range files {
			if name == "main" || strings.HasSuffix(file, "_test.go") ||
				strings.Contains(filepath.ToSlash(dir), "/internal/") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			internal := map[string]bool{}
			for _, i := range f.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				internal[path[strings.LastIndexByte(path, '/')+1:]] = strings.Contains(path, "/internal/")
			}
			for _, d := range f.Decls {
				if g, ok := d.(*ast.GenDecl); ok {
					for _, s := range g.Specs {
						checkSpec(t, file, g, s, internal, structs)
					}
				}
			}
		}
	}
	for name := range structs {
		t.Errorf("no public type %s is declared in an internal package", name)
	}
}

func checkSpec(t *testing.T, file string, g *ast.GenDecl, s ast.Spec, internal map[string]bool,
	structs map[string]reflect.Type) {
	isInternal := func(e ast.Expr) bool {
		selector, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := selector.X.(*ast.Ident)
		return ok && internal[x.Name]
	}
	switch s := s.(type) {
	case *ast.ValueSpec:
		for i, v := range s.Values {
			if g.Tok == token.CONST && s.Names[i].IsExported() && isInternal(v) {
				t.Errorf("%s: the constant %s has no literal value", file, s.Names[i].Name)
			}
		}
	case *ast.TypeSpec:
		of := structs[s.Name.Name]
		switch {
		case !s.Name.IsExported() || !isInternal(s.Type):
		case of != nil:
			delete(structs, s.Name.Name)
			for _, field := range reflect.VisibleFields(of) {
				if field.IsExported() && !strings.Contains(g.Doc.Text(), field.Name) {
					t.Errorf("%s: the comment of %s lacks the field %s", file, s.Name.Name, field.Name)
				}
			}
		case s.Comment.Text() == "":
			t.Errorf("%s: no comment after type %s says what it is", file, s.Name.Name)
		}
	}
}
