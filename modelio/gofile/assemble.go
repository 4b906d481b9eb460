package gofile

import (
	"bytes"
	"compress/flate"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed parts/bundle.go parts/unpack.go
var parts embed.FS

type part struct {
	text    string
	group   string // "const" or "var" for a line of a group, else ""
	uses    []string
	imports []string
}

// assemble returns a Go file: the introduction, imports, the declarations in top, and copies of the
// declarations of package parts that top needs, without branches that lacks rules out.
func assemble(introduction string, top []byte, lacks map[string]bool) ([]byte, error) {
	var all []*part
	byName := map[string][]*part{}  // a method M has the name ".M"
	receivers := map[*part]string{} // type of a method's receiver; "" for other declarations
	for _, name := range []string{"parts/unpack.go", "parts/bundle.go"} {
		text, err := parts.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, fset, imports, err := parse(text)
		if err != nil {
			return nil, err
		}
		c := &cutter{text: text, fset: fset, lacks: lacks, imports: imports}
		for _, d := range f.Decls {
			g, isGroup := d.(*ast.GenDecl)
			if isGroup && g.Tok == token.IMPORT {
				continue
			}
			if isGroup && g.Lparen.IsValid() && !bytes.Contains(c.slice(g.Pos(), g.End()), []byte("iota")) {
				for _, spec := range g.Specs {
					p := c.part(spec, spec.(*ast.ValueSpec).Doc)
					p.group = g.Tok.String()
					all = append(all, p)
					for _, name := range namesOf(spec) {
						byName[name] = append(byName[name], p)
					}
				}
				continue
			}
			var doc *ast.CommentGroup
			var names []string
			receiver := ""
			if isGroup {
				doc = g.Doc
				for _, spec := range g.Specs {
					names = append(names, namesOf(spec)...)
				}
			} else {
				f := d.(*ast.FuncDecl)
				doc, names = f.Doc, []string{f.Name.Name}
				if receiver = receiverOf(f); receiver != "" {
					names[0] = "." + names[0]
				}
			}
			p := c.part(d, doc)
			receivers[p] = receiver
			all = append(all, p)
			for _, name := range names {
				byName[name] = append(byName[name], p)
			}
		}
	}
	f, fset, _, err := parse([]byte("package p\n" + string(top)))
	if err != nil {
		return nil, err
	}
	c := &cutter{text: top, fset: fset, imports: known}
	needed, types := map[*part]bool{}, map[string]bool{}
	imports := map[string]bool{}
	var waiting []*part // methods whose name is used, but whose type is not needed so far
	var need func(uses, of []string)
	need = func(uses, of []string) {
		for _, path := range of {
			imports[path] = true
		}
		for _, name := range uses {
			types[name] = true
			for _, p := range byName[name] {
				if needed[p] {
					continue
				}
				if r := receivers[p]; r != "" && !types[r] {
					waiting = append(waiting, p)
					continue
				}
				needed[p] = true
				need(p.uses, p.imports)
			}
		}
	}
	need(c.uses(f))
	for again := true; again; {
		again = false
		for _, p := range waiting {
			if !needed[p] && types[receivers[p]] {
				needed[p], again = true, true
				need(p.uses, p.imports)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString(introduction + "\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		b.WriteString("\t" + strconv.Quote(path) + "\n")
	}
	b.WriteString(")\n" + string(top) + "\n// The declarations below are copied from Pegasimd.\n")
	group := ""
	for _, p := range all {
		if !needed[p] {
			continue
		}
		if p.group != group {
			if group != "" {
				b.WriteString(")\n")
			}
			if p.group != "" {
				b.WriteString("\n" + p.group + " (\n")
			}
			group = p.group
		}
		if group == "" {
			b.WriteString("\n")
		}
		b.WriteString(p.text + "\n")
	}
	if group != "" {
		b.WriteString(")\n")
	}
	return b.Bytes(), nil
}

func namesOf(spec ast.Spec) (names []string) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		names = append(names, s.Name.Name)
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return of.(*ast.Ident).Name
}

// known maps the names of the packages that the template may use to their import paths.
var known = map[string]string{"fmt": "fmt", "strings": "strings"}

func parse(text []byte) (*ast.File, *token.FileSet, map[string]string, error) {
	fset, imports := token.NewFileSet(), map[string]string{}
	f, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, nil, nil, err
		}
		imports[path.Base(p)] = p
	}
	return f, fset, imports, nil
}

type cutter struct {
	text    []byte
	fset    *token.FileSet
	lacks   map[string]bool
	imports map[string]string
	cut     [][2]token.Pos // ranges to leave out of the current declaration
}

func (c *cutter) slice(from, to token.Pos) []byte {
	return c.text[c.fset.Position(from).Offset:c.fset.Position(to).Offset]
}

func (c *cutter) part(n ast.Node, doc *ast.CommentGroup) *part {
	c.cut = nil
	ast.Inspect(n, c.mark)
	p := new(part)
	p.uses, p.imports = c.uses(n)
	var b strings.Builder
	at := n.Pos()
	if doc != nil {
		at = doc.Pos()
	}
	slices.SortFunc(c.cut, func(a, b [2]token.Pos) int { return int(a[0] - b[0]) })
	for _, cut := range c.cut {
		if cut[0] < at {
			continue // within a range already cut
		}
		b.Write(c.slice(at, cut[0]))
		at = cut[1]
	}
	end := c.fset.Position(n.End()).Offset
	rest := c.text[c.fset.Position(at).Offset:]
	if line := bytes.IndexByte(c.text[end:], '\n'); line >= 0 {
		rest = c.text[c.fset.Position(at).Offset : end+line]
	}
	b.Write(rest)
	p.text = b.String()
	return p
}

func (c *cutter) mark(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		for i, s := range n.List {
			if k, ok := s.(*ast.CaseClause); ok {
				kept := slices.DeleteFunc(slices.Clone(k.List), c.isLacking)
				end := n.Rbrace
				if i+1 < len(n.List) {
					end = n.List[i+1].Pos()
				}
				if len(k.List) > 0 && len(kept) == 0 {
					c.cut = append(c.cut, [2]token.Pos{k.Pos(), end})
				} else if len(kept) < len(k.List) {
					at := k.List[0].Pos()
					for _, e := range k.List {
						if !c.isLacking(e) {
							c.cut = append(c.cut, [2]token.Pos{at, e.Pos()})
							at = e.End()
						}
					}
					c.cut = append(c.cut, [2]token.Pos{at, k.Colon})
				}
			}
		}
		c.markIfs(n.List)
	case *ast.CaseClause:
		c.markIfs(n.Body)
	case *ast.Field:
		if c.lacks["freeText"] && len(n.Names) == 1 && strings.EqualFold(n.Names[0].Name, "text") {
			if star, ok := n.Type.(*ast.StarExpr); ok {
				c.cut = append(c.cut, [2]token.Pos{n.Pos(), star.End()})
			}
		}
	}
	return true
}

func (c *cutter) markIfs(list []ast.Stmt) {
	for _, s := range list {
		if s, ok := s.(*ast.IfStmt); ok && s.Init == nil && s.Else == nil && c.isLacking(s.Cond) {
			c.cut = append(c.cut, [2]token.Pos{s.Pos(), s.End()})
		}
	}
}

// isLacking reports whether a condition or case is known to be false for every column of the model,
// such as raw if the table is not raw, or c.Kind == date if no column has dates.
func (c *cutter) isLacking(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return c.lacks[e.Name]
	case *ast.BinaryExpr:
		s, ok := e.X.(*ast.SelectorExpr)
		return ok && (e.Op == token.EQL && c.isLacking(e.Y) ||
			e.Op == token.NEQ && s.Sel.Name == "Date" && c.lacks["date"])
	}
	return false
}

// uses returns the identifiers in n, with a dot before selected fields and methods, and the import
// paths of the packages that n uses. It skips the ranges in c.cut.
func (c *cutter) uses(n ast.Node) (names, imports []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		if n == nil || slices.ContainsFunc(c.cut, func(cut [2]token.Pos) bool {
			return cut[0] <= n.Pos() && n.End() <= cut[1]
		}) {
			return false
		}
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && c.imports[id.Name] != "" {
				imports = append(imports, c.imports[id.Name])
				return false
			}
			add("." + n.Sel.Name)
			ast.Inspect(n.X, visit)
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.Ident:
			add(n.Name)
		}
		return true
	}
	ast.Inspect(n, visit)
	return names, imports
}

// packed returns a Go string literal of the bytes, deflated and in base64.
func packed(all []byte) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		panic(err)
	}
	w.Write(all)
	w.Close()
	text := base64.StdEncoding.EncodeToString(b.Bytes())
	var lines strings.Builder
	lines.WriteByte('`')
	for len(text) > 100 {
		lines.WriteString("\n" + text[:100])
		text = text[100:]
	}
	lines.WriteString("\n" + text + "`")
	return lines.String()
}

func packedFloats(vectors [][]float32) string {
	var b []byte
	for _, w := range vectors {
		for _, v := range w {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return packed(b)
}
