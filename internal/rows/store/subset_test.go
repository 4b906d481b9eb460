package store

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/internal/vectors/matrices"
	"github.com/pegasimd/pegasimd/sparse"
)

func TestSubsetWillNeed(t *testing.T) {
	var announced [][2]int
	starts := []int64{0, 0, 0, 0, 0, 0, 0}
	m, err := matrices.Lazy(1, starts, nil, nil, matrices.Check{
		WillNeed: func(first, end int) { announced = append(announced, [2]int{first, end}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	x := Subset(Of((*sparse.Matrix)(m)), []uint32{3, 4, 5, 0, 2})
	x.WillNeed()(1, 5)
	x.WillNeed()(0, 0)
	if want := [][2]int{{4, 6}, {0, 1}, {2, 3}, {0, 0}}; !slices.Equal(announced, want) {
		t.Errorf("announced %v, want %v", announced, want)
	}
}

func TestCopySize(t *testing.T) {
	for _, k := range formats(t) {
		all, some := CopySize(k.rows), CopySize(Subset(k.rows, []uint32{1, 2, 3, 4, 5, 6, 7}))
		if !(all > 0) || some != all/10 {
			t.Errorf("%s: %v bytes, %v for a tenth of the rows", k.name, all, some)
		}
	}
}
