package scale

import (
	"testing"
)

// The difference is computed in float64, where float32 would cancel.
func TestAt(t *testing.T) {
	s := &Scale{Kind: Standard, Shift: []float32{1e8, 0}, Factor: []float32{1, 3}}
	if have := s.At(0, 1); have != 1-1e8 {
		t.Errorf("%v", have)
	}
	if have := s.At(1, 0.1); have != float64(float32(0.1))*3 {
		t.Errorf("%v", have)
	}
	s = &Scale{Kind: MaxAbs, Factor: []float32{0x1p100}}
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
