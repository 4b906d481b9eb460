package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/pegasimd/pegasimd/internal/asm"
)

var versionCommand = command{
	name:      "version",
	arguments: "",
	summary:   "print the version, and which kernels this machine runs",
	help: `Version prints the command's version and commit, the version of Go, and the kernels' path on this
machine. Paths differ in speed: all give the same bits.

Example:
  pegasimd version`,
	flags: func() flagGroup { return new(versionFlags) },
	run:   version,
}

// versionFlags are those of version.
type versionFlags struct{ json string }

func (v *versionFlags) define(f *flag.FlagSet) {
	defineJSON(f, &v.json)
}

func version(c *call, flags flagGroup, _ []string) error {
	out := c.writes("-json", flags.(*versionFlags).json, reportKind)
	if err := c.openOutputs(); err != nil {
		return err
	}
	r := newVersionReport()
	if err := out.writeJSON(r); err != nil || out.toStdout() {
		return err
	}
	r.print(c.stdout)
	return nil
}

func newVersionReport() *versionReport {
	r := &versionReport{
		Version: "devel", Commit: "unknown", Go: runtime.Version(), OS: runtime.GOOS,
		Arch: runtime.GOARCH, ISA: asm.Active().String(),
	}
	for _, isa := range asm.Available() {
		r.Paths = append(r.Paths, isa.String())
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return r
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		r.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			r.Commit = s.Value
		case "vcs.modified":
			r.Modified = s.Value == "true"
		}
	}
	return r
}

func (r *versionReport) print(w io.Writer) {
	changed := ""
	if r.Modified {
		changed = ", with changes"
	}
	fmt.Fprintf(w, "pegasimd %s (commit %s%s)\n", r.Version, r.Commit, changed)
	fmt.Fprintf(w, "built with %s for %s/%s\n", r.Go, r.OS, r.Arch)
	fmt.Fprintf(w, "kernels %s\n", r.ISA)
}
