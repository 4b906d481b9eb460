package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A pkg is a package with benchmarks, in one of the trees.
type pkg struct {
	path   string   // of the import
	prefix string   // of the benchmarks' names: the folder in the module, where there are several
	dir    string   // where its benchmarks run, as go test has it
	match  []string // what -package names it
}

// has finds benchmarks in the text of a file.
var has = regexp.MustCompile(`(?m)^func\s+Benchmark[\pL\pN_]*\s*\(`)

// list lists the packages with benchmarks among what -package names. A tree that lacks one of them
// has none there.
func (t tree) list(ctx context.Context, c *config) ([]pkg, error) {
	folder := filepath.Join(t.root, c.dir)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	out, err := run(ctx, folder, nil, "go", append([]string{"list", "-e",
		"-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,Module,Match"}, c.packages...)...)
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
			Match                     []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found := pkg{path: p.ImportPath, dir: p.Dir, match: p.Match}
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

// A test binary is native, to be timed and compared on this machine; or for an architecture, to be
// read; or counted.
const native, counted = "", "counted"

// binaryOf is the name of the test binary of a package in a tree. No two packages share one.
func binaryOf(work, tree string, p pkg, kind string) string {
	return filepath.Join(work, tree+"-"+url.PathEscape(p.path)+"-"+kind+".test")
}

// build makes the test binaries of a tree. The paths of the trees do not come into it: the same
// code makes the same bytes.
func (k *comparison) build(ctx context.Context, t tree, kind string) error {
	env, args := k.c.env, []string{"test", "-c", "-trimpath", "-buildvcs=false"}
	switch kind {
	case native:
	case counted:
		args = append(args, "-ldflags=-w", "-overlay="+filepath.Join(k.work, overlayFile))
	default:
		env = []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + kind}
	}
	for _, p := range t.packages {
		binary := binaryOf(k.work, t.name, p, kind)
		if _, err := run(ctx, filepath.Join(t.root, k.c.dir), env, "go",
			append(args, "-o", binary, p.path)...); err != nil {
			return fmt.Errorf("the %s can't be built: %w", t.name, err)
		}
		if kind == counted {
			if err := nameInASCII(binary); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameInASCII replaces what is not ASCII in the symbol names of an ELF file: Valgrind crashes on it.
// The program itself does not read these names.
func nameInASCII(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return nil // there is no Valgrind for other formats
	}
	defer f.Close()
	section := f.Section(".strtab")
	if section == nil {
		return nil
	}
	names, err := section.Data()
	if err != nil {
		return err
	}
	changed := slices.Clone(names)
	for i, c := range names {
		if c >= utf8.RuneSelf {
			changed[i] = '_'
		}
	}
	if bytes.Equal(names, changed) {
		return nil
	}
	to, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = to.WriteAt(changed, int64(section.Offset))
	return errors.Join(err, to.Close())
}

// buildCounted builds the binaries that are counted, if any are.
func (k *comparison) buildCounted(ctx context.Context) error {
	if k.c.bench == "" {
		return nil
	}
	k.say("building both once more, with a package testing that counts")
	if err := writeOverlay(ctx, filepath.Join(k.trees[1].root, k.c.dir), k.work); err != nil {
		return err
	}
	return errors.Join(k.build(ctx, k.trees[1], counted), k.build(ctx, k.trees[0], counted))
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
