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
	if m := Mean([]float64{1, 2, 6}); m != 3 {
		t.Errorf("the mean is %v", m)
	}
	if r := Ratios([]float64{1, 6}, []float64{2, 3}); !slices.Equal(r, []float64{0.5, 2}) {
		t.Errorf("ratios %v", r)
	}
}

func TestVariance(t *testing.T) {
	if v := Variance([]float64{1, 2, 3, 4}); math.Abs(v-5.0/3) > 1e-15 {
		t.Errorf("variance %v, want 5/3", v)
	}
}
