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
	folder  string   // the package's folder in the module
	imports []string // imports that setup and calls need
	patch   string   // unified diff of files in folder
	calls   []call
	theirs  string // regular expression of the project's own benchmarks that run patched code
	rows    int    // rows of the matrix m for the calls, with n elements each
	setup   string // statements that the benchmark of size n executes before the calls
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
	blas    = library + "/interop/blas32"
)

//go:embed projects
var projectFiles embed.FS

// readProjects reads the projects of the folder projects in the order of their file names. A file
// is a txtar archive: "key: value" lines, and then the sections "setup", which may be missing, and
// "patch".
func readProjects() (all []project, err error) {
	names, err := fs.Glob(projectFiles, "projects/*.txt")
	for _, name := range names {
		text, _ := projectFiles.ReadFile(name) // no error: the files are embedded
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

// lines returns the numbers of lines that the patch adds and deletes.
func (p project) lines() (added, deleted int) {
	for line := range strings.Lines(p.patch) {
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		case line[0] == '+':
			added++
		case line[0] == '-':
			deleted++
		}
	}
	return added, deleted
}
