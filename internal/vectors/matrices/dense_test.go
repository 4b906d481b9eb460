package matrices

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"
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
			t.Errorf("Stride(%d) = %d, unlike the stride of NewDense", cols, Stride(cols))
		}
		values := aligned(3 * want.stride)
		copy(values, want.values)
		for i := range values { // sets the padding to NaN
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
			t.Errorf("%s: no error, but the matrix %v", name, m)
		}
	}
}

func TestNewDense(t *testing.T) {
	for _, c := range []struct{ cols, padded, narrow int }{
		{0, 0, 0}, {1, 16, 1}, {2, 16, 2}, {3, 16, 4}, {4, 16, 4}, {5, 16, 8}, {8, 16, 8},
		{9, 16, 16}, {16, 16, 16}, {17, 32, 32},
	} {
		for name, f := range map[string]func(rows, cols int) *Dense{
			"NewDense": NewDense, "NewNarrow": NewNarrow} {
			want := c.padded
			if name == "NewNarrow" {
				want = c.narrow
			}
			m := f(5, c.cols)
			values, stride := m.Padded()
			if m.Rows() != 5 || m.Cols() != c.cols || stride != want || len(values) != 5*want ||
				m.Guard() != nil || !m.Guard().Verified() || m.Guard().Err() != nil {
				t.Errorf("%s(5, %d): %d rows of %d columns in %d values, stride %d, want %d; "+
					"guard %v", name, c.cols, m.Rows(), m.Cols(), len(values), stride, want,
					m.Guard())
			}
			if c.cols == 0 {
				continue
			}
			if uintptr(unsafe.Pointer(&values[0]))%64 != 0 {
				t.Errorf("%s(5, %d) is not aligned", name, c.cols)
			}
			for i := range 5 {
				row := m.Row(i)
				if len(row) != c.cols || cap(row) != c.cols || &row[0] != &values[i*stride] {
					t.Errorf("%s(5, %d): row %d is misplaced", name, c.cols, i)
				}
			}
			for _, i := range []int{-1, 5} {
				if text := panicked(func() { m.Row(i) }); !strings.Contains(text, "of 5") {
					t.Errorf("%s: row %d: panic %q", name, i, text)
				}
			}
		}
	}
}

func TestNewDensePanics(t *testing.T) {
	const max = math.MaxInt
	for _, c := range []struct {
		rows, cols int
		want       string
	}{
		{-1, 3, "-1 rows of 3"}, {3, -1, "3 rows of -1"}, {-1, -1, "-1 rows of -1"},
		{1, max - 8, "too many"}, {max, 16, "too many"}, {max/4/16 + 1, 16, "too many"},
		{max / 4 / 16, 1, "too many"},
	} {
		for name, f := range map[string]func(rows, cols int) *Dense{
			"NewDense": NewDense, "NewNarrow": NewNarrow} {
			if text := panicked(func() { f(c.rows, c.cols) }); !strings.Contains(text, c.want) {
				t.Errorf("%s(%d, %d): panic %q, want %q", name, c.rows, c.cols, text, c.want)
			}
		}
	}
	if m := NewDense(max, 0); m.Rows() != max {
		t.Error(m.Rows())
	}
	for _, cols := range []int{-1, max - 8} {
		if text := panicked(func() { Stride(cols) }); !strings.Contains(text, "columns") {
			t.Errorf("Stride(%d): panic %q", cols, text)
		}
	}
}

func TestVectors(t *testing.T) {
	for _, c := range []struct{ cols, apart int }{{1, 1}, {15, 15}, {16, 16}, {17, 32}} {
		all := Vectors(3, c.cols)
		for k, v := range all {
			if len(v) != c.cols || cap(v) != c.cols || slices.Max(v) != 0 {
				t.Errorf("vector %d of %d elements: %v", k, c.cols, v)
			}
			if uintptr(unsafe.Pointer(&v[0]))-uintptr(unsafe.Pointer(&all[0][0])) !=
				uintptr(4*k*c.apart) {
				t.Errorf("vector %d of %d elements is misplaced", k, c.cols)
			}
		}
		if uintptr(unsafe.Pointer(&all[0][0]))%64 != 0 || VectorsSize(3, c.cols) != 4*3*c.apart {
			t.Errorf("vectors of %d elements: %d bytes, the first at %p", c.cols,
				VectorsSize(3, c.cols), &all[0][0])
		}
	}
}
