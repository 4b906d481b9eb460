package pegasos_test

import (
	"github.com/pegasimd/pegasimd/internal/labels"
	"github.com/pegasimd/pegasimd/internal/scaling"
	"github.com/pegasimd/pegasimd/internal/store"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/train/choose"
	"github.com/pegasimd/pegasimd/pegasos"
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
		for _, x := range []pegasos.Examples{c.dense, c.sparse} {
			for _, cfg := range []pegasos.Config{
				{}, {C: 0.5}, {Scale: pegasos.ScaleMaxAbs}, {Scale: pegasos.ScaleUnit,
					Loss: pegasos.SquaredHinge},
				{Scale: pegasos.ScaleStandard}, {Scale: pegasos.ScaleNone, Bias: pegasos.BiasNone},
			} {
				cfg.Multiclass = pegasos.OneVsRest
				want := byRule(t, x, c.y, cfg)
				have, err := choose.FromStatistics(choose.Open{Settings: *pegasos.SettingsOf(cfg)},
					statisticsOf(t, x, c.y))
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
	s := statisticsOf(t, wide.dense, wide.y)
	s.Counts[0]++
	if _, err := choose.FromStatistics(choose.Open{}, s); err == nil {
		t.Error("classes of more rows than there are were taken")
	}
}

// statisticsOf returns what rounds ask of all rows.
func statisticsOf(t testing.TB, x pegasos.Examples, y []float32) *store.Statistics {
	t.Helper()
	rows := store.Of(x)
	c := store.Measure(rows, nil, true, 1, func() bool { return false })
	classes, class, err := labels.Classify(y, nil, nil, pegasos.NewRowError)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := store.MatrixOf(x)
	s := &store.Statistics{Rows: c.Rows, Cols: x.Cols(), Nonzeros: int64(c.Nonzeros),
		Dense: m.Dense() != nil, Classes: classes, Counts: make([]int64, len(classes)),
		MaxAbs: c.MaxAbs, Mean: c.Mean, Variance: c.Variance, Constant: c.Constant,
		Sizes: make(map[string]store.RowSizes)}
	for _, k := range class {
		s.Counts[k]++
	}
	copy(s.Lengths[:], store.Quantiles(c.Squares, 0, 0.5, 1))
	s.Sizes[scaling.None] = sizesOf(c.Squares)
	for _, kind := range []string{scaling.Standard, scaling.MaxAbs, scaling.Unit} {
		scaled := store.Scale(rows, c.Scaler(kind), kind == scaling.Standard, 1,
			func() bool { return false })
		squares := make([]float64, c.Rows)
		for i := range squares {
			squares[i] = float64(scaled.SumSquares(i))
		}
		s.Sizes[kind] = sizesOf(squares)
	}
	return s
}

func sizesOf(squares []float64) (s store.RowSizes) {
	for _, v := range squares {
		s.MaxSquare = math.Max(s.MaxSquare, v)
		s.MeanSquare += v / float64(len(squares))
	}
	return s
}
