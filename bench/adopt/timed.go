package main

import (
	"bytes"
	_ "embed"
	"go/format"
	"os"
	"path/filepath"
	"text/template"
)

// timedName is the name of the benchmark file that is added to the project's package for the run.
const timedName = "pegasimd_adopt_test.go"

// timedText is the template of a benchmark of each call at each size. The benchmark is added to the
// project's own package, because most of the functions are not exported.
//
//go:embed timed.tmpl
var timedText string

var timed = template.Must(template.New("").Parse(timedText))

// writeTimed writes the benchmark into the package in dir.
func writeTimed(dir, pkg string, p project) error {
	type shown struct{ Name, Expr string }
	var calls []shown
	for _, c := range p.calls {
		calls = append(calls, shown{c.name, c.expr})
	}
	var b bytes.Buffer
	err := timed.Execute(&b, map[string]any{"Package": pkg, "Imports": p.imports, "Sizes": sizes,
		"Rows": p.rows, "Setup": p.setup, "Calls": calls})
	if err != nil {
		return err
	}
	src, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, timedName), src, 0o644)
}
