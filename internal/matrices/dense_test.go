package matrices

import (
	"math"
	"slices"
	"testing"
)

func TestDenseOf(t *testing.T) {
	for _, cols := range []int{0, 1, 15, 16, 17, 100} {
		want := NewDense(3, cols)
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
		got, err := denseOf(3, cols, values)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if !slices.Equal(got.Row(i), want.Row(i)) {
				t.Errorf("%d columns, row %d differs", cols, i)
			}
		}
	}
	values := aligned(48)
	for name, f := range map[string]func() (*Dense, error){
		"too short":  func() (*Dense, error) { return denseOf(3, 17, values) },
		"too long":   func() (*Dense, error) { return denseOf(1, 17, values) },
		"misaligned": func() (*Dense, error) { return denseOf(1, 16, values[1:17]) },
		"negative":   func() (*Dense, error) { return denseOf(-1, -16, values) },
		"overflow":   func() (*Dense, error) { return denseOf(math.MaxInt/16+1, 16, nil) },
		"no columns": func() (*Dense, error) { return denseOf(2, 0, values) },
	} {
		if m, err := f(); err == nil {
			t.Errorf("%s: %v", name, m)
		}
	}
}
