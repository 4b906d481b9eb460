package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Benchmarks are counted as they are. A change to the standard library's package testing, made for
// the counted binaries alone by the go command's overlay, tells Valgrind where one begins and ends:
// each start and stop of a benchmark's timer calls a function that Valgrind knows by its name. So
// counts cover the code that times cover: no preparation, and nothing between StopTimer and
// StartTimer.

//go:embed hook/testing.go.txt
var hookText []byte

const overlayFile = "overlay.json"

// hooks are what is inserted into the methods of testing.B: behind the opening brace, and in front
// of the closing one.
var hooks = map[string][2]string{
	"runN":       {" b.gateRun();", ""},
	"StartTimer": {" gateWas := b.timerOn;", "; if !gateWas { b.gateOn() };"},
	"StopTimer":  {" if b.timerOn { b.gateOff() };", ""},
	"ResetTimer": {"", "; if b.timerOn { b.gateReset() };"},
}

// writeOverlay writes the changed package testing of the Go that builds in dir.
func writeOverlay(ctx context.Context, dir, work string) error {
	root, err := run(ctx, dir, nil, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	folder := filepath.Join(strings.TrimSpace(root), "src", "testing")
	original := filepath.Join(folder, "benchmark.go")
	text, err := os.ReadFile(original)
	if err != nil {
		return err
	}
	changed, err := insertHooks(text)
	if err != nil {
		return fmt.Errorf("%s: %w", original, err)
	}
	files := map[string][]byte{"benchmark.go": changed, "gate_hook.go": hookText}
	replace := map[string]string{}
	for name, content := range files {
		file := filepath.Join(work, name)
		replace[filepath.Join(folder, name)] = file
		if err := os.WriteFile(file, content, 0o666); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, overlayFile), overlay, 0o666)
}

// insertHooks returns the source of testing/benchmark.go with the hooks.
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
	for _, d := range slices.Backward(parsed.Decls) { // what stands before keeps its place
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
		return nil, fmt.Errorf("its benchmarks are not those that this gate knows")
	}
	return text, nil
}
