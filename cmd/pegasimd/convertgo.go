package main

import (
	"fmt"
	"go/token"
	"io"
	"path/filepath"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/dataset"
	"github.com/pegasimd/pegasimd/modelio/gofile"
	"github.com/pegasimd/pegasimd/pegasos"
)

// writesTest registers the test beside the Go file out as an output, unless out is standard output.
func (c *call) writesTest(out string) (*output, error) {
	name, isGo := strings.CutSuffix(out, ".go")
	switch {
	case out == "-":
		return nil, nil
	case !isGo || strings.HasSuffix(name, "_test"):
		return nil, flags.Usagef("%s: want a name that ends in .go, but not in _test.go", out)
	}
	return c.writes("the test of OUT", name+"_test.go", modelKinds["go"]), nil
}

// packageOf returns a package name for a Go file: the lower-case letters and the digits of the
// file's name, or "model" if these are no identifier.
func packageOf(file string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSuffix(filepath.Base(file), ".go")))
	if !token.IsIdentifier(name) || name == "main" {
		return "model"
	}
	return name
}

// writeGo writes a model as a Go file, and its test.
func writeGo(o, test *output, m *pegasos.Model, in string, layout dataset.Layout) error {
	name := packageOf(o.name)
	for _, f := range []struct {
		to    *output
		write func(io.Writer, *pegasos.Model, string, dataset.Layout) error
	}{{test, gofile.WriteTest}, {o, gofile.Write}} {
		if err := f.to.write(func(w io.Writer) error {
			if err := f.write(w, m, name, layout); err != nil {
				return fmt.Errorf("%s: %w", inputName(in), err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
