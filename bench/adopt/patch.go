package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"golang.org/x/tools/go/ast/astutil"
)

// versioned matches import paths that end in a major version. apply keeps such imports, because
// astutil.UsesImport takes the last element for the package's name.
var versioned = regexp.MustCompile(`/v[0-9]+$`)

// apply makes the edits in the package in dir.
func apply(dir string, edits []edit) error {
	for _, e := range edits {
		name := filepath.Join(dir, e.file)
		src := []byte(e.with)
		if e.fn != "" || e.old != "" {
			var err error
			if src, err = os.ReadFile(name); err != nil {
				return err
			}
			if src, err = e.apply(src); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		} else if _, err := os.Stat(name); err == nil {
			return fmt.Errorf("%s is there already", name)
		}
		if err := os.WriteFile(name, src, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// apply returns src edited, with the imports that it needs.
func (e edit) apply(src []byte) ([]byte, error) {
	switch {
	case e.fn != "":
		start, end, err := e.find(src)
		if err != nil {
			return nil, err
		}
		src = []byte(string(src[:start]) + "\n" + e.with + "\n" + string(src[end:]))
	case bytes.Contains(src, []byte(e.old)):
		src = bytes.ReplaceAll(src, []byte(e.old), []byte(e.with))
	default:
		return nil, fmt.Errorf("%q is not there", e.old)
	}
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	name := ""
	if e.uses == blas {
		name = "fast"
	}
	if e.uses != "" {
		astutil.AddNamedImport(files, f, name, e.uses)
	}
	for i := len(f.Imports) - 1; i >= 0; i-- {
		path, _ := strconv.Unquote(f.Imports[i].Path.Value)
		if alias := f.Imports[i].Name; alias == nil && !versioned.MatchString(path) &&
			!astutil.UsesImport(f, path) {
			astutil.DeleteImport(files, f, path)
		}
	}
	var b bytes.Buffer
	err = format.Node(&b, files, f)
	return b.Bytes(), err
}

// find returns where in src the body of the function is, or its first loop.
func (e edit) find(src []byte) (start, end int, err error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", src, 0)
	if err != nil {
		return 0, 0, err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != e.fn || fn.Body == nil {
			continue
		}
		if !e.loop {
			return at(fn.Body.Lbrace) + 1, at(fn.Body.Rbrace), nil
		}
		for _, s := range fn.Body.List {
			switch s.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				return at(s.Pos()), at(s.End()), nil
			}
		}
		return 0, 0, fmt.Errorf("function %s has no loop", e.fn)
	}
	return 0, 0, fmt.Errorf("there is no function %s", e.fn)
}
