package gofile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write bundle.go anew")

const module = "github.com/pegasimd/pegasimd/internal/"

var sources = []struct{ path, roots string }{
	{"text/tables", "codingsOf coding.encode Words.unpack none Number Date Category Text LeftOut"},
	{"text/cell", ""},
	{"rows/curves", "Expansion.Append32 Products Pieces"},
	{"rows/scale", "Length"},
	{"asm", "dotGeneric dotSparseGeneric Block"},
	{"model/labels", "ClassScores Highest"},
	{"train/calibrate", "Sigmoid.At Softmax Couple Normalize"},
	{"base/floats", ""},
	{"base/murmur", ""},
}

var renamed = map[string]string{
	"text/tables.Column": "tableColumn", "text/tables.Scale": "numberScale",
	"text/tables.Levels": "categoryLevels", "text/tables.Words": "ngrams",
	"text/tables.Text": "freeText", "text/cell.Order": "dateOrder", "text/cell.Date": "parsedDate",
	"text/cell.ParseDate": "dateOf", "text/cell.Digits": "readDigits",
	"text/cell.CountDigits": "leadingDigits", "text/cell.Scale": "scaleDecimal",
	"text/cell.Number": "parsedNumber", "text/cell.Float32": "float32Of",
	"text/cell.Truth": "truthOf", "text/cell.months": "monthNames",
	"text/cell.weekdays": "weekdayNames", "rows/curves.Kind": "curveKind",
	"rows/curves.clip": "clipped", "rows/scale.Length": "norm", "model/labels.Votes": "countVotes",
	"base/floats.Sigmoid": "logistic", "base/floats.Exp": "expOf", "base/floats.Log": "logOf",
	"asm.dotGeneric": "dotBlock", "asm.dotSparseGeneric": "dotSparse",
}

var dropped = []string{"Words.Words", "Words.all"}

func TestBundle(t *testing.T) {
	b := &bundler{t: t, fset: token.NewFileSet(), decls: map[string]*declaration{},
		wanted: map[string]bool{}}
	b.load()
	for _, s := range sources {
		for _, root := range strings.Fields(s.roots) {
			b.want(module + s.path + "." + root)
		}
	}
	have := b.text()
	if *update {
		if err := os.WriteFile("parts/bundle.go", have, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile("parts/bundle.go")
	if err != nil || !bytes.Equal(old, have) {
		t.Errorf("bundle.go can't be read (%v), or differs from its sources: run go test -run "+
			"Bundle -update", err)
	}
}

type bundler struct {
	t      *testing.T
	fset   *token.FileSet
	order  []*declaration
	decls  map[string]*declaration // by import path and name: a/b.Name or a/b.Type.Method
	wanted map[string]bool         // keys of the declarations to copy
}

type declaration struct {
	pkg    *types.Package
	info   *types.Info
	keys   []string
	node   ast.Node
	source []byte
	from   int          // offset in source of the comment, or of node if it has no comment
	group  *ast.GenDecl // group of declarations that node is in; nil if it is in none
}

func (b *bundler) load() {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles", "-tags=purego"}
	for _, s := range sources {
		args = append(args, module+s.path)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		b.t.Fatal(err)
	}
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var l listed
		if err := d.Decode(&l); err != nil {
			b.t.Fatal(err)
		}
		all[l.ImportPath] = l
	}
	imports := importer.ForCompiler(b.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(all[path].Export)
	})
	for _, s := range sources {
		l := all[module+s.path]
		var files []*ast.File
		var texts [][]byte
		for _, name := range l.GoFiles {
			text, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				b.t.Fatal(err)
			}
			f, err := parser.ParseFile(b.fset, name, text, parser.ParseComments)
			if err != nil {
				b.t.Fatal(err)
			}
			files, texts = append(files, f), append(texts, text)
		}
		info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		pkg, err := (&types.Config{Importer: imports}).Check(l.ImportPath, b.fset, files, info)
		if err != nil {
			b.t.Fatal(err)
		}
		for i, f := range files {
			for _, d := range f.Decls {
				b.add(&declaration{pkg: pkg, info: info, node: d, source: texts[i]})
			}
		}
	}
}

func (b *bundler) add(d *declaration) {
	of := func(doc *ast.CommentGroup, node ast.Node) int {
		if doc != nil {
			return b.offset(doc.Pos())
		}
		return b.offset(node.Pos())
	}
	var keys []string
	switch n := d.node.(type) {
	case *ast.FuncDecl:
		key := n.Name.Name
		if receiver := receiverOf(n); receiver != "" {
			key = receiver + "." + key
		}
		keys, d.from = []string{key}, of(n.Doc, n)
	case *ast.GenDecl:
		if n.Tok == token.IMPORT {
			return
		}
		if n.Lparen.IsValid() && !strings.Contains(string(d.source[b.offset(n.Pos()):b.offset(n.End())]),
			"iota") {
			for _, spec := range n.Specs {
				one := *d
				one.node, one.group, one.from = spec, n, b.offset(spec.Pos())
				if v, ok := spec.(*ast.ValueSpec); ok {
					if v.Values == nil && n.Tok == token.CONST {
						b.t.Fatalf("the constant %s has no value of its own", v.Names[0])
					}
					one.from = of(v.Doc, v)
				}
				b.list(&one, namesOf(spec))
			}
			return
		}
		for _, spec := range n.Specs {
			keys = append(keys, namesOf(spec)...)
		}
		d.from = of(n.Doc, n)
	}
	b.list(d, keys)
}

func (b *bundler) list(d *declaration, names []string) {
	for _, name := range names {
		key := d.pkg.Path() + "." + name
		d.keys, b.decls[key] = append(d.keys, key), d
	}
	b.order = append(b.order, d)
}

func (b *bundler) offset(p token.Pos) int { return b.fset.Position(p).Offset }

// keyOf returns the key of o in decls, or "" unless o is a method or package-level declaration of
// the module's internal packages.
func (b *bundler) keyOf(o types.Object) string {
	if o == nil || o.Pkg() == nil || !strings.HasPrefix(o.Pkg().Path(), module) {
		return ""
	}
	if f, ok := o.(*types.Func); ok {
		if recv := f.Type().(*types.Signature).Recv(); recv != nil {
			of := recv.Type()
			if p, ok := of.(*types.Pointer); ok {
				of = p.Elem()
			}
			named, ok := of.(*types.Named)
			if !ok {
				return ""
			}
			return o.Pkg().Path() + "." + named.Obj().Name() + "." + f.Name()
		}
	}
	if o.Parent() != o.Pkg().Scope() {
		return ""
	}
	return o.Pkg().Path() + "." + o.Name()
}

func (b *bundler) want(key string) {
	d := b.decls[key]
	if d == nil {
		b.t.Fatalf("no declaration %s", key)
	}
	if b.wanted[key] {
		return
	}
	for _, k := range d.keys {
		b.wanted[k] = true
	}
	ast.Inspect(d.node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if key := b.keyOf(d.info.Uses[id]); key != "" {
				b.want(key)
			}
		}
		return true
	})
}

// renames returns the names in bundle.go by key: the name in renamed, else the unexported name. The
// package's name precedes an unexported name that is in use, a keyword or predeclared.
func (b *bundler) renames() map[string]string {
	uses := map[string]int{} // by name: uses except of packages, fields and declarations of b
	for _, d := range b.order {
		if !b.wanted[d.keys[0]] {
			continue
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				o := b.objectOf(d, id)
				v, isVar := o.(*types.Var)
				if _, isPackage := o.(*types.PkgName); !isPackage && b.keyOf(o) == "" &&
					!(isVar && v.IsField()) {
					uses[id.Name]++
				}
			}
			return true
		})
	}
	names, taken := map[string]string{}, map[string]bool{}
	for key, name := range renamed {
		names[module+key], taken[name] = name, true
		if uses[name] > 0 {
			b.t.Fatalf("the name %s is in use: choose another in renamed", name)
		}
	}
	for _, d := range b.order {
		for _, key := range d.keys {
			short := strings.TrimPrefix(key, d.pkg.Path()+".")
			if !b.wanted[key] || strings.Contains(short, ".") {
				continue
			}
			name := lower(short)
			if names[key] != "" {
				continue
			}
			if taken[name] || uses[name] > 0 && name != short || token.IsKeyword(name) ||
				types.Universe.Lookup(name) != nil {
				name = d.pkg.Name() + strings.ToUpper(short[:1]) + short[1:]
			}
			if taken[name] || uses[name] > 0 && name != short {
				b.t.Fatalf("the name %s is in use: add %s to renamed", name, key)
			}
			names[key], taken[name] = name, true
		}
	}
	return names
}

func lower(name string) string {
	n := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsUpper(r) })
	if n < 0 {
		return strings.ToLower(name)
	}
	n = max(min(n, 1), n-1)
	return strings.ToLower(name[:n]) + name[n:]
}

type edit struct {
	from, to int
	by       string
}

func (b *bundler) text() []byte {
	names := b.renames()
	var body bytes.Buffer
	imports := map[string]bool{}
	var group *ast.GenDecl
	end := func() {
		if group != nil {
			body.WriteString(")\n")
		}
	}
	for _, d := range b.order {
		if !b.wanted[d.keys[0]] {
			continue
		}
		if d.group != group || d.group == nil {
			end()
			if group = d.group; group != nil {
				fmt.Fprintf(&body, "\n%s (", group.Tok)
			}
			body.WriteString("\n")
		}
		body.WriteString(b.declare(d, names, imports) + "\n")
	}
	end()
	var all bytes.Buffer
	all.WriteString("// Code generated by go test -run Bundle -update. DO NOT EDIT.\n\n" +
		"package parts\n\nimport (\n")
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&all, "\t%q\n", path)
	}
	all.WriteString(")\n")
	all.Write(body.Bytes())
	text, err := format.Source(all.Bytes())
	if err != nil {
		b.t.Fatal(err)
	}
	return text
}

var reference = regexp.MustCompile(`\[[A-Z][A-Za-z.]*\]`)

func (b *bundler) declare(d *declaration, names map[string]string, imports map[string]bool) string {
	var edits []edit
	qualified := map[*ast.Ident]bool{}
	ast.Inspect(d.node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			id, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			if p, ok := d.info.Uses[id].(*types.PkgName); ok {
				if path := p.Imported().Path(); !strings.HasPrefix(path, module) {
					imports[path] = true
				} else {
					qualified[n.Sel] = true
					edits = append(edits, edit{b.offset(n.Pos()), b.offset(n.End()),
						names[b.keyOf(d.info.Uses[n.Sel])]})
				}
			}
		case *ast.Ident:
			o := b.objectOf(d, n)
			if v, ok := o.(*types.Var); ok && v.Embedded() {
				of := v.Type()
				if p, ok := of.(*types.Pointer); ok {
					of = p.Elem()
				}
				o = of.(*types.Named).Obj()
			}
			if name := names[b.keyOf(o)]; name != "" && !qualified[n] && name != n.Name {
				edits = append(edits, edit{b.offset(n.Pos()), b.offset(n.End()), name})
			}
		case *ast.Field:
			if n.Tag != nil {
				edits = append(edits, edit{b.offset(n.Tag.Pos()), b.offset(n.Tag.End()), ""})
			}
		case *ast.TypeSpec:
			s, ok := n.Type.(*ast.StructType)
			if !ok {
				break
			}
			for _, f := range s.Fields.List {
				if len(f.Names) == 1 && slices.Contains(dropped, n.Name.Name+"."+f.Names[0].Name) {
					from, to := f.Pos(), f.End()
					if f.Doc != nil {
						from = f.Doc.Pos()
					}
					if f.Comment != nil {
						to = f.Comment.End()
					}
					edits = append(edits, edit{b.offset(from), b.offset(to), ""})
				}
			}
		}
		return true
	})
	start := b.offset(d.node.Pos())
	comment := string(d.source[d.from:start])
	for _, key := range d.keys {
		short := key[strings.LastIndex(key, ".")+1:]
		if name := names[key]; name != "" && name != short {
			comment = regexp.MustCompile(`\b`+short+`\b`).ReplaceAllString(comment, name)
		}
	}
	comment = reference.ReplaceAllStringFunc(comment, func(s string) string {
		s = strings.Trim(s, "[]")
		first, rest, _ := strings.Cut(s, ".")
		if name := names[d.pkg.Path()+"."+first]; name != "" {
			return strings.TrimSuffix(name+"."+rest, ".")
		}
		return s
	})
	slices.SortFunc(edits, func(x, y edit) int { return cmp.Compare(x.from, y.from) })
	var text strings.Builder
	text.WriteString(comment)
	at := start
	for _, e := range edits {
		if e.from < at {
			continue
		}
		text.Write(d.source[at:e.from])
		text.WriteString(e.by)
		at = e.to
	}
	end := b.offset(d.node.End())
	if line := bytes.IndexByte(d.source[end:], '\n'); line >= 0 {
		end += line
	}
	text.Write(d.source[at:end])
	return text.String()
}

func (b *bundler) objectOf(d *declaration, id *ast.Ident) types.Object {
	if o := d.info.Uses[id]; o != nil {
		return o
	}
	return d.info.Defs[id]
}
