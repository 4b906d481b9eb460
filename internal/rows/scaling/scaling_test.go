package scaling

import (
	"math"
	"testing"
)

func TestInverse(t *testing.T) {
	for x, want := range map[float64]float32{0: 1, 4: 0.25, 0x1p-140: math.MaxFloat32,
		0x1p-120: 0x1p120, 0x1p140: 0x1p-140} {
		if have := Inverse(x); have != want {
			t.Errorf("Inverse(%v) = %v, want %v", x, have, want)
		}
	}
}

// The difference is computed in float64, where float32 would cancel.
func TestAt(t *testing.T) {
	s := &Scaler{Kind: Standard, Shift: []float32{1e8, 0}, Factor: []float32{1, 3}}
	if have := s.At(0, 1); have != 1-1e8 {
		t.Errorf("%v", have)
	}
	if have := s.At(1, 0.1); have != float64(float32(0.1))*3 {
		t.Errorf("%v", have)
	}
	s = &Scaler{Kind: MaxAbs, Factor: []float32{0x1p100}}
	if have := s.At(0, 0x1p100); have != 0x1p200 {
		t.Errorf("%v", have)
	}
}

func TestLength(t *testing.T) {
	for _, c := range []struct {
		values []float32
		want   float64
	}{
		{nil, 1}, {[]float32{0, 0}, 1}, {[]float32{3, 0, -4}, 5},
		{[]float32{0x1p120, 0}, 0x1p120}, {[]float32{0x1p-149}, 0x1p-149},
	} {
		if have := Length(c.values); have != c.want {
			t.Errorf("Length(%v) = %v, want %v", c.values, have, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	two, inf := []float32{1, 2}, []float32{1, float32(math.Inf(1))}
	for _, c := range []struct {
		s    Scaler
		want bool
	}{
		{Scaler{Kind: None}, true}, {Scaler{Kind: Unit}, true}, {Scaler{}, false},
		{Scaler{Kind: "other"}, false}, {Scaler{Kind: Unit, Factor: two}, false},
		{Scaler{Kind: MaxAbs, Factor: two}, true}, {Scaler{Kind: MaxAbs}, false},
		{Scaler{Kind: MaxAbs, Shift: two, Factor: two}, false},
		{Scaler{Kind: MaxAbs, Factor: inf}, false},
		{Scaler{Kind: Standard, Shift: two, Factor: two}, true},
		{Scaler{Kind: Standard, Factor: two}, false},
		{Scaler{Kind: Standard, Shift: inf, Factor: two}, false},
		{Scaler{Kind: Standard, Shift: two, Factor: two[:1]}, false},
	} {
		if have := c.s.Check(2); have != c.want {
			t.Errorf("%+v: %v", c.s, have)
		}
	}
}
