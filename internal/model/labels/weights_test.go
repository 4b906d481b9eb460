package labels

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestWeigh(t *testing.T) {
	y, nan := []float32{3, 5, 3, 7}, float32(math.NaN())
	badRow := func(row int, reason string) error { return fmt.Errorf("row %d: %s", row, reason) }
	for _, c := range []struct {
		own     []float32
		byLabel map[float32]float64
		want    []float64
		err     string
	}{
		{nil, nil, nil, ""},
		{[]float32{1, 0, 0.5, 2}, nil, []float64{1, 0, 0.5, 2}, ""},
		{nil, map[float32]float64{3: 0.25, 7: 0}, []float64{0.25, 1, 0.25, 0}, ""},
		{[]float32{1, 3, 0.5, 2}, map[float32]float64{3: 4, 5: 2}, []float64{4, 6, 2, 2}, ""},
		{nil, map[float32]float64{}, []float64{1, 1, 1, 1}, ""},
		{[]float32{1e-15 * 1.0001, 1e15, 0, 0}, nil,
			[]float64{float64(float32(1e-15 * 1.0001)), float64(float32(1e15)), 0, 0}, ""},
		{[]float32{1, 2, 3}, nil, nil, "pegasos: 3 weights for 4 rows"},
		{[]float32{1, -1, 2, 3}, nil, nil, "row 1: the weight is -1, want " + GoodWeights},
		{[]float32{1, 1, nan, 3}, nil, nil, "row 2: the weight is NaN, want " + GoodWeights},
		{[]float32{1, 1, 1, 1.1e15}, nil, nil, "row 3: the weight is 1.1e+15, want " + GoodWeights},
		{[]float32{9e-16, 1, 1, 1}, nil, nil, "row 0: the weight is 9e-16, want " + GoodWeights},
		{[]float32{0, 0, 0, 0}, nil, nil, "pegasos: no row has a weight above 0"},
		{[]float32{1, 0, 1, 0}, map[float32]float64{3: 0}, nil, "pegasos: no row has a weight above 0"},
		{nil, map[float32]float64{3: 1, 4: 2}, nil, "no row has the label 4"},
	} {
		have, err := Weigh(y, c.own, c.byLabel, badRow)
		if text := fmt.Sprint(err); !slices.Equal(have, c.want) || (have == nil) != (c.want == nil) ||
			text != c.err && (c.err != "" || err != nil) {
			t.Errorf("%v, %v: %v, %v", c.own, c.byLabel, have, err)
		}
		if _, unused := err.(Unused); unused != (c.err == "no row has the label 4") {
			t.Errorf("%v, %v: error of the type %T", c.own, c.byLabel, err)
		}
	}
}
