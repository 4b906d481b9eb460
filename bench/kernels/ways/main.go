// Command ways writes the loops of ways.txt as Go source, because a function call in each iteration
// would take as long as a kernel on short vectors. It runs in the folder above: go generate
// ./kernels.
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

// imports maps the packages that statements may name to their import paths.
var imports = map[string]string{
	"math": "math", "f32": "github.com/tphakala/simd/f32", "vek32": "github.com/viterin/vek/vek32",
	"blas": "gonum.org/v1/gonum/blas", "dense": "github.com/pegasimd/pegasimd/dense",
	"half": "github.com/pegasimd/pegasimd/half", "quant": "github.com/pegasimd/pegasimd/quant",
	"sparse": "github.com/pegasimd/pegasimd/sparse",
}

var qualifier = regexp.MustCompile(`\b([a-z]+[0-9]*)\.[A-Z]`)

func main() {
	var used []string
	for _, match := range qualifier.FindAllStringSubmatch(table, -1) {
		if path := imports[match[1]]; path != "" {
			used = append(used, fmt.Sprintf("%q\n", path))
		}
	}
	slices.Sort(used)
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated from ways/ways.txt by go generate. DO NOT EDIT.\n\npackage main\n"+
		"import (\n%s)\nvar ways = map[string][]way{\n", strings.Join(slices.Compact(used), ""))
	open := false
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		name, statement, isWay := strings.Cut(strings.TrimPrefix(line, "\t"), ": ")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '\t' && isWay:
			fmt.Fprintf(&b, "{name: %q, loop: func(n int) {\nfor range n {\n%s\n}\n}},\n", name, statement)
		default:
			if open {
				b.WriteString("},\n")
			}
			fmt.Fprintf(&b, "%q: {\n", line)
			open = true
		}
	}
	text, err := format.Source([]byte(b.String() + "},\n}\n"))
	if err == nil {
		err = os.WriteFile("ways_gen.go", text, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}
