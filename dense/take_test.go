package dense

import (
	"slices"
	"testing"
)

func TestTake(t *testing.T) {
	m, err := FromSlice(3, 2, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	k := m.Take([]uint32{2, 0, 2})
	m.Row(2)[0] = 9 // must not change the copy
	for i, want := range [][]float32{{5, 6}, {1, 2}, {5, 6}} {
		if !slices.Equal(k.Row(i), want) {
			t.Errorf("row %d: %v, want %v", i, k.Row(i), want)
		}
	}
	if e := m.Take(nil); e.Rows() != 0 || e.Cols() != 2 {
		t.Errorf("no rows: %d rows of %d", e.Rows(), e.Cols())
	}
}
