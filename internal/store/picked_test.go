package store

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

// Picked rows of a file are asked for under their own numbers, those side by side together.
func TestPickedWillNeed(t *testing.T) {
	var asked [][2]int
	starts := []int64{0, 0, 0, 0, 0, 0, 0}
	m, err := matrices.Lazy(1, starts, nil, nil, matrices.Check{
		WillNeed: func(first, end int) { asked = append(asked, [2]int{first, end}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	x := Pick(Of((*sparse.Matrix)(m)), []uint32{3, 4, 5, 0, 2})
	x.WillNeed()(1, 5)
	x.WillNeed()(0, 0)
	if want := [][2]int{{4, 6}, {0, 1}, {2, 3}, {0, 0}}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
}

// CopySize counts the picked rows only, for mapped rows as well.
func TestCopySize(t *testing.T) {
	for _, k := range kinds(t) {
		all, some := CopySize(k.rows), CopySize(Pick(k.rows, []uint32{1, 2, 3, 4, 5, 6, 7}))
		if !(all > 0) || some != all/10 {
			t.Errorf("%s: %v bytes, %v of a tenth", k.name, all, some)
		}
	}
}

// Statistics of picked rows are those of copies.
func TestMeasurePicked(t *testing.T) {
	at := []uint32{7, 3, 3, 9}
	for _, k := range kinds(t) {
		for _, moments := range []bool{false, true} {
			measured := func(x Rows) *Columns {
				return Measure(x, nil, moments, 1, func() bool { return false })
			}
			have, want := measured(Pick(k.rows, at)), measured(k.rows.Take(at))
			if !reflect.DeepEqual(have, want) {
				t.Errorf("%s, moments %t: %v, want %v", k.name, moments, have, want)
			}
		}
	}
}
