package sparse

import (
	"slices"
	"testing"
)

func TestTake(t *testing.T) {
	var starts []int64
	var idx []int32
	var val []float32
	for i := range 30 { // row i has i%4 values
		starts = append(starts, int64(len(idx)))
		for k := range i % 4 {
			idx, val = append(idx, int32(i+k)), append(val, float32(i))
		}
	}
	starts = append(starts, int64(len(idx)))
	m, err := New(40, starts, idx, val)
	if err != nil {
		t.Fatal(err)
	}
	var rows []uint32
	for i := range uint32(40) {
		rows = append(rows, i*7%30)
	}
	k := m.Take(rows)
	if k.Rows() != 40 || k.Cols() != 40 {
		t.Fatalf("%d rows of %d", k.Rows(), k.Cols())
	}
	for j, i := range rows {
		wantIdx, wantVal := m.Row(int(i))
		haveIdx, haveVal := k.Row(j)
		if !slices.Equal(haveIdx, wantIdx) || !slices.Equal(haveVal, wantVal) {
			t.Errorf("row %d: %v %v, want %v %v", j, haveIdx, haveVal, wantIdx, wantVal)
		}
	}
	if e := m.Take(nil); e.Rows() != 0 || e.NNZ() != 0 {
		t.Error("Take of no rows returns rows or nonzeros")
	}
}
