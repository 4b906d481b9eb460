package store

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
)

func TestPairView(t *testing.T) {
	x := dense.New(12, 2)
	y, weights := make([]float32, 12), make([]float32, 12)
	for i := range y {
		x.Row(i)[0], y[i], weights[i] = float32(i), float32(i%3), float32(1+i)
	}
	for _, copies := range []bool{true, false} {
		all, err := NewSet(x, y, SetOptions{Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Measure(); err != nil {
			t.Fatal(err)
		}
		set := all.Subset([]uint32{11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, copies)
		if err := set.Measure(); err != nil {
			t.Fatal(err)
		}
		v, sum, err := set.View([]int32{0, 2}, false)
		if err != nil {
			t.Fatal(err)
		}
		want := []float32{11, 0, 2, 3, 5, 6, 8, 9}
		if v.Count() != len(want) || v.X.Rows() != len(want) || len(v.Weight) != len(want) {
			t.Fatalf("%d rows, %d kept, %d weights", v.Count(), v.X.Rows(), len(v.Weight))
		}
		for j, i := range v.All() {
			row := v.X.Dot(i, []float32{1, 0})
			if row != want[j] || set.Y[v.SetRow(uint32(i))] != float32(v.Class[i]) ||
				v.Norms[i] != row*row || v.Weight[i] != float64(row+1)*8/sum {
				t.Errorf("row %d is %v of class %d, weight %v", j, row, v.Class[i], v.Weight[i])
			}
		}
		set.Shuffle(&v, Visits{Seed: 1, Total: 100, Epoch: 8})
		var ranked []float32
		for _, i := range v.BySetRow() {
			ranked = append(ranked, v.X.Dot(int(i), []float32{1, 0}))
		}
		if !slices.Equal(ranked, want) {
			t.Errorf("ranked %v, want %v", ranked, want)
		}
	}
}

func TestBySetRow(t *testing.T) {
	for _, largest := range []uint32{9, 3*sparseSetRows - 1, 3 * sparseSetRows, 1 << 30} {
		v := View{X: Of(dense.New(4, 1)), Only: []uint32{3, 0, 1}, SetRows: []uint32{7, largest, 5, 2}}
		if got, want := v.BySetRow(), []uint32{3, 0, 1}; !slices.Equal(got, want) {
			t.Errorf("up to row %d: %v, want %v", largest, got, want)
		}
	}
}
