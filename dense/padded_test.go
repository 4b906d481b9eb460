package dense

import (
	"math"
	"testing"
)

func TestFromPadded(t *testing.T) {
	for _, cols := range []int{0, 1, 15, 16, 17, 100} {
		want := New(3, cols)
		for i := range 3 {
			for j := range cols {
				want.Row(i)[j] = float32(i - j)
			}
		}
		if Stride(cols) != want.stride {
			t.Errorf("stride of %d: %d", cols, Stride(cols))
		}
		values := aligned(3 * want.stride)
		copy(values, want.values)
		for i := range values { // the padding does not matter
			if want.stride > 0 && i%want.stride >= cols {
				values[i] = float32(math.NaN())
			}
		}
		got, err := FromPadded(3, cols, values)
		if err != nil {
			t.Fatal(err)
		}
		w := make([]float32, cols)
		for j := range w {
			w[j] = 1
		}
		dst := make([]float32, 3)
		got.DotRows(dst, 0, w)
		for i := range 3 {
			if got.Dot(i, w) != want.Dot(i, w) || dst[i] != want.Dot(i, w) || got.SumSquares(i) != want.SumSquares(i) {
				t.Errorf("%d columns, row %d differs", cols, i)
			}
		}
	}
	values := aligned(48)
	for name, f := range map[string]func() (*Matrix, error){
		"too short":  func() (*Matrix, error) { return FromPadded(3, 17, values) },
		"too long":   func() (*Matrix, error) { return FromPadded(1, 17, values) },
		"misaligned": func() (*Matrix, error) { return FromPadded(1, 16, values[1:17]) },
		"negative":   func() (*Matrix, error) { return FromPadded(-1, -16, values) },
		"overflow":   func() (*Matrix, error) { return FromPadded(math.MaxInt/16+1, 16, nil) },
		"no columns": func() (*Matrix, error) { return FromPadded(2, 0, values) },
	} {
		if m, err := f(); err == nil {
			t.Errorf("%s: %v", name, m)
		}
	}
}
