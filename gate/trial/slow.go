package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// slow makes the function begin with so many turns of a loop.
func (t *trial) slow(turns int) error {
	if _, err := t.git("checkout", "-q", "."); err != nil {
		return err
	}
	file, at, err := t.find()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	loop := fmt.Sprintf(" for gateTrial := 0; gateTrial < %d; gateTrial++ "+
		"{ gateTrialSum += gateTrial }; ", turns)
	text = slices.Insert(text, at, []byte(loop)...)
	text = append(text, "\nvar gateTrialSum int\n"...)
	return os.WriteFile(file, text, 0o666)
}

// find returns the file of the function and where its body begins.
func (t *trial) find() (file string, at int, err error) {
	err = filepath.WalkDir(t.clone, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || file != "":
			return nil
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && f.Body != nil && nameOf(f) == t.function {
				file, at = path, files.Position(f.Body.Lbrace).Offset+1
			}
		}
		return nil
	})
	if err == nil && file == "" {
		err = fmt.Errorf("there is no function %s", t.function)
	}
	return file, at, err
}

// nameOf is a function's name, and in front of it the type of a method.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.Ident:
			return r.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
