package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"text/template"
)

// timedName is the file of ours that stands in the project's package while it is tested.
const timedName = "pegasimd_adopt_test.go"

// timed is a benchmark of each call at each size. It stands in the project's own package, since
// most of the functions are not exported.
var timed = template.Must(template.New("").Parse(`package {{.Package}}

import (
	"fmt"
	"testing"
{{range .Imports}}	{{printf "%q" .}}
{{end}})

var pegasimdSink float32

func BenchmarkPegasimdAdopt(b *testing.B) {
	first := func(v float32, err error) float32 { return v }
	truth := func(is bool) float32 { if is { return 1 }; return 0 }
	does := func(f func()) float32 { f(); return 0 }
	_, _, _ = first, truth, does
	for _, n := range []int{ {{range .Sizes}}{{.}}, {{end}} } {
		make := func(n int) []float32 {
			v := make([]float32, n)
			for i := range v {
				v[i] = float32(i*7919%257)/257 - .45
			}
			return v
		}
		x, y, z, m := make(n), make(n+1)[1:], make({{.Rows}}), make({{.Rows}}*n)
		_, _ = z, m
{{range .Calls}}		b.Run(fmt.Sprintf("{{.Name}}/%d", n), func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				pegasimdSink += {{.Expr}}
			}
		})
{{end}}	}
}
`))

// writeTimed writes the benchmark into the package in dir.
func writeTimed(dir, pkg string, p project) error {
	type shown struct{ Name, Expr string }
	var calls []shown
	for _, c := range p.calls {
		calls = append(calls, shown{c.name, c.expr})
	}
	var b bytes.Buffer
	err := timed.Execute(&b, map[string]any{"Package": pkg, "Imports": p.imports, "Sizes": sizes,
		"Rows": p.rows, "Calls": calls})
	if err != nil {
		return err
	}
	src, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, timedName), src, 0o644)
}
