package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
)

// timedText is the template of a benchmark of each call at each size. It becomes part of the
// project's own package, because most of the functions called are not exported.
//
//go:embed timed.tmpl
var timedText string

var timed = template.Must(template.New("").Parse(timedText))

type tree struct {
	root string            // of the module
	dir  string            // of the package
	bin  map[string]string // test binary by architecture
}

func fetch(p project) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", p.Module+"@"+p.Version)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got); got.Error != "" {
		return "", fmt.Errorf("%s", got.Error)
	}
	return got.Dir, err
}

func newTree(p project, dir, root string, patched bool) (*tree, error) {
	if err := os.CopyFS(root, os.DirFS(dir)); err != nil {
		return nil, err
	}
	t := &tree{root: root, dir: filepath.Join(root, filepath.FromSlash(p.Folder)),
		bin: map[string]string{}}
	pkg, err := t.run("go", "list", "-mod=mod", "-f", "{{.Name}}")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = timed.Execute(&text, map[string]any{"Package": strings.TrimSpace(pkg), "Project": p,
		"Sizes": sizes, "Setup": p.setup})
	if err == nil {
		err = os.WriteFile(filepath.Join(t.dir, "pegasimd_adopt_test.go"), text.Bytes(), 0o644)
	}
	if err != nil {
		return nil, err
	}
	if !patched {
		return t, nil
	}
	patch := filepath.Join(root, "pegasimd.patch")
	if err := os.WriteFile(patch, []byte(p.patch), 0o666); err != nil {
		return nil, err
	}
	if _, err := t.run("git", "apply", patch); err != nil {
		return nil, err
	}
	uses := library
	if strings.Contains(p.patch, blas) {
		uses = blas
	}
	for _, module := range []string{library, blas} {
		ours, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			return nil, fmt.Errorf("go list -m %s: %w", module, err)
		}
		_, err = t.run("go", "mod", "edit", "-replace",
			module+"@v0.1.0="+strings.TrimSpace(string(ours)))
		if err != nil {
			return nil, err
		}
	}
	_, err = t.run("go", "get", uses+"@v0.1.0")
	return t, err
}

func (t *tree) build(arch string) error {
	t.bin[arch] = filepath.Join(t.root, "pegasimd-adopt-"+arch+".test")
	_, err := t.run("env", "GOARCH="+arch, "go", "test", "-mod=mod", "-c", "-o", t.bin[arch], ".")
	return err
}

func (t *tree) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, complaints.String())
	}
	return string(out), err
}
