package asm_test

import (
	"math"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/internal/testing/asmtest"
)

// formats describes float16 (key false) and bfloat16 (key true): the bits of infinity, and the bit
// that is set in a quiet NaN.
var formats = map[bool]struct{ infinity, quiet uint16 }{
	false: {0x7c00, 0x200},
	true:  {0x7f80, 0x40},
}

// A NaN keeps its sign and payload, but does not stay signaling.
func TestEveryHalf(t *testing.T) {
	all, back, floats := make([]uint16, 1<<16), make([]uint16, 1<<16), make([]float32, 1<<16)
	for h := range all {
		all[h] = uint16(h)
	}
	for bfloat16, format := range formats {
		for _, isa := range asm.Available() {
			defer asm.Use(asm.Use(isa))
			asm.UnpackHalves(floats, all, bfloat16)
			asm.PackHalves(back, floats, bfloat16)
			for i, h := range all {
				want := math.Float32bits(float32(asmtest.HalfValue(h, bfloat16)))
				again := h
				switch nan := h&0x7fff > format.infinity; {
				case nan && bfloat16:
					want, again = uint32(h)<<16, h|format.quiet
				case nan:
					again = h | format.quiet
					want = uint32(h>>15)<<31 | 0x7f800000 | uint32(again&0x3ff)<<13
				}
				if got := math.Float32bits(floats[i]); got != want || back[i] != again {
					t.Fatalf("isa=%v, bfloat16 %t: %#04x unpacks to %#08x, want %#08x, and packs again "+
						"to %#04x, want %#04x", isa, bfloat16, h, got, want, back[i], again)
				}
			}
		}
	}
}

func TestNearestHalves(t *testing.T) {
	for bfloat16, format := range formats {
		var cursor halfCursor
		want, got := make([]uint16, 4096), make([]uint16, 4096)
		someFloats(t, func(x []float32) {
			for i, v := range x {
				bits := math.Float32bits(v)
				switch {
				case v != v && bfloat16:
					want[i] = uint16(bits>>16) | format.quiet
				case v != v:
					want[i] = uint16(bits>>16)&0x8000 | format.infinity | format.quiet |
						uint16(bits>>13)&0x3ff
				default:
					want[i] = cursor.nearest(v, bfloat16, format.infinity)
				}
			}
			for _, isa := range asm.Available() {
				func() {
					defer asm.Use(asm.Use(isa))
					asm.PackHalves(got[:len(x)], x, bfloat16)
				}()
				if slices.Equal(got[:len(x)], want[:len(x)]) {
					continue
				}
				for i, v := range x {
					if got[i] != want[i] {
						t.Fatalf("isa=%v, bfloat16 %t: %v (%#08x) becomes %#04x, want %#04x", isa, bfloat16,
							v, math.Float32bits(v), got[i], want[i])
					}
				}
			}
		})
	}
}

// halfCursor finds the half-precision numbers nearest to floats, fast if their magnitudes grow.
type halfCursor struct {
	half   uint16 // nearest number to the last float, without its sign
	last   float64
	middle float64 // midpoint between half and the next greater number
}

func (c *halfCursor) nearest(v float32, bfloat16 bool, infinity uint16) uint16 {
	size := math.Abs(float64(v))
	value := func(h uint16) float64 { return asmtest.HalfUnbounded(h, bfloat16) }
	if c.middle == 0 || size < c.last {
		*c = halfCursor{middle: value(1) / 2}
	}
	c.last = size
	for c.half < infinity && (size > c.middle || size == c.middle && c.half%2 == 1) {
		c.half++
		if c.half < infinity {
			c.middle = (value(c.half) + value(c.half+1)) / 2 // exact in float64
		}
	}
	return c.half | uint16(math.Float32bits(v)>>16)&0x8000
}
