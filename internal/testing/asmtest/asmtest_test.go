package asmtest

import (
	"math"
	"testing"
)

func TestNearestHalf(t *testing.T) {
	for _, bfloat16 := range []bool{false, true} {
		for h := range 1 << 16 {
			v := HalfValue(uint16(h), bfloat16)
			if v != v {
				continue
			}
			if have := NearestHalf(float32(v), bfloat16); have != uint16(h) {
				t.Fatalf("%#04x is %v, nearest is %#04x (bfloat16: %v)", h, v, have, bfloat16)
			}
		}
	}
	for v, want := range map[float32]uint16{
		1: 0x3c00, -2: 0xc000, 65504: 0x7bff, 65520: 0x7c00, 1 + 0x1p-11: 0x3c00, // tie to even
		1 + 3*0x1p-11: 0x3c02, 0x1p-24: 1, 0x1p-25: 0, 0x1.8p-25: 1,
	} {
		if have := NearestHalf(v, false); have != want {
			t.Errorf("float16 of %v is %#04x, want %#04x", v, have, want)
		}
	}
	if have := HalfValue(0x3f80, true); have != 1 {
		t.Errorf("bfloat16 0x3f80 is %v, want 1", have)
	}
}

func TestShifted(t *testing.T) {
	for offset := range 16 {
		m := &Shifted{Offset: offset}
		v := [][]float32{m.Floats(5), m.Floats(0), m.Floats(33)}
		if v[0][0] = 1; !m.Intact() {
			t.Error("a write to an operand counts as a write beside it")
		}
		for _, side := range m.all {
			if len(side) < margin {
				t.Fatalf("%d sentinels beside an operand, want at least %d", len(side), margin)
			}
			for _, i := range []int{0, len(side) - 1} {
				kept := side[i]
				if side[i] = 1; m.Intact() {
					t.Errorf("offset %d: a write beside an operand is not noticed", offset)
				}
				side[i] = kept
			}
		}
		for k, s := range v {
			if cap(s) != len(s) {
				t.Errorf("operand %d has a capacity of %d for %d floats", k, cap(s), len(s))
			}
		}
	}
}

func TestKernels(t *testing.T) {
	names := map[string]bool{}
	for _, k := range Kernels {
		if names[k.Name] {
			t.Errorf("two kernels are named %s", k.Name)
		}
		names[k.Name] = true
		if k.Wide == nil || k.Inexact {
			continue
		}
		a := k.New(7, Heap{}, Integers(3))
		want, _ := k.Wide(a)
		result, stored := k.Call(a), a.Stored()
		if len(stored) == 0 {
			stored = []float32{result}
		}
		if len(want) > len(stored) {
			t.Errorf("%s: %d results of %d", k.Name, len(stored), len(want))
			continue
		}
		for i, v := range want {
			if float64(stored[i]) != v && !math.IsNaN(v) {
				t.Errorf("%s: result %d is %v, want %v", k.Name, i, stored[i], v)
			}
		}
		if k.Bytes(a) <= 0 {
			t.Errorf("%s: a call moves %d bytes", k.Name, k.Bytes(a))
		}
	}
}
