package pegasos

import (
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/choose"
)

// Statistics choose what training on all rows does.
func TestChooseFrom(t *testing.T) {
	wide := random(61, 300, 400, 2, 0.02)
	for name, c := range map[string]pair{
		"dense":   random(58, 500, 20, 2, 1),
		"sparse":  random(59, 400, 30, 3, 0.1),
		"binary":  zerosAndOnes(random(60, 300, 60, 2, 0.1)),
		"columns": wide,
	} {
		for _, x := range []Examples{c.dense, c.sparse} {
			for _, cfg := range []Config{
				{}, {C: 0.5}, {Scale: ScaleMaxAbs}, {Scale: ScaleUnit, Loss: SquaredHinge},
				{Scale: ScaleStandard}, {Scale: ScaleNone, Bias: BiasNone},
			} {
				cfg.Multiclass = OneVsRest
				want := byRule(t, x, c.y, cfg)
				have, err := choose.FromStatistics(choose.Open{Settings: *cfg.settings()},
					StatisticsOf(t, x, c.y))
				if err != nil {
					t.Fatal(err)
				}
				near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Abs(b) }
				if have.Settings.Scale != want.Settings.Scale ||
					have.Bias != want.Bias || have.C != want.C ||
					!near(have.BiasScale, want.BiasScale) || !near(have.Lambda, want.Lambda) {
					t.Errorf("%s, %T, %+v: chose %+v, want %+v", name, x, cfg, have, want)
				}
				if !have.Scale.Same(want.Scale) {
					t.Errorf("%s, %T, %+v: another scaling", name, x, cfg)
				}
			}
		}
	}
	s := StatisticsOf(t, wide.dense, wide.y)
	s.Counts[0]++
	if _, err := choose.FromStatistics(choose.Open{}, s); err == nil {
		t.Error("classes of more rows than there are were taken")
	}
}
