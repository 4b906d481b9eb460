package settings

import (
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
)

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		s       Settings
		classes int
		r2      float64
		want    string
	}{
		{Settings{}, 2, 0, "features not scaled, no bias, lambda 0.5, 20 passes"},
		{Settings{Scale: scale.Standard, Bias: BiasAugmented, Multiclass: OneVsOne, Steps: 7}, 9, 2,
			"columns standardized, bias, one-vs-one of 9 classes, lambda 0.5 = 0.25 mean |x|^2, 7 steps"},
		{Settings{Scale: scale.MaxAbs, Bias: BiasUnregularised, C: 2, Tol: 0.01}, 2, 2, "columns divided " +
			"by their largest magnitude, unregularised bias, C 2, up to 20 passes, until within 1 % of " +
			"the optimum"},
		{Settings{Scale: scale.Unit, Multiclass: Multinomial}, 2, 0, "rows divided by their length, " +
			"no bias, multinomial of 2 classes, lambda 0.5, 20 passes"},
		{Settings{Loss: "squared", TargetScale: scale.Standard, Finish: FinishNewton}, 0, 0,
			"features not scaled, no bias, targets standardized, lambda 0.5, Newton's method"},
	} {
		if have := c.s.Describe(c.classes, 0.5, c.r2); have != c.want {
			t.Errorf("%+v: %q, want %q", c.s, have, c.want)
		}
	}
}
