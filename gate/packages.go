package main

import (
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

type pkg struct {
	path string // import path
	// prefix is the package's folder and a dot; empty for the module's root, or if -package names a
	// single package.
	prefix string
	dir    string
	match  []string // of -package
	broken bool     // can't be built
}

var has = regexp.MustCompile(`(?m)^func\s+Benchmark[\pL\pN_]*\s*\(`)

// list returns the packages with benchmarks, and sets t.unlisted. It returns none if the tree lacks
// the current folder.
func (t *tree) list(ctx context.Context, c *config) (all []pkg, err error) {
	folder := filepath.Join(t.root, c.dir)
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	out, err := run(ctx, folder, t.goEnv, "go", append([]string{"list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Module,Match,Error"},
		c.packages...)...)
	if err != nil {
		return nil, fmt.Errorf("the packages of the %s can't be listed: %s", t.name, reason(err))
	}
	t.unlisted = map[string]string{}
	several := len(c.packages) > 1 || strings.Contains(c.packages[0], "...")
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			GoFiles, CgoFiles         []string
			TestGoFiles, XTestGoFiles []string
			Module                    struct{ Path string }
			Match                     []string
			Error                     struct{ Err string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		tests := append(p.TestGoFiles, p.XTestGoFiles...)
		if len(p.GoFiles)+len(p.CgoFiles)+len(tests) > 0 { // the error concerns something else
			p.Error.Err = ""
		}
		for _, pattern := range p.Match {
			t.unlisted[pattern] = p.Error.Err
		}
		found := pkg{path: p.ImportPath, dir: p.Dir, match: p.Match}
		if inside, below := strings.CutPrefix(p.ImportPath, p.Module.Path+"/"); several && below {
			found.prefix = inside + "."
		}
		if slices.ContainsFunc(tests, func(name string) bool {
			text, _ := os.ReadFile(filepath.Join(p.Dir, name)) // the build reports missing files
			return has.Match(text)
		}) {
			all = append(all, found)
		}
	}
}

// native is the kind of test binaries that run. Other kinds, named after architectures, are only
// read.
const native = ""

func binaryOf(work, tree string, p pkg, kind string) string {
	return filepath.Join(work, tree+"-"+url.PathEscape(p.path)+"-"+kind+".test")
}

// build omits the tree's path and commit from the binary, so that equal code can give equal bytes.
func (k *comparison) build(ctx context.Context, t *tree, p pkg, kind string) error {
	env, args := k.c.env, []string{"test", "-c", "-trimpath", "-buildvcs=false"}
	switch {
	case kind != native:
		env = []string{"CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + kind}
	case k.c.bench != "" && k.unhooked == nil:
		args = append(args, "-ldflags=-w", "-overlay="+filepath.Join(k.work, overlayFile))
	}
	binary := binaryOf(k.work, t.name, p, kind)
	if _, err := run(ctx, filepath.Join(t.root, k.c.dir), append(slices.Clone(t.goEnv), env...), "go",
		append(args, "-o", binary, p.path)...); err != nil {
		return err
	}
	return nameInASCII(binary)
}

func (k *comparison) buildAll(ctx context.Context) error {
	base, head := &k.trees[0], &k.trees[1]
	for _, t := range []*tree{base, head} {
		k.say("building the %s, packages: %d", t.name, len(t.packages))
		for i := range t.packages {
			p := &t.packages[i]
			for _, kind := range k.kinds() {
				err := k.build(ctx, t, *p, kind)
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err == nil {
					continue
				}
				why, built := reason(err), "built"
				if kind != native {
					built = "built for " + kind
				}
				if names := t.lacks(ctx, k.c); t == head && len(names) > 0 {
					return fmt.Errorf("the head can't be %s, and its tree lacks files that git "+
						"ignores: %s. If the build needs them, let -prepare run the command that "+
						"writes them, such as 'go generate ./...'. The go command reports: %s", built,
						list("", names), why)
				}
				if t == head && !k.sides(*p)[0].broken {
					return fmt.Errorf("the head can't be %s: %s", built, why)
				}
				k.miss("`%s` is left out, as the %s can't be %s: %s", p.path, t.name, built, why)
				p.broken = true
				break
			}
		}
	}
	base.packages = slices.DeleteFunc(base.packages, func(p pkg) bool {
		return p.broken && k.sides(p)[1].broken
	})
	head.packages = slices.DeleteFunc(head.packages, func(p pkg) bool { return p.broken })
	if len(head.packages) == 0 {
		return errors.New("no package of the head with benchmarks can be built" + k.reasons())
	}
	return nil
}

// nameInASCII replaces non-ASCII bytes in an ELF file's symbol names: Valgrind crashes on them.
func nameInASCII(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return nil // not an ELF file
	}
	defer f.Close()
	section := f.Section(".strtab")
	if section == nil {
		return nil
	}
	names, err := section.Data()
	if err != nil || !slices.ContainsFunc(names, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return err
	}
	for i, c := range names {
		if c >= utf8.RuneSelf {
			names[i] = '_'
		}
	}
	to, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = to.WriteAt(names, int64(section.Offset))
	return errors.Join(err, to.Close())
}

var zmm = regexp.MustCompile(`\bZ([0-9]|[12][0-9]|3[01])\b`)

// findNative disables cgo, so that builds are more reproducible, unless a file uses it or
// CGO_ENABLED is set. It sets c.wide if assembly names a Z register or a file uses cgo.
func (c *config) findNative(ctx context.Context, t tree) error {
	files, err := c.sources(ctx, t.root, t.goEnv, "CgoFiles", "SFiles")
	isCgo := func(file string) bool { return filepath.Ext(file) == ".go" }
	for _, file := range files {
		text, _ := os.ReadFile(file) // the build reports missing files
		c.wide = c.wide || isCgo(file) || zmm.Match(text)
	}
	if os.Getenv("CGO_ENABLED") == "" && !slices.ContainsFunc(files, isCgo) {
		c.env = []string{"CGO_ENABLED=0"}
	}
	if err != nil {
		return fmt.Errorf("the packages of the %s can't be listed: %s", t.name, reason(err))
	}
	return nil
}

// sources lists files of the packages and their dependencies, except the standard library's. kinds
// are fields of go list.
func (c *config) sources(ctx context.Context, root string, env []string, kinds ...string) ([]string,
	error) {
	format := "{{if not .Standard}}{{$dir := .Dir}}"
	for _, kind := range kinds {
		format += "{{range ." + kind + "}}{{$dir}}/{{.}}\n{{end}}"
	}
	out, err := run(ctx, filepath.Join(root, c.dir), env, "go", append([]string{"list", "-e",
		"-deps", "-test", "-f", format + "{{end}}"}, c.packages...)...)
	return strings.FieldsFunc(out, func(r rune) bool { return r == '\n' }), err
}
