package pegasos_test

import (
	"errors"
	"math"
	"testing"

	"github.com/pegasimd/pegasimd/internal/testing/sample"
	"github.com/pegasimd/pegasimd/pegasos"
)

// For a power of two c, multiplying the rows and the bias scale by c, and lambda by c^2, divides
// the weights by c, to the bit.
func TestScaleFree(t *testing.T) {
	for _, cfg := range []pegasos.Config{
		{}, {Loss: pegasos.Log}, {Loss: pegasos.SquaredHinge}, {Loss: pegasos.EpsInsensitive,
			Epsilon: 0.1},
		{Loss: pegasos.Squared}, {Loss: pegasos.Squared,
			Finish: pegasos.FinishDual}, {Finish: pegasos.FinishDual},
		{Finish: pegasos.FinishAuto}, {Bias: pegasos.BiasAugmented,
			BiasScale: 1}, {Multiclass: pegasos.OneVsOne},
		{Multiclass: pegasos.CrammerSinger}, {Multiclass: pegasos.Multinomial},
		{Offset: pegasos.OffsetNone}, {Project: true}, {Batch: 5}, {Order: pegasos.IID},
		{Tol: 0.2, Epochs: 60},
	} {
		data := random(5, 90, 7, 3, 0.8)
		if cfg.Loss.Regression() {
			data = data.numbers(5)
		}
		cfg.Lambda, cfg.Seed = 1e-3, 5
		same := []*pegasos.Model{mustTrain(t, data.dense, data.y, cfg),
			mustTrain(t, sample.UserRows(data.dense), data.y, cfg)}
		for _, k := range []int{-50, -33, -10, 10, 33, 50} {
			by := math.Ldexp(1, k)
			far, other := data.scaled(float32(by)), cfg
			other.Lambda *= by * by
			other.BiasScale *= by
			for n, x := range []pegasos.Examples{far.dense, sample.UserRows(far.dense)} {
				m, plain := mustTrain(t, x, data.y, other), same[n]
				for c, w := range m.Weights {
					for j, v := range w {
						if want := plain.Weights[c][j]; float64(v)*by != float64(want) {
							t.Fatalf("%+v, rows times 2^%d: weight %d of %d is %v, want %v/2^%d",
								cfg, k, j, c, v, want, k)
						}
					}
					if vectorBias(m, c) != vectorBias(plain, c) {
						t.Fatalf("%+v, rows times 2^%d: bias %v, want %v", cfg, k, m.Bias,
							plain.Bias)
					}
				}
				a, b := m.Result, plain.Result
				if near := func(a, b float64) bool {
					return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-6*b
				}; !near(a.Objective, b.Objective) || !near(a.DualObjective, b.DualObjective) {
					t.Errorf("%+v, rows times 2^%d: objective %v and bound %v, want %v and %v", cfg,
						k, a.Objective, a.DualObjective, b.Objective, b.DualObjective)
				}
			}
		}
	}
}

func TestBeyondSquares(t *testing.T) {
	for _, size := range []int{-100, 80} {
		data := random(6, 200, 5, 2, 1)
		far := data.scaled(float32(math.Ldexp(1, size)))
		for _, loss := range pegasos.Losses() {
			y := data.y
			if loss.Regression() {
				y = data.numbers(6).y
			}
			near := train(t, data.dense, y, pegasos.Trainer{Config: pegasos.Config{Loss: loss}})
			for _, x := range []pegasos.Examples{far.dense, far.sparse} {
				cfg := pegasos.Config{Loss: loss, Scale: pegasos.ScaleNone, Lambda: 1e-3}
				var e *pegasos.RowError
				if _, err := pegasos.Train(t.Context(), x, y, cfg); !errors.As(err, &e) || !e.Scale {
					t.Errorf("%s, rows times 2^%d: %v", loss, size, err)
				}
				m, err := pegasos.Train(t.Context(), x, y, pegasos.Config{Loss: loss})
				if err != nil {
					t.Errorf("%s, rows times 2^%d: %v", loss, size, err)
					continue
				}
				a, b := m.Result.Objective, near.Result.Objective
				// Cross-validation may choose another lambda, which gives another objective.
				l, n := m.Lambda/m.Scaling.R2, near.Lambda/near.Scaling.R2
				if math.Abs(l-n) < 0.01*n && !(math.Abs(a-b) < 0.02*b) {
					t.Errorf("%s, rows times 2^%d: objective %v, want %v", loss, size, a, b)
				}
			}
		}
	}
	nan := matrix(t, 2, 1, 1, float32(math.NaN()))
	var e *pegasos.RowError
	if _, err := fixed(t.Context(), nan, []float32{0, 1}, pegasos.Config{}); !errors.As(err, &e) ||
		e.Scale {
		t.Error(err)
	}
	mustTrain(t, matrix(t, 2, 1, 0, 0), []float32{0, 1}, pegasos.Config{})
}

func TestLambdaOfScale(t *testing.T) {
	data := random(7, 50, 4, 2, 1)
	for _, c := range []struct {
		size   int
		lambda float64
		field  string
	}{
		{0, 1e-11, ""}, {0, 1e-14, "Lambda"}, {-40, 1e-34, ""}, {-40, 1e-38, "Lambda"},
		{0, 1e37, ""}, {0, 1e41, "Lambda"}, {50, 1e41, ""},
	} {
		x := data.scaled(float32(math.Ldexp(1, c.size))).dense
		_, err := fixed(t.Context(), x, data.y, pegasos.Config{Lambda: c.lambda})
		var e *pegasos.ConfigError
		if errors.As(err, &e) != (c.field != "") || err == nil && c.field != "" {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
