//go:build amd64 && gc && !purego && !noasm

package asm

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func TestPrefers512(t *testing.T) {
	for name, c := range map[string]struct {
		vendor        cpuid.Vendor
		family, model int
		features      []cpuid.FeatureID
		want          bool
	}{
		"Skylake-X":       {cpuid.Intel, 6, 0x55, nil, false},
		"Ice Lake server": {cpuid.Intel, 6, 0x6a, nil, false},
		"Tiger Lake":      {cpuid.Intel, 6, 0x8c, nil, false},
		"Rocket Lake":     {cpuid.Intel, 6, 0xa7, nil, false},
		"Sapphire Rapids": {cpuid.Intel, 6, 0x8f, nil, true},
		"Emerald Rapids":  {cpuid.Intel, 6, 0xcf, nil, true},
		"Granite Rapids":  {cpuid.Intel, 6, 0xad, nil, true},
		"Diamond Rapids":  {cpuid.Intel, 19, 1, nil, true},
		"Sapphire Rapids that calls itself Rocket Lake, without AMX": {
			cpuid.Intel, 6, 0xa7, []cpuid.FeatureID{cpuid.AVX512FP16}, true},
		"Sapphire Rapids that calls itself Ice Lake, without FP16": {
			cpuid.Intel, 6, 0x6a, []cpuid.FeatureID{cpuid.AMXTILE}, true},
		"Zen 4":         {cpuid.AMD, 25, 0x11, nil, false},
		"Turin":         {cpuid.AMD, 26, 0x02, nil, true},
		"Granite Ridge": {cpuid.AMD, 26, 0x44, nil, true},
		"Strix Point":   {cpuid.AMD, 26, 0x24, nil, false},
		"Krackan Point": {cpuid.AMD, 26, 0x60, nil, false},
		"Strix Halo":    {cpuid.AMD, 26, 0x70, nil, true},
		"after Zen 5":   {cpuid.AMD, 27, 0x24, nil, true},
		"unknown":       {cpuid.Hygon, 26, 2, []cpuid.FeatureID{cpuid.AVX512FP16}, false},
	} {
		cpu := cpuid.CPUInfo{VendorID: c.vendor, Family: c.family, Model: c.model}
		cpu.Enable(c.features...)
		if got := prefers512(&cpu); got != c.want {
			t.Errorf("%s: prefers512 is %t", name, got)
		}
	}
	n := len(available)
	if n < 2 || available[n-1] < AVX512x256 {
		return // without AVX-512
	}
	want := AVX512x256
	if prefers512(&cpuid.CPU) {
		want = AVX512
	}
	if available[n-1] != want {
		t.Errorf("the fastest path is %v, want %v", available[n-1], want)
	}
}

func TestGODEBUG(t *testing.T) {
	for feature, path := range map[string]string{"avx2": "avx", "avx512f": "avx512"} {
		c := exec.Command(os.Args[0], "-test.run=^TestPathsWanted$", "-test.v")
		c.Env = append(os.Environ(), "GODEBUG=cpu."+feature+"=off", Variable+"=", "PEGASIMD_WANT=")
		out, err := c.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "paths tested: generic") ||
			strings.Contains(string(out), path) {
			t.Errorf("without %s: %v: %s", feature, err, out)
		}
	}
}

func TestWithoutVNNI(t *testing.T) {
	if !vnni {
		t.Skip("NOT RUN, here or in any other test on this machine: the bodies with VNNI, in both " +
			"widths, because VNNI is not available")
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
				rows := make([]byte, 4*n)
				for i := range rows {
					rows[i] = byte(r.Uint32())
				}
				x, y := rows[:n], rows[n:2*n]
				sums := func(with bool) (sums [2 * (4 + 4*4)]int64) {
					vnni = with
					for i, signed := range []bool{false, true} {
						some := sums[20*i:][:20]
						DotTileBytes(some[4:], rows, n, [][]byte{x, y, y, x}, nil, signed)
						some[0], some[1] = DotBytes(x, y, signed), SquaredDistanceBytes(x, y, signed)
						DotRowsBytes(some[2:3], x, n, y, signed)
						SquaredDistanceRowsBytes(some[3:4], x, n, y, signed)
					}
					return sums
				}
				if with, without := sums(true), sums(false); with != without {
					t.Errorf("%v, n = %d: %v without VNNI, %v with it", isa, n, without, with)
				}
			}
		}()
	}
}

func TestWithoutVPOPCNT(t *testing.T) {
	if !vpopcnt {
		t.Skip("NOT RUN, here or in any other test on this machine: the bodies with VPOPCNTQ, in " +
			"both widths, because VPOPCNTQ is not available")
	}
	defer func() { vpopcnt = true }()
	r := rand.New(rand.NewPCG(1, 1))
	for _, isa := range available {
		defer Use(Use(isa))
		for n := range 100 {
			rows, x := make([]uint64, 9*n), make([]uint64, n)
			for _, v := range [][]uint64{rows, x} {
				for i := range v {
					v[i] = r.Uint64()
				}
			}
			var with, without [9]int64 // nine rows: two groups of four, and a single row
			HammingRows(with[:], rows, n, x)
			vpopcnt = false
			HammingRows(without[:], rows, n, x)
			vpopcnt = true
			if with != without {
				t.Errorf("%v, n = %d: %v without VPOPCNTQ, %v with it", isa, n, without, with)
			}
		}
	}
}

var Gathers = &gathers
