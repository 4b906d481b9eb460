//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// TestWide holds the rule of docs/kernels.md.
func TestWide(t *testing.T) {
	sapphireRapids := cpuid.CPUInfo{VendorID: cpuid.Intel, Family: 6}
	sapphireRapids.Enable(cpuid.AVX512FP16)
	zen4 := cpuid.CPUInfo{VendorID: cpuid.AMD, Family: 25}
	other := cpuid.CPUInfo{VendorID: cpuid.Hygon, Family: 26}
	other.Enable(cpuid.AVX512FP16)
	for name, c := range map[string]struct {
		cpu  cpuid.CPUInfo
		want bool
	}{
		"Skylake-X":       {cpuid.CPUInfo{VendorID: cpuid.Intel, Family: 6}, false},
		"Sapphire Rapids": {sapphireRapids, true},
		"Zen 4":           {zen4, false},
		"Zen 5":           {cpuid.CPUInfo{VendorID: cpuid.AMD, Family: 26}, true},
		"unknown":         {other, false},
	} {
		if got := wide(&c.cpu); got != c.want {
			t.Errorf("%s: wide is %t", name, got)
		}
	}
	n := len(available)
	if n < 2 || available[n-1] < AVX512x256 {
		return // without AVX-512
	}
	want := AVX512x256
	if wide(&cpuid.CPU) {
		want = AVX512
	}
	if available[n-1] != want {
		t.Errorf("the fastest path is %v, want %v", available[n-1], want)
	}
}
