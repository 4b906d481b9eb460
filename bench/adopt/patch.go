package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// apply makes the edits in the package in dir.
func apply(dir string, edits []edit) error {
	for _, e := range edits {
		name := filepath.Join(dir, e.file)
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if src, err = e.apply(src); err != nil {
			return fmt.Errorf("%s: %w", name, err)
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
		src = splice(src, start, end, e.with)
	case bytes.Contains(src, []byte(e.old)):
		src = bytes.ReplaceAll(src, []byte(e.old), []byte(e.with))
	default:
		return nil, fmt.Errorf("%q is not there", e.old)
	}
	src, err := imports(src, e.uses)
	if err != nil {
		return nil, err
	}
	return format.Source(src)
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

func splice(src []byte, start, end int, with string) []byte {
	return []byte(string(src[:start]) + "\n" + with + "\n" + string(src[end:]))
}

// imports adds the import of a package of ours, and takes out those that nothing uses any more.
func imports(src []byte, add string) ([]byte, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "", src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	there := false
	for i := len(f.Imports) - 1; i >= 0; i-- { // from the end, so that offsets stay right
		spec := f.Imports[i]
		name, _ := strconv.Unquote(spec.Path.Value)
		there = there || name == add
		local := path.Base(name)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if name != add && !used[local] && local != "_" {
			src = splice(src, files.Position(spec.Pos()).Offset, files.Position(spec.End()).Offset,
				"")
		}
	}
	if there {
		return src, nil
	}
	line := strconv.Quote(add)
	if add == blas {
		line = "fast " + line
	}
	group := bytes.Index(src, []byte("import (")) + len("import (")
	if group < len("import (") { // or a single one
		end := files.Position(f.Name.End()).Offset
		return splice(src, end, end, "import "+line), nil
	}
	return tidy(splice(src, group, group, line)), nil
}

// tidy takes empty lines and groups without imports out of the import declaration.
func tidy(src []byte) []byte {
	head, rest, _ := strings.Cut(string(src), "import (")
	group, rest, _ := strings.Cut(rest, ")")
	var lines []string
	for _, line := range strings.Split(group, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return []byte(head + "import (\n" + strings.Join(lines, "\n") + "\n)" + rest)
}
