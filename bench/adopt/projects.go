package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/tools/txtar"
)

type project struct {
	Note, Name, Module, Version string

	Folder  string   // of the package in the module
	Imports []string // for setup and the calls
	Theirs  string   // pattern of the project's own benchmarks that run patched code
	Rows    int      // rows of the matrix m, of n elements each
	Calls   []call

	setup string // of the benchmark of size n, before the calls
	patch string // unified diff of files in Folder
}

// Expr is a float32 expression in Go, in which x, y and z are vectors and m is a matrix.
type call struct {
	Name, Expr string
	Loop       bool // the project computes the result by a loop in Go
}

var sizes = []int{8, 32, 128, 384, 768, 1536}

const (
	library = "github.com/pegasimd/pegasimd"
	blas    = library + "/interop/blas32"
)

//go:embed projects
var projectFiles embed.FS

func readProjects() (all []project, err error) {
	names, err := fs.Glob(projectFiles, "projects/*.txt")
	for _, name := range names {
		text, _ := projectFiles.ReadFile(name) // no error: embedded
		p, err := parseProject(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, p)
	}
	return all, err
}

// parseProject reads a txtar archive: a project in JSON, and optional sections "setup" and "patch".
func parseProject(text []byte) (p project, err error) {
	archive := txtar.Parse(text)
	d := json.NewDecoder(bytes.NewReader(archive.Comment))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return p, err
	}
	for _, section := range archive.Files {
		switch section.Name {
		case "setup":
			p.setup = string(section.Data)
		case "patch":
			p.patch = string(section.Data)
		default:
			return p, fmt.Errorf("unknown section %q", section.Name)
		}
	}
	return p, nil
}

func (p project) lines() (added, deleted int) {
	text := "\n" + p.patch
	count := func(sign, file string) int {
		return strings.Count(text, "\n"+sign) - strings.Count(text, "\n"+file)
	}
	return count("+", "+++ "), count("-", "--- ")
}
