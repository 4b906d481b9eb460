//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

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

// With and without VNNI the AVX-512 paths give the same sums.
func TestWithoutVNNI(t *testing.T) {
	if !vnni {
		t.Skip("NOT RUN, here or in any other test of this machine: dotInt8VNNI and dotUint8VNNI, " +
			"in both widths, for the CPU has no AVX-512 VNNI")
	}
	defer func() { vnni = true }()
	r := rand.New(rand.NewPCG(1, 1))
	for _, isa := range available {
		if isa < AVX512x256 {
			continue
		}
		func() {
			defer Use(Use(isa))
			for n := range 400 {
				x, y := make([]byte, n), make([]byte, n)
				for i := range x {
					x[i], y[i] = byte(r.Uint32()), byte(r.Uint32())
				}
				signed := func(v []byte) []int8 {
					return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(v))), n)
				}
				vnni = true
				int8s, uint8s := DotInt8(signed(x), signed(y)), DotUint8(x, y)
				vnni = false
				if got := DotInt8(signed(x), signed(y)); got != int8s {
					t.Errorf("%v, n = %d: %d without VNNI, %d with it", isa, n, got, int8s)
				}
				if got := DotUint8(x, y); got != uint8s {
					t.Errorf("%v, n = %d: %d without VNNI, %d with it", isa, n, got, uint8s)
				}
			}
		}()
	}
}
