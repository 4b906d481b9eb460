package main

import (
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/help"
)

var completion = help.Command{
	Name:      "completion",
	Arguments: "SHELL",
	Summary:   "write a script that completes commands and flags in a shell",
	Help: `Completion writes a script for bash, zsh or fish, which completes commands, flags and their values.

Examples:
  source <(pegasimd completion bash)
  pegasimd completion zsh > ~/.zsh/_pegasimd
  pegasimd completion fish > ~/.config/fish/completions/pegasimd.fish`,
}

// runCompletion writes the script.
func runCompletion(c *call, args []string) error {
	if !help.WriteCompletion(c.stdout, args[0], descriptions()) {
		return flags.Usagef("there is no completion for %q, only for %s%s", args[0],
			strings.Join(help.Shells, ", "), flags.DidYouMean(args[0], "", help.Shells))
	}
	return nil
}
