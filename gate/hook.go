package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Benchmarks are counted without changes to their code. The go command's overlay makes package
// testing call functions that Valgrind knows by name when a benchmark's timer starts or stops.
// Changes to package runtime make processes with equal seeds differ less.

//go:embed hook/testing.go.txt
var hookText []byte

//go:embed hook/runtime.go.txt
var hookRuntimeText []byte

const overlayFile = "overlay.json"

// hooks are inserted after the opening brace and before the closing brace of methods of testing.B.
var hooks = map[string][2]string{
	"runN":       {" b.gateRun();", ""},
	"StartTimer": {" gateWas := b.timerOn;", "; if !gateWas { b.gateOn() };"},
	"StopTimer":  {" if b.timerOn { b.gateOff() };", ""},
	"ResetTimer": {"", "; if b.timerOn { b.gateReset() };"},
}

var hookRuntime = map[string][2]string{
	"rand.go": {"\nfunc randinit() {", "\nfunc randinit() { gateInit();"},
	"proc.go": {"\t\tusleep(delay)\n", "\t\tusleep(gateDelay(delay))\n"},
	"mgcscavenge.go": {"\nfunc (s *scavengerState) wake() {", "\nfunc (s *scavengerState) wake() {" +
		" if gateSeed[0] != 0 { return };"},
}

func writeOverlay(ctx context.Context, dir, work string, goEnv []string) error {
	paths, err := run(ctx, dir, goEnv, "go", "env", "GOROOT", "GOMODCACHE")
	if err != nil {
		return err
	}
	root, cache, _ := strings.Cut(strings.TrimSpace(paths), "\n")
	if strings.HasPrefix(root, cache+string(filepath.Separator)) {
		_, release, _ := strings.Cut(filepath.Base(root), "-") // toolchain@v0.0.1-go1.26.0.linux-amd64
		return fmt.Errorf("%s was downloaded by the go command, as go.mod, go.work or "+
			"GOTOOLCHAIN requires: install this version of Go", release)
	}
	source := filepath.Join(root, "src")
	replace := map[string]string{}
	write := func(name string, content []byte) error {
		file := filepath.Join(work, "hook-"+filepath.Base(name))
		replace[filepath.Join(source, name)] = file
		return os.WriteFile(file, content, 0o666)
	}
	text, err := os.ReadFile(filepath.Join(source, "testing/benchmark.go"))
	if err != nil {
		return err
	}
	changed, err := insertHooks(text)
	if err != nil {
		return fmt.Errorf("testing/benchmark.go: %w", err)
	}
	err = errors.Join(write("testing/benchmark.go", changed), write("testing/gate_hook.go", hookText),
		write("runtime/gate_runtime.go", hookRuntimeText))
	for name, texts := range hookRuntime {
		text, failed := os.ReadFile(filepath.Join(source, "runtime", name))
		if failed == nil && bytes.Count(text, []byte(texts[0])) != 1 {
			failed = fmt.Errorf("runtime/%s differs from the releases that this gate supports", name)
		}
		changed := bytes.Replace(text, []byte(texts[0]), []byte(texts[1]), 1)
		err = errors.Join(err, failed, write("runtime/"+name, changed))
	}
	overlay, failed := json.Marshal(map[string]any{"Replace": replace})
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, overlayFile), overlay, 0o666)
}

func insertHooks(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "benchmark.go", text, 0)
	if err != nil {
		return nil, err
	}
	insert := func(at token.Pos, hook string) {
		text = slices.Insert(text, files.Position(at).Offset, []byte(hook)...)
	}
	found := 0
	for _, d := range slices.Backward(parsed.Decls) { // earlier positions stay valid
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Body == nil {
			continue
		}
		if h, ok := hooks[f.Name.Name]; ok {
			insert(f.Body.Rbrace, h[1])
			insert(f.Body.Lbrace+1, h[0])
			found++
		}
	}
	if found != len(hooks) {
		return nil, fmt.Errorf("type B differs from the releases that this gate supports")
	}
	return text, nil
}
