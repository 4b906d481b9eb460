package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package of ours, as go list tells it.
type pkg struct {
	ImportPath string
	Doc        string // the first sentence
	GoFiles    []string
	Imports    []string
	Module     struct{ Path string }

	name string // ImportPath without the root module's, "." for that itself
}

// A house has all packages of all modules, in the order of their names.
type house struct {
	packages []*pkg
	byPath   map[string]*pkg
}

const rootModule = "github.com/pegasimd/pegasimd"

// listPackages asks go list in each module, always for linux on amd64: the pages must not depend on
// the machine.
func listPackages(root string) (*house, error) {
	h := &house{byPath: map[string]*pkg{}}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && ignored(d.Name()) {
			return filepath.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(text), "module "+rootModule) {
			return err // an example plays somebody else's module
		}
		return h.list(filepath.Dir(path))
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(h.packages, func(a, b *pkg) int { return strings.Compare(a.name, b.name) })
	return h, nil
}

func (h *house) list(module string) error {
	c := exec.Command("go", "list", "-e", "-json=ImportPath,Doc,GoFiles,Imports,Module", "./...")
	c.Dir = module
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOEXPERIMENT=",
		"CGO_ENABLED=0")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("go list in %s: %w: %s", module, err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list in %s: %w", module, err)
		}
		// Folders of tests alone import nothing.
		name, ours := strings.CutPrefix(p.ImportPath, rootModule)
		if len(p.GoFiles) == 0 || !ours {
			continue
		}
		p.name = strings.TrimPrefix(name, "/")
		if name == "" {
			p.name = "."
		}
		h.packages = append(h.packages, p)
		h.byPath[p.ImportPath] = p
	}
}

// uses returns the packages of ours that p imports, without its tests.
func (h *house) uses(p *pkg) (used []*pkg) {
	for _, path := range p.Imports {
		if q := h.byPath[path]; q != nil {
			used = append(used, q)
		}
	}
	return used
}

// floors returns how far above the ground each package is: one more than the highest it imports.
func (h *house) floors() map[*pkg]int {
	floors := map[*pkg]int{}
	var floor func(p *pkg) int
	floor = func(p *pkg) int {
		if _, known := floors[p]; !known {
			highest := -1
			for _, q := range h.uses(p) {
				highest = max(highest, floor(q))
			}
			floors[p] = highest + 1
		}
		return floors[p]
	}
	for _, p := range h.packages {
		floor(p)
	}
	return floors
}

// paths returns the modules' paths, the root's first.
func (h *house) paths() []string {
	paths := map[string]bool{}
	for _, p := range h.packages {
		paths[p.Module.Path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// drawing has a line a floor, the highest first, with the packages of some modules.
func (h *house) drawing(modules ...string) string {
	floors, byFloor := h.floors(), map[int][]string{}
	for _, p := range h.packages {
		if slices.Contains(modules, p.Module.Path) {
			byFloor[floors[p]] = append(byFloor[floors[p]], p.name)
		}
	}
	var b strings.Builder
	for _, floor := range slices.Backward(slices.Sorted(maps.Keys(byFloor))) {
		text := wrap(strings.Join(byFloor[floor], "  "), 88)
		for i, line := range strings.Split(text, "\n") {
			mark := "   "
			if i == 0 {
				mark = fmt.Sprintf("%3d", floor)
			}
			fmt.Fprintf(&b, "%s │ %s\n", mark, strings.ReplaceAll(line, " ", "   "))
		}
	}
	return "```\n" + b.String() + "```"
}

// table has a line for each package of a module: what its documentation says first, and what of
// ours it imports.
func (h *house) table(module string) (string, error) {
	var b strings.Builder
	b.WriteString("| package | what it is | imports of ours |\n|---|---|---|\n")
	found := false
	for _, p := range h.packages {
		if p.Module.Path != module {
			continue
		}
		found = true
		var uses []string
		for _, q := range h.uses(p) {
			uses = append(uses, "`"+q.name+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.name, p.synopsis(), strings.Join(uses, ", "))
	}
	if !found {
		return "", fmt.Errorf("no module %s", module)
	}
	return strings.TrimSpace(b.String()), nil
}

// synopsis is the first sentence of the documentation without "Package x" or "Command x".
func (p *pkg) synopsis() string {
	words := strings.SplitN(strings.TrimRight(p.Doc, ".:"), " ", 3)
	if len(words) < 3 {
		return ""
	}
	return strings.ReplaceAll(words[2], "|", `\|`)
}
