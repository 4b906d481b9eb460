package sgd_test

import (
	"slices"
	"testing"

	"github.com/pegasimd/pegasimd/dense"
	"github.com/pegasimd/pegasimd/internal/train/sgd"
)

func TestTies(t *testing.T) {
	x, y := dense.New(4, 1), []float32{0, 1, 2, 3} // one row of each class
	for _, c := range []struct {
		costs [][]float64
		z     []float64
		y     int
		want  int // class with the coefficient 1; -1 for none
	}{
		{nil, []float64{0, 0, 0, 0}, 0, 1},
		{nil, []float64{0, 0, 0, 0}, 2, 0},
		{nil, []float64{1, 0, 0, 0}, 0, -1},
		{nil, []float64{1 - 0x1p-40, 0, 0, 0}, 0, 1},
		{nil, []float64{0, 1, 2, 2}, 0, 2},
		{nil, []float64{5, 1, 2, 5}, 3, 0},
		{nil, []float64{-1, -1, -2, -1}, 1, 0},
		{costs4, []float64{0, 0, 0, 0}, 0, 2},
		{costs4, []float64{0, 0, 0, 0}, 3, 0},
		{costs4, []float64{0, 2, 0, 0}, 0, 1},       // losses 1+2 and 3+0
		{costs4, []float64{0, 4, 3.5, 0}, 1, -1},    // the largest is 0.5-4+3.5 = 0
		{costs4, []float64{3.75, 4, 3.75, 0}, 1, 0}, // 0.25 for two classes
	} {
		j := sgd.NewJoint((&spec{joint: true, lambda: 1}).state(t, x, y), false, c.costs)
		have, want := make([]float64, 4), make([]float64, 4)
		if c.want >= 0 {
			want[c.want] = 1
		}
		if moved := j.Of.Coefficients(c.z, have, uint32(c.y)); moved != (c.want >= 0) ||
			!slices.Equal(have, want) {
			t.Errorf("scores %v, with costs: %v, class %v: coefficients %v, want %v", c.z,
				c.costs != nil, c.y, have, want)
		}
	}
}
