package store

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/sparse"
)

func TestNonzeros(t *testing.T) {
	const rows, cols = 40, 37
	ones, other := dense.New(rows, cols), dense.New(rows, cols)
	for i := range rows {
		for j := range cols {
			if (i*7+j*j)%(3+i%5) == 0 && i%9 != 0 {
				ones.Row(i)[j] = float32(1 + i%3)
				other.Row(i)[j] = float32(1 + (i+j)%4)
			}
		}
	}
	for name, m := range map[string]*dense.Matrix{"ones": ones, "other": other} {
		starts, index, values := []int64{0}, []int32(nil), []float32(nil)
		for i := range rows {
			for j, v := range m.Row(i) {
				if v != 0 {
					index, values = append(index, int32(j)), append(values, v)
				}
			}
			starts = append(starts, int64(len(index)))
		}
		s, err := sparse.New(cols, starts, index, values)
		if err != nil {
			t.Fatal(err)
		}
		byFormat := map[string]Rows{
			"dense": Of(m), "sparse": Of(s), "user": Of(struct{ Examples }{m}),
		}
		if compact, ok := Of(s).Compact(1); ok {
			byFormat["constant"] = compact
		}
		if (byFormat["constant"] != nil) != (name == "ones") {
			t.Errorf("%s: constant is %v", name, byFormat["constant"])
		}
		for kind, x := range byFormat {
			r := NonzerosOf(x)
			for _, i := range []int{0, 39, 1, 1, 9, 17, 38, 2, 3, 4, 5, 6, 7, 8} {
				gotIndex, got := r.Row(i)
				if !slices.Equal(gotIndex, index[starts[i]:starts[i+1]]) ||
					!slices.Equal(got, values[starts[i]:starts[i+1]]) {
					t.Errorf("%s, %s: row %d is %v, %v", name, kind, i, gotIndex, got)
				}
			}
		}
	}
}
