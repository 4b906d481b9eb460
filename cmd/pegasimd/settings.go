package main

import (
	"slices"
	"strings"

	"github.com/pegasimd/pegasimd/cmd/pegasimd/internal/flags"
)

// checkSettings applies -preset, and checks that the given flags go with -kernel or without it.
func (c *call) checkSettings() error {
	if err := c.applyPreset(); err != nil {
		return err
	}
	for _, f := range c.flags.Each() {
		switch kernel := c.flags.UsesKernel(); {
		case !kernel && f.Is(flags.KernelOnly):
			return flags.Usagef("-%s needs -kernel", f.Name)
		case kernel && f.Is(flags.NoKernel):
			return flags.Usagef("-%s can't be given with -kernel", f.Name)
		}
	}
	return nil
}

// applyPreset sets the flags of a preset that are not given, unless another given flag replaces
// them.
func (c *call) applyPreset() error {
	switch c.flags.Preset {
	case "":
		return nil
	case "paper":
	default:
		return flags.Usagef("-preset: have %q, want paper", c.flags.Preset)
	}
	instead := map[string]string{"lambda": "c", "epochs": "steps"}
	for choice := range slices.Chunk(strings.Fields(flags.Paper), 2) {
		if name := choice[0][1:]; !c.flags.Given(instead[name]) {
			if err := c.flags.SetDefault(name, choice[1]); err != nil {
				return err
			}
		}
	}
	return nil
}
