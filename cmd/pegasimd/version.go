package main

import (
	"flag"
	"fmt"
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
	flags: func() commandFlags { return versionFlags{} },
}

// versionFlags are those of version: none.
type versionFlags struct{}

func (versionFlags) define(*flag.FlagSet) {}

func (versionFlags) run(c *call, _ []string) error {
	version, commit, changed := "devel", "unknown", ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		version = v
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", with changes"
		}
	}
	fmt.Fprintf(c.stdout, "pegasimd %s (commit %s%s)\nbuilt with %s for %s/%s\nkernels %s\n", version,
		commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH, asm.Active())
	return nil
}
