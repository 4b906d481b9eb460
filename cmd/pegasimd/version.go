package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
	"github.com/pegasimd/pegasimd/internal/asm"
)

var versionCommand = command{help.Command{
	Name:      "version",
	Arguments: "",
	Summary:   "print the version, and which kernels this machine runs",
	Help: `Version prints the command's version, which names the commit, the version of Go, and the kernels'
path on this machine. Paths differ in speed: all give the same bits.

Example:
  pegasimd version`,
}, runVersion}

// runVersion prints the versions.
func runVersion(c *call, _ []string) error {
	version := "(devel)" // unless the build sets it
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version // includes the commit
	}
	fmt.Fprintf(c.stdout, "pegasimd %s\nbuilt with %s for %s/%s\nkernels %s\n", version,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, asm.Active())
	return nil
}
