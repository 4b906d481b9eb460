package choose_test

import (
	"errors"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/rows/scale"
	"github.com/pegasimd/pegasimd/internal/rows/store"
	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/internal/train/options"
	"github.com/pegasimd/pegasimd/internal/train/settings"
)

func TestFromStatistics(t *testing.T) {
	wide := sample.Random(61, 300, 400, 2, 0.02)
	for name, c := range map[string]sample.Pair{
		"dense":   sample.Random(58, 500, 20, 2, 1),
		"sparse":  sample.Random(59, 400, 30, 3, 0.1),
		"binary":  sample.ZerosAndOnes(sample.Random(60, 300, 60, 2, 0.1)),
		"columns": wide,
	} {
		for _, x := range []store.Examples{c.Dense, c.Sparse} {
			statistics := sample.Statistics(t, x, c.Y)
			for _, cfg := range []settings.Settings{
				{}, {C: 0.5}, {Scale: scale.MaxAbs},
				{Scale: scale.Unit, Loss: "squared-hinge"},
				{Scale: scale.Standard}, {Scale: scale.None, Bias: settings.BiasNone},
			} {
				cfg.Multiclass = settings.OneVsRest
				want := ended(t, x, c.Y, choose.Open{Settings: cfg})
				have, err := choose.FromStatistics(choose.Open{Settings: cfg}, statistics)
				if err != nil {
					t.Fatal(err)
				}
				if have.Finish != settings.FinishNone {
					t.Errorf("%s, %T, %+v: finish %q", name, x, cfg, have.Finish)
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
}

func TestFromStatisticsErrors(t *testing.T) {
	p := sample.Random(61, 60, 4, 2, 1)
	none := choose.Open{}
	s := sample.Statistics(t, p.Dense, p.Y)
	s.Counts[0]++
	if _, err := choose.FromStatistics(none, s); err == nil {
		t.Error("counts of classes whose sum exceeds the number of rows are accepted")
	}
	s.Counts[0]--
	var rule options.Rule
	bad := choose.Open{Settings: settings.Settings{Loss: "other"}}
	if _, err := choose.FromStatistics(bad, s); !errors.As(err, &rule) || rule.Field != "Loss" {
		t.Error(err)
	}
	delete(s.Sizes, scale.Unit)
	unit := choose.Open{Settings: settings.Settings{Scale: scale.Unit}}
	if _, err := choose.FromStatistics(unit, s); !errors.As(err, &rule) || rule.Field != "Scale" {
		t.Error(err)
	}
	for i := range 60 {
		p.Dense.Row(i)[0] *= 100
	}
	s = sample.Statistics(t, p.Dense, p.Y)
	if c, err := choose.FromStatistics(none, s); err != nil || c.Open.Scale != scale.Standard {
		t.Errorf("FromStatistics returned %v, %v", c, err)
	}
	delete(s.Sizes, scale.Standard)
	s.Mean, s.Variance, s.Constant = nil, nil, nil
	if c, err := choose.FromStatistics(none, s); err != nil || c.Open.Scale != scale.MaxAbs ||
		c.Scale.R2 != s.Sizes[scale.MaxAbs].MeanSquare {
		t.Errorf("without moments FromStatistics returned %v, %v", c, err)
	}
}
