// Package spec writes the test vectors that docs/spec.md describes, in the folder vectors, and
// tests every code path against them.
package spec

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

var update = flag.Bool("update", false, "write the vectors anew, which changes what releases promise")

const folder = "vectors"

func TestGoldenVectors(t *testing.T) {
	for _, isa := range asm.Available() {
		t.Run(isa.String(), func(t *testing.T) {
			defer asm.Use(asm.Use(isa))
			files, err := makeFiles()
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range files {
				if *update {
					if err := os.WriteFile(filepath.Join(folder, name), want, 0o666); err != nil {
						t.Fatal(err)
					}
					continue
				}
				have, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil || !bytes.Equal(have, want) {
					t.Errorf("%s can't be read (%v), or differs from the computed bytes", name, err)
				}
			}
			there, err := os.ReadDir(folder)
			if err != nil || len(there) != len(files) && !*update {
				t.Errorf("%d files, want %d: %v", len(there), len(files), err)
			}
		})
	}
}

// Kernels without vectors have no result, or sums that other kernels' vectors cover.
func TestGoldenVectorsOfAllKernels(t *testing.T) {
	there := map[string]bool{"prefetch": true, "dotrowsint8": true, "dotrowsuint8": true,
		"squareddistancerowsint8": true, "squareddistancerowsuint8": true,
		"dottileint8": true, "dottileuint8": true, "dottile": true,
		"squareddistancetile": true, "normsfloat16": true, "normsbfloat16": true}
	for _, k := range kernels {
		if there[k.name] {
			t.Errorf("%s is listed twice", k.name)
		}
		there[k.name] = true
	}
	for _, k := range asmtest.Kernels {
		if !there[k.Name] {
			t.Errorf("%s has no vectors: kernels_test.go lists the calls that make them", k.Name)
		}
	}
	page, err := os.ReadFile("../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernels { // the page has "the same of bfloat16"
		name := regexp.MustCompile(`\b` + strings.Replace(k.name, "bfloat16", "float16", 1) + `\b`)
		if !name.Match(page) {
			t.Errorf("docs/spec.md does not define %s", k.name)
		}
	}
}
