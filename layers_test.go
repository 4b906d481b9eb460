package pegasimd_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/pegasimd/pegasimd"

// layers returns the layers of docs/architecture.md from top to bottom, each a list of folders. A
// folder stands for all packages in and below it, except for those that are listed themselves.
func layers(t *testing.T) (all [][]string) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Layers\n")
	section, _, _ = strings.Cut(section, "\n## ")
	folder := regexp.MustCompile("`([a-z0-9./]+)`")
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		var layer []string
		for _, m := range folder.FindAllStringSubmatch(cells[1], -1) {
			layer = append(layer, m[1])
		}
		if layer != nil {
			all = append(all, layer)
		}
	}
	return all
}

// TestLayers checks that packages, tests apart, import only packages of lower layers and of the
// same listed folder.
func TestLayers(t *testing.T) {
	all := layers(t)
	used := map[string]bool{}
	// find returns the listed folder that a package belongs to, and the index of its layer.
	find := func(pkg string) (folder string, layer int) {
		for i, names := range all {
			for _, name := range names {
				if (pkg == name || strings.HasPrefix(pkg, name+"/")) && len(name) > len(folder) {
					folder, layer = name, i
				}
			}
		}
		used[folder] = true
		return folder, layer
	}
	imports := 0
	err := filepath.WalkDir(".", func(file string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && (name == "testdata" || name != "." && name[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from := filepath.ToSlash(filepath.Dir(file))
		own, above := find(from)
		if own == "" {
			t.Errorf("package %s is in no layer of docs/architecture.md", from)
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			to, ours := strings.CutPrefix(path, module)
			if to = strings.TrimPrefix(to, "/"); !ours || err != nil {
				continue
			}
			if to == "" {
				to = "."
			}
			imports++
			folder, below := find(to)
			if below < above || below == above && folder != own {
				t.Errorf("%s imports %s, which is not in a lower layer", file, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slices.Concat(all...) {
		if !used[folder] {
			t.Errorf("docs/architecture.md lists %s, which has no package", folder)
		}
	}
	if imports < 100 {
		t.Errorf("found %d imports, want 100 or more", imports)
	}
}
