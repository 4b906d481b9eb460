package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// A project is another library that the kernels are linked into, with the patch that does it and
// the calls that are timed.
type project struct {
	name    string
	module  string
	version string
	folder  string   // of the package, in the module
	imports []string // of setup and calls
	edits   []edit
	calls   []call
	theirs  string // regular expression of the project's own benchmarks that run patched code
	rows    int    // rows of the matrix m that is made for the calls, with n elements each
	setup   string // statements that the benchmark of size n executes before the calls
}

// An edit replaces a part of one file, or adds a file. Exactly one of fn, old and neither is set.
type edit struct {
	file string
	fn   string // function whose body is replaced
	loop bool   // only the function's first loop is replaced
	old  string // expression that is replaced wherever it occurs in the file
	with string // the replacement, or the text of the new file if fn and old are empty
	uses string // import path of our package that with names; "" if with names none
}

// A call is timed at all sizes. expr may name the vectors x and y and the matrix m.
type call struct {
	name, expr string
	loop       bool // the project computes it by a loop in Go
}

// sizes are the lengths of vectors at which calls are timed: small ones, and those of embeddings.
var sizes = []int{8, 32, 128, 384, 768, 1536}

const (
	library = "github.com/pegasimd/pegasimd"
	dense   = library + "/dense"
	blas    = library + "/interop/blas32"
)

//go:embed projects
var projectFiles embed.FS

// readProjects reads the projects of the folder projects in the order of their file names. A file
// is a txtar archive: "key: value" lines, and then a section for each edit, named
//
//	FILE body FUNCTION
//	FILE loop FUNCTION
//	FILE replace EXPRESSION
//	FILE new
//
// or "setup".
func readProjects() (all []project, err error) {
	names, err := fs.Glob(projectFiles, "projects/*.txt")
	for _, name := range names {
		text, _ := projectFiles.ReadFile(name) // embedded files can be read
		p, err := parseProject(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, p)
	}
	return all, err
}

func parseProject(text []byte) (p project, err error) {
	archive := txtar.Parse(text)
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case strings.HasPrefix(line, "#"):
		case key == "name":
			p.name = value
		case key == "module":
			p.module, p.version, _ = strings.Cut(value, " ")
		case key == "folder":
			p.folder = value
		case key == "import":
			p.imports = append(p.imports, value)
		case key == "theirs":
			p.theirs = value
		case key == "rows":
			if p.rows, err = strconv.Atoi(value); err != nil {
				return p, err
			}
		case key == "call" || key == "loop":
			name, expr, _ := strings.Cut(value, " = ")
			p.calls = append(p.calls, call{name, expr, key == "loop"})
		default:
			return p, fmt.Errorf("unknown line %q", line)
		}
	}
	for _, section := range archive.Files {
		with := strings.TrimSuffix(string(section.Data), "\n")
		if section.Name == "setup" {
			p.setup = with
			continue
		}
		words := strings.SplitN(section.Name, " ", 3)
		words = append(words, "", "")
		e := edit{file: words[0], with: with}
		switch words[1] {
		case "body", "loop":
			e.fn, e.loop = words[2], words[1] == "loop"
		case "replace":
			e.old = words[2]
		case "new":
			e.with += "\n"
		default:
			return p, fmt.Errorf("unknown section %q", section.Name)
		}
		switch {
		case strings.Contains(with, "dense."):
			e.uses = dense
		case strings.Contains(with, "fast."):
			e.uses = blas
		}
		p.edits = append(p.edits, e)
	}
	return p, nil
}
