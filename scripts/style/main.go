// Command style reports Go lines of more than 100 columns, and functions that are long or complex:
// go run ./scripts/style FILES
//
// A tab is 4 columns. A line may be longer if it has a URL or a long string literal, or if it is a
// row of a table. Functions of tests and of the generator may be of any length. Generated files are
// not looked at.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostColumns    = 100
	mostLines      = 60 // of a function
	mostComplexity = 20 // of a function: its branches, and one
	longString     = 50 // columns that excuse the line they are in
	tableRows      = 3  // elements of a literal, each on one line, that make a table
)

func main() {
	found := 0
	for _, name := range os.Args[1:] {
		complaints, err := check(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "style:", err)
			os.Exit(2)
		}
		for _, c := range complaints {
			fmt.Println(c)
		}
		found += len(complaints)
	}
	if found > 0 {
		fmt.Fprintf(os.Stderr, "style: %d complaints\n", found)
		os.Exit(1)
	}
}

// check returns what is wrong with a file, line by line.
func check(name string) (complaints []string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	excused := excusedLines(set, file)
	for i, line := range bytes.Split(text, []byte("\n")) {
		n := columns(line)
		if n > mostColumns && !excused[i+1] && !bytes.Contains(line, []byte("://")) {
			complaints = append(complaints, fmt.Sprintf("%s:%d: %d columns", name, i+1, n))
		}
	}
	if !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "internal/gen/") {
		complaints = append(complaints, functions(set, file)...)
	}
	return complaints, nil
}

func columns(line []byte) int {
	return utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
}

// excusedLines returns the lines with a long string literal, and those that are rows of a table.
func excusedLines(set *token.FileSet, file *ast.File) map[int]bool {
	excused := map[int]bool{}
	lines := func(n ast.Node) (first, last int) {
		return set.Position(n.Pos()).Line, set.Position(n.End()).Line
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind == token.STRING && len(n.Value) >= longString {
				for first, last := lines(n); first <= last; first++ {
					excused[first] = true
				}
			}
		case *ast.CompositeLit:
			var rows []int
			for _, element := range n.Elts {
				if first, last := lines(element); first == last && !slices.Contains(rows, first) {
					rows = append(rows, first)
				}
			}
			if len(rows) >= tableRows {
				for _, row := range rows {
					excused[row] = true
				}
			}
		}
		return true
	})
	return excused
}

// functions returns those that are too long or too complex.
func functions(set *token.FileSet, file *ast.File) (complaints []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		at := set.Position(f.Pos())
		if n := set.Position(f.End()).Line - at.Line + 1; n > mostLines {
			complaints = append(complaints, fmt.Sprintf("%s: %s has %d lines", at, f.Name.Name, n))
		}
		if n := complexity(f); n > mostComplexity {
			complaints = append(complaints, fmt.Sprintf("%s: %s has complexity %d", at,
				f.Name.Name, n))
		}
	}
	return complaints
}

// complexity counts the ways through a function as gocyclo does.
func complexity(f *ast.FuncDecl) int {
	sum := 1
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			sum++
		case *ast.CaseClause:
			if n.List != nil {
				sum++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				sum++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				sum++
			}
		}
		return true
	})
	return sum
}
