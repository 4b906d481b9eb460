//go:build arm64 && gc && !purego && !noasm

package asm

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func TestDetect(t *testing.T) {
	if strings.Contains(os.Getenv("GODEBUG"), "cpu.asimddp=off") {
		t.Skip("GODEBUG switches the path off")
	}
	want := cpuid.CPU.Supports(cpuid.ASIMDDP)
	if have := slices.Contains(available, NEONDot); have != want {
		t.Errorf("NEONDot is available: %t; cpuid reports SDOT and UDOT: %t", have, want)
	}
}
