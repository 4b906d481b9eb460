package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A pkg is a package with benchmarks, in one of the trees.
type pkg struct {
	path   string // of the import
	prefix string // of the benchmarks' names: the folder in the module, where there are several
	dir    string // where its benchmarks run, as go test has it
}

// has finds benchmarks in the text of a file.
var has = regexp.MustCompile(`(?m)^func Benchmark\w*\(`)

// list lists the packages with benchmarks among what -package names. A tree that lacks one of them
// has none there.
func (t tree) list(ctx context.Context, c *config) ([]pkg, error) {
	folder := filepath.Join(t.root, c.dir)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	out, err := run(ctx, folder, nil, "go", append([]string{"list", "-e",
		"-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Module"}, c.packages...)...)
	if err != nil {
		return nil, fmt.Errorf("the packages of the %s can't be listed: %w", t.name, err)
	}
	several := slices.ContainsFunc(c.packages, func(p string) bool {
		return strings.Contains(p, "...")
	}) || len(c.packages) > 1
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
			Module                    struct{ Path string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found := pkg{path: p.ImportPath, dir: p.Dir}
		inside, below := strings.CutPrefix(p.ImportPath, p.Module.Path+"/")
		if several && below {
			found.prefix = inside + "."
		}
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if has.Match(text) {
				all = append(all, found)
				break
			}
		}
	}
}

// A kind says what a test binary is for: to be timed and compared on this machine (the zero kind),
// to be read, for another architecture, or to be counted.
type kind struct {
	arch    string
	counted bool
}

// binaryOf is the name of the test binary of a package in a tree.
func binaryOf(work, tree string, p pkg, k kind) string {
	name := strings.NewReplacer("/", "_", ".", "_").Replace(p.path)
	if k.counted {
		name += "-counted"
	}
	return filepath.Join(work, tree+"-"+name+k.arch+".test")
}

// build makes the test binary of a package. The paths of the trees do not come into it: the same
// code makes the same bytes.
func (k *comparison) build(ctx context.Context, t tree, p pkg, as kind) error {
	env, args := k.c.env, []string{"test", "-c", "-trimpath", "-buildvcs=false"}
	if as.arch != "" {
		env = []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + as.arch}
	}
	if as.counted {
		args = append(args, "-ldflags=-w", "-overlay="+filepath.Join(k.work, overlayFile))
	}
	args = append(args, "-o", binaryOf(k.work, t.name, p, as), p.path)
	if _, err := run(ctx, filepath.Join(t.root, k.c.dir), env, "go", args...); err != nil {
		return fmt.Errorf("the %s can't be built: %w", t.name, err)
	}
	return nil
}

// buildAll makes the test binaries of a tree for this machine and for the architectures whose
// functions are compared.
func (k *comparison) buildAll(ctx context.Context, t tree) error {
	for _, p := range t.packages {
		k.say("building the tests of %s at the %s", p.path, t.name)
		for _, arch := range append([]string{""}, k.c.arches()...) {
			if err := k.build(ctx, t, p, kind{arch: arch}); err != nil {
				return err
			}
		}
	}
	return nil
}

// buildCounted builds the binaries that are counted, if any are.
func (k *comparison) buildCounted(ctx context.Context) error {
	if k.c.bench == "" {
		return nil
	}
	k.say("building them once more, with a package testing that counts")
	if err := writeOverlay(ctx, filepath.Join(k.trees[1].root, k.c.dir), k.work); err != nil {
		return err
	}
	for _, t := range k.trees {
		for _, p := range t.packages {
			if err := k.build(ctx, t, p, kind{counted: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutC chooses how binaries for this machine are built: without cgo, which makes their bytes
// and what they execute depend on less, unless one of the packages needs it.
func (c *config) withoutC(ctx context.Context, t tree) error {
	if os.Getenv("CGO_ENABLED") != "" {
		return nil
	}
	out, err := run(ctx, filepath.Join(t.root, c.dir), nil, "go", append([]string{"list", "-e",
		"-deps", "-test", "-f",
		"{{if not .Standard}}{{range .CgoFiles}}{{.}} {{end}}{{end}}"}, c.packages...)...)
	if err != nil {
		return err
	}
	if strings.TrimSpace(out) == "" {
		c.env = []string{"CGO_ENABLED=0"}
	}
	return nil
}
