// Command sbom prints the software bill of materials of a Go program as CycloneDX 1.5 JSON, from
// the program's build information:
//
//	go run ./scripts/sbom PROGRAM
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, name string) error {
	info, err := buildinfo.ReadFile(name)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	program := componentOf(&info.Main, "application")
	program.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	all := bom{"CycloneDX", "1.5", 1, metadata{program}, []component{{Type: "library", Name: "std",
		Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion}}}
	for _, m := range info.Deps {
		all.Components = append(all.Components, componentOf(m, "library"))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

func componentOf(m *debug.Module, kind string) component {
	c := component{Type: kind, Name: m.Path, Version: m.Version,
		PURL: "pkg:golang/" + m.Path + "@" + m.Version}
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}
