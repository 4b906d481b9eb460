package iterate_test

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/iterate"
)

// The mean is over the steps after T/2^k, with the smallest k for which they are at least a third
// of the steps so far.
func TestAverage(t *testing.T) {
	const total, n = 203, 3
	g := sample.Random(9, total, n, 2, 1).Dense
	s := iterate.NewAverage(total, 2, n)
	dst := make([]float32, n)
	var b float64
	if s.Mean(0, 0, dst, &b) {
		t.Error("Mean returns true without a sample")
	}
	for step := int64(1); step <= total; step++ {
		row := g.Row(int(step - 1))
		s.Add(step, 0.5, [][]float32{make([]float32, n), row}, []float64{0, 0.5 * float64(step)})
		if !s.Mean(step, 1, dst, &b) {
			t.Fatal("Mean returns false")
		}
		var from int64
		for k := 0; ; k++ {
			if from = total >> k; 3*from <= 2*step {
				break
			}
		}
		var want [n]float64
		var wantB float64
		for u := from + 1; u <= step; u++ {
			for j, v := range g.Row(int(u - 1)) {
				want[j] += 0.5 * float64(v) / float64(step-from)
			}
			wantB += 0.5 * float64(u) / float64(step-from)
		}
		if step == total && from != total/2 {
			t.Errorf("at the end, the mean is from step %d on", from+1)
		}
		if math.Abs(b-wantB) > 1e-9 {
			t.Errorf("step %d: scalar %v, want %v", step, b, wantB)
		}
		for j := range want {
			if math.Abs(float64(dst[j])-want[j]) > 1e-5 {
				t.Errorf("step %d: the mean is %v, want %v", step, dst, want)
			}
		}
		if s.Mean(step, 0, dst, &b); dst[0] != 0 || b != 0 {
			t.Errorf("step %d: the other vector is %v, %v", step, dst, b)
		}
	}
}

func TestTurn(t *testing.T) {
	s := iterate.NewAverage(math.MaxInt64, 1, 1)
	s.Shift = 0
	dst, b := make([]float32, 1), 0.0
	for k, c := range []struct {
		add  float32
		turn bool
		want float32
	}{
		{4, false, 4}, {2, true, 3}, {6, false, 6}, {8, true, 7}, {1, true, 1}, {3, false, 3},
	} {
		s.Add(int64(1+k), 1, [][]float32{{c.add}}, []float64{float64(c.add)})
		if c.turn {
			s.Turn()
			s.Turn() // does not end an empty window
		}
		if s.Mean(int64(1+k), 0, dst, &b); dst[0] != c.want || b != float64(c.want) {
			t.Errorf("sample %d: the mean is %v and %v, want %v", k, dst[0], b, c.want)
		}
	}
	if s.Current.N != 1 || s.Old.N != 1 {
		t.Errorf("the windows have %d and %d samples, want 1 and 1", s.Old.N, s.Current.N)
	}
}
