package floats

import (
	"math"
	"slices"
	"testing"
)

func TestIsFinite(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		check[float32](t, math.MaxFloat32, math.SmallestNonzeroFloat32)
	})
	t.Run("float64", func(t *testing.T) {
		check(t, math.MaxFloat64, math.SmallestNonzeroFloat64)
	})
}

func TestInverse(t *testing.T) {
	for x, want := range map[float64]float32{0: 1, 4: 0.25, 0x1p-140: math.MaxFloat32,
		0x1p-120: 0x1p120, 0x1p140: 0x1p-140} {
		if have := Inverse(x); have != want {
			t.Errorf("Inverse(%v) = %v, want %v", x, have, want)
		}
	}
}

func TestAt(t *testing.T) {
	x := []float32{0, 3, float32(math.NaN()), 0}
	if At(x, 1, 7) != 3 || At(nil, 1, float32(7)) != 7 {
		t.Errorf("elements %v and %v, want 3 and 7", At(x, 1, 7), At(nil, 1, float32(7)))
	}
	if n, none := CountNonzeros(x), CountNonzeros[float64](nil); n != 2 || none != 0 {
		t.Errorf("%d and %d nonzeros, want 2 and 0", n, none)
	}
}

func check[F float32 | float64](t *testing.T, largest, smallest F) {
	zero := F(0)
	finite := []F{0, -zero, 1, -1, smallest, -smallest, largest, -largest}
	for _, v := range finite {
		if !IsFinite(v) {
			t.Errorf("IsFinite(%v) = false", v)
		}
	}
	if i := FirstNotFinite(finite); i != -1 {
		t.Errorf("FirstNotFinite(%v) = %d, want -1", finite, i)
	}
	if i := FirstNotFinite[F](nil); i != -1 {
		t.Errorf("FirstNotFinite(nil) = %d, want -1", i)
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		if IsFinite(F(v)) {
			t.Errorf("IsFinite(%v) = true", v)
		}
		for _, want := range []int{0, 2, 7, 8, 18, 23} {
			x := slices.Repeat([]F{1, largest, -largest}, 9)
			x[want], x[24] = F(v), F(v)
			if i := FirstNotFinite(x); i != want {
				t.Errorf("FirstNotFinite(%v) = %d, want %d", x, i, want)
			}
		}
	}
}
