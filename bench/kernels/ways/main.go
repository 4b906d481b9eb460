// Command ways writes the loops of ways.txt as Go source, because calling a function in each
// iteration would take as long as a kernel on short vectors.
package main

import (
	_ "embed"
	"fmt"
	"go/format"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

//go:embed ways.txt
var table string

// import paths of the packages that statements name
var imports = map[string]string{
	"archsimd": "simd/archsimd",
	"asm":      "github.com/weaviate/weaviate/adapters/repos/db/vector/hnsw/distancer/asm",
	"blas":     "gonum.org/v1/gonum/blas", "cpu": "golang.org/x/sys/cpu", "math": "math", "os": "os",
	"f32": "github.com/tphakala/simd/f32", "vek32": "github.com/viterin/vek/vek32",
	"bandwidth": "github.com/pegasimd/pegasimd/internal/sys/bandwidth",
	"dense":     "github.com/pegasimd/pegasimd/dense", "half": "github.com/pegasimd/pegasimd/half",
	"quant": "github.com/pegasimd/pegasimd/quant", "sparse": "github.com/pegasimd/pegasimd/sparse",
}

var qualifier = regexp.MustCompile(`\b([a-z]+[0-9]*)\.[A-Z]`)

type source struct {
	name, constraint string
	c                string // before import "C"; empty for a file without cgo
	body             strings.Builder
}

func main() {
	f, operation := &source{}, ""
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		name, statement, isWay := strings.Cut(strings.TrimPrefix(line, "\t"), ": ")
		switch {
		case line == "" || word == "#":
		case word == "file":
			f.write()
			f = &source{name: rest}
		case word == "build":
			f.constraint = "//go:build " + rest + "\n\n"
		case word == "c":
			f.c += rest + "\n"
		case word == "go":
			fmt.Fprintln(&f.body, rest)
		case line[0] == '\t' && isWay:
			f.way(operation, name, statement)
		default:
			operation = line
		}
	}
	f.write()
}

func (f *source) way(operation, name, statement string) {
	inC := f.c != ""
	if batch, strip, ok := strings.Cut(operation, " in strips of "); ok {
		add, operands := "addTopMany(", "&floatBatch, rows[first*batchCols:]"
		if batch == "int8 TopMany" {
			add, operands = `int8Batch.addPeer("int8 TopMany", `, "&int8Batch, int8s(rows)[first*batchCols:]"
		}
		fmt.Fprintf(&f.body, "%s%q, %v, %s, func(first, n int) {\nb, rows := %s\n%s\n})\n", add, name,
			inC, strip, operands, statement)
		return
	}
	if !inC {
		statement = "for range n {\n" + statement + "\n}"
	}
	fmt.Fprintf(&f.body, "addWay(%q, way{name: %q, inC: %v, loop: func(n int) {\n%s\n}})\n",
		operation, name, inC, statement)
}

func (f *source) write() {
	if f.name == "" {
		return // before the first file
	}
	head := "// Code generated from ways/ways.txt by go generate. DO NOT EDIT.\n\n" + f.constraint +
		"package main\n"
	if f.c != "" {
		head += "/*\n" + f.c + "*/\nimport \"C\"\n"
	}
	var used []string
	for _, match := range qualifier.FindAllStringSubmatch(f.body.String(), -1) {
		if path := imports[match[1]]; path != "" {
			used = append(used, fmt.Sprintf("import %q\n", path))
		}
	}
	slices.Sort(used)
	text, err := format.Source([]byte(head + strings.Join(slices.Compact(used), "") +
		"\nfunc init() {\n" + f.body.String() + "}\n"))
	if err == nil {
		err = os.WriteFile(f.name, text, 0o666)
	}
	if err != nil {
		log.Fatalf("%s: %v", f.name, err)
	}
}
