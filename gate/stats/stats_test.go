package stats

import (
	"math"
	"slices"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		values  []float64
		q, want float64
	}{
		{[]float64{3}, 0.25, 3}, {[]float64{4, 1, 3, 2}, 0.5, 2.5}, {[]float64{5, 1, 3}, 0.5, 3},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2}, {[]float64{1, 2}, 1, 2},
	} {
		if got := Quantile(test.values, test.q); got != test.want {
			t.Errorf("Quantile(%v, %v) = %v, not %v", test.values, test.q, got, test.want)
		}
	}
	if m := Median(nil); !math.IsNaN(m) {
		t.Errorf("the median of nothing is %v", m)
	}
	if r := Ratios([]float64{1, 6}, []float64{2, 3}); !slices.Equal(r, []float64{0.5, 2}) {
		t.Errorf("ratios %v", r)
	}
}

// The interval is that of a table of order statistics for the median (Conover, Practical
// Nonparametric Statistics): ranks 1 and 6 of 6, 4 and 12 of 15, 10 and 21 of 30.
func TestInterval(t *testing.T) {
	for n, ranks := range map[int][2]float64{6: {1, 6}, 9: {2, 8}, 15: {4, 12}, 30: {10, 21}} {
		var values []float64
		for i := range n {
			values = append(values, float64((i*7)%n+1)) // 1 to n in another order
		}
		if lo, hi := Interval(values, 0.95); lo != ranks[0] || hi != ranks[1] {
			t.Errorf("%d values: %v to %v, want ranks %v", n, lo, hi, ranks)
		}
	}
	lo, hi := Interval([]float64{1, 2, 3, 4, 5}, 0.95)
	if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
		t.Errorf("5 values: %v to %v, want no bounds", lo, hi)
	}
}

func TestVariance(t *testing.T) {
	if v := Variance([]float64{1, 2, 3, 4}); Mean([]float64{1, 2, 3, 4}) != 2.5 ||
		math.Abs(v-5.0/3) > 1e-15 {
		t.Errorf("variance %v, want 5/3", v)
	}
}
