package matrices

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestNewCSR(t *testing.T) {
	starts, indices, values := []int64{0, 2, 2, 5}, []int32{0, 3, 1, 2, 3}, []float32{1, 2, 3, 4, 5}
	m, err := NewCSR(4, starts, indices, values)
	if err != nil {
		t.Fatal(err)
	}
	if g := m.Guard(); m.Rows() != 3 || m.Cols() != 4 || m.NNZ() != 5 || g != nil || !g.Verified() ||
		g.Err() != nil || g.WillNeed() != nil || m.CheckAll() != nil || m.InBadBlock(1) {
		t.Errorf("the new matrix is %+v", m)
	}
	for i := range 3 {
		for name, row := range map[string]func(int) ([]int32, []float32){
			"Row": m.Row, "CheckedRow": m.CheckedRow} {
			index, got := row(i)
			if !slices.Equal(index, indices[starts[i]:starts[i+1]]) ||
				!slices.Equal(got, values[starts[i]:starts[i+1]]) ||
				cap(index) != len(index) || cap(got) != len(got) {
				t.Errorf("%s(%d): %v, %v", name, i, index, got)
			}
		}
	}
	for _, i := range []int{-1, 3} {
		if text := panicked(func() { m.CheckedRow(i) }); !strings.Contains(text, "of 3") {
			t.Errorf("row %d: panic %q", i, text)
		}
	}
	if s, x, v := m.Arrays(); &s[0] != &starts[0] || &x[0] != &indices[0] || &v[0] != &values[0] {
		t.Error("the arrays were copied")
	}
	if _, err := NewCSR(0, []int64{0}, nil, nil); err != nil {
		t.Error(err)
	}
}

func TestNewCSRErrors(t *testing.T) {
	tooMany := math.MaxInt32 // a constant that int can't hold would not compile
	tooMany++
	for name, c := range map[string]struct {
		cols    int
		starts  []int64
		indices []int32
		values  int
		want    string
	}{
		"negative columns": {-1, []int64{0}, nil, 0, "-1 columns"},
		"too many columns": {tooMany, []int64{0}, nil, 0, "2147483648 columns"},
		"unequal lengths":  {3, []int64{0, 2}, []int32{0, 1}, 1, "2 indices and 1 values"},
		"no starts": {3, nil, nil, 0,
			"row starts must begin with 0 and end with 0, the number of column indices"},
		"first start":       {3, []int64{1, 2}, []int32{0, 1}, 2, "row starts must begin"},
		"last start":        {3, []int64{0, 1}, []int32{0, 1}, 2, "row starts must begin"},
		"descending starts": {3, []int64{0, 2, 1, 2}, []int32{0, 1}, 2, "row 1 ends at 1"},
		"negative start":    {3, []int64{0, -1, 2}, []int32{0, 1}, 2, "row 0 ends at -1"},
		"start past end":    {3, []int64{0, 3, 2}, []int32{0, 1}, 2, "row 0 ends at 3"},
		"column too large":  {3, []int64{0, 2}, []int32{0, 3}, 2, "row 0: column 3 after 0"},
		"negative column":   {3, []int64{0, 1}, []int32{-1}, 1, "row 0: column -1"},
		"column twice":      {3, []int64{0, 1, 3}, []int32{2, 1, 1}, 3, "row 1: column 1 after 1"},
	} {
		_, err := NewCSR(c.cols, c.starts, c.indices, make([]float32, c.values))
		if err == nil || !strings.HasPrefix(err.Error(), "sparse: ") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := NewCSR(math.MaxInt32, []int64{0, 1}, []int32{math.MaxInt32 - 1},
		[]float32{1}); err != nil {
		t.Error(err)
	}
}
