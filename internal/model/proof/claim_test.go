package proof

import (
	"math"
	"testing"
)

func TestCheckGap(t *testing.T) {
	gap := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		objective, bound float64
		gap              *float64
		ok               bool
	}{
		{3, 2, gap(0.5), true}, {3, 2, gap(1.0 / 3), false}, {3, 2, nil, false},
		{3, 0, nil, true},
		{3, 2, gap(0.49), false}, {3, 2, gap(math.Nextafter(0.5, 1)), false}, {3, 2, gap(0), false},
		{3, 3, gap(0), true}, {0, 0, gap(0), true}, {3, 0, gap(1e300), false}, {3, 0, gap(1), false},
		{math.NaN(), math.NaN(), gap(0.1), false}, {3, math.NaN(), gap(0.1), false},
		{math.NaN(), math.NaN(), nil, true},
	} {
		told := Claim{c.objective, c.bound}.Header().CheckGap(c.gap)
		if (told == "") != c.ok {
			t.Errorf("objective %v, bound %v, gap %v: %q", c.objective, c.bound, c.gap, told)
		}
	}
}
