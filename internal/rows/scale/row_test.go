package scale

import (
	"math"
	"testing"
)

// float32 would round the difference and the product, or overflow.
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

func TestDots(t *testing.T) {
	const cols = 3
	nan := float32(math.NaN())
	// The NaNs that follow the vectors in memory must not be used.
	w := [][]float32{{1, 2, 4, nan, nan, nan}, {-1, 0.5, 3, nan, nan, nan}}
	for k := range w {
		w[k] = w[k][:cols]
	}
	for _, s := range []*Scale{
		{Kind: Unit},
		{Kind: MaxAbs, Factor: []float32{0.5, 2, 0.25}},
		{Kind: Standard, Shift: []float32{1, -2, 3}, Factor: []float32{0.5, 2, 0.25}},
	} {
		for _, row := range [][]float32{{3, 0, -4}, {0, 0, 0}, {0, 7, 0}, {1, 2, 2, 4}, {0, 0, 2, 0, 5},
			{0, 0, 0, 0, 0, 6}} {
			var index []int32
			var values []float32
			length := 0.0
			for j, v := range row {
				if length += float64(v * v); v != 0 {
					index, values = append(index, int32(j)), append(values, v)
				}
			}
			if length = math.Sqrt(length); length == 0 {
				length = 1
			}
			check := func(index []int32, values []float32) {
				t.Helper()
				dots := make([]float64, len(w))
				s.Dots(dots, index, values, w)
				for k, have := range dots {
					want := 0.0
					for j, v := range w[k] {
						x := float64(row[j]) / length
						if s.Kind != Unit {
							x = s.At(j, row[j])
						}
						want += float64(v) * x
					}
					if !(math.Abs(have-want) <= 1e-6) {
						t.Errorf("%s, row %v, sparse %v, vector %d: %v, want %v", s.Kind, row, index != nil,
							k, have, want)
					}
				}
			}
			if check(append([]int32{}, index...), values); len(row) == cols {
				check(nil, row)
			}
		}
	}
}

func TestScoreOfZeros(t *testing.T) {
	s := &Scale{Kind: Standard, Shift: []float32{1, -2, 3}, Factor: []float32{0.5, 2, 0.25}}
	for cols, want := range []float64{-0.5 + 8 - 3, 8 - 3, -3, 0} {
		if have := s.ScoreOfZeros([]float32{1, 2, 4}, cols); have != want {
			t.Errorf("from column %d: %v, want %v", cols, have, want)
		}
	}
	s = &Scale{Kind: MaxAbs, Factor: []float32{2, 3}}
	if have := s.ScoreOfZeros([]float32{1, 2}, 0); have != 0 {
		t.Errorf("without shifts: %v", have)
	}
}
