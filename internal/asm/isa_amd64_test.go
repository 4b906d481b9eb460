//go:build amd64 && gc && !purego && !noasm

package asm

import "testing"

// TestWide holds the rule of docs/kernels.md.
func TestWide(t *testing.T) {
	for name, c := range map[string]struct {
		cpu  processor
		want bool
	}{
		"Skylake-X":       {processor{vendor: "GenuineIntel", family: 6}, false},
		"Sapphire Rapids": {processor{vendor: "GenuineIntel", family: 6, fp16: true}, true},
		"Zen 4":           {processor{vendor: "AuthenticAMD", family: 25}, false},
		"Zen 5":           {processor{vendor: "AuthenticAMD", family: 26}, true},
		"unknown":         {processor{vendor: "HygonGenuine", family: 26, fp16: true}, false},
	} {
		if got := wide(c.cpu); got != c.want {
			t.Errorf("%s: wide is %t", name, got)
		}
	}
	n := len(available)
	if n < 2 || available[n-1] < AVX512x256 {
		return // without AVX-512
	}
	want := AVX512x256
	if wide(identify()) {
		want = AVX512
	}
	if available[n-1] != want {
		t.Errorf("the fastest path is %v, want %v", available[n-1], want)
	}
}
