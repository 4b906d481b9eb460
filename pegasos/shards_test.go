package pegasos_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pegasimd/pegasimd/internal/asm"
	"github.com/pegasimd/pegasimd/pegasos"
)

// The number of threads changes no bit, no bound exceeds an objective, and the objective comes near
// that of a run without shards.
func TestShards(t *testing.T) {
	data := random(102, 6000, 10, 2, 0.5)
	weights := some(6000)
	for _, cfg := range []pegasos.Config{{}, {Loss: pegasos.Log}, {Loss: pegasos.SquaredHinge},
		{Bias: pegasos.BiasUnregularised}, {Order: pegasos.IID}, {Loss: pegasos.EpsInsensitive},
		{Loss: pegasos.Squared}, {ClassWeight: pegasos.Balanced}} {
		cfg.Lambda, cfg.Epochs = 1e-3, 20
		if cfg.Loss.Regression() {
			weights = nil
		}
		plain, err := trainPlain(t.Context(), &pegasos.Trainer{Config: cfg, Weights: weights},
			data.sparse, data.y)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{2, 5} {
			cfg.Shards = n
			hash := ""
			for threads := 1; threads <= 4; threads++ {
				tr := &pegasos.Trainer{Config: cfg, Threads: threads, Weights: weights}
				m, err := trainPlain(t.Context(), tr, data.sparse, data.y)
				if err != nil {
					t.Fatal(err)
				}
				if hash == "" {
					hash = m.Hash()
				}
				if m.Hash() != hash {
					t.Errorf("%+v: other bits with %d threads", cfg, threads)
				}
				r := m.Result
				if r.Objective > 1.02*plain.Result.Objective ||
					r.DualObjective > plain.Result.Objective || cfg.Order != pegasos.IID && !(r.Gap < 0.1) {
					t.Errorf("%+v: %+v, without shards %+v", cfg, r, plain.Result)
				}
			}
		}
	}
}

func TestGoldenShards(t *testing.T) {
	data := random(103, 5000, 20, 3, 0.3)
	const want = "198bbf0126283673ed98bcf82f6a7384b36dbe340b2d6cb7cb9563d9f12617d5"
	for _, isa := range paths() {
		for threads := 1; threads <= 7; threads += 2 {
			func() {
				defer asm.Use(asm.Use(isa))
				tr := &pegasos.Trainer{Config: pegasos.Config{Shards: 4, Lambda: 1e-3, Epochs: 3},
					Threads: threads}
				m, err := trainPlain(t.Context(), tr, data.sparse, data.y)
				if err != nil || m.Hash() != want {
					t.Errorf("%s, %d threads: %v %s, want %s", isa, threads, err, m.Hash(), want)
				}
			}()
		}
	}
}

func TestShardsRefuses(t *testing.T) {
	for _, cfg := range []pegasos.Config{{Shards: -1}, {Shards: 1000}, {Shards: 2, Batch: 4},
		{Shards: 2, Project: true}, {Shards: 2, Finish: pegasos.FinishDual},
		{Shards: 2, Multiclass: pegasos.CrammerSinger}} {
		var e *pegasos.ConfigError
		if err := cfg.Validate(); !errors.As(err, &e) || e.Field != "Shards" {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
	// An error in one of the copies is returned.
	x := matrix(t, 4, 1, 1, 1, 1e19, 1)
	var e *pegasos.StepError
	m, err := fixed(t.Context(), x, []float32{1, 0, 1, 0}, pegasos.Config{Shards: 2,
		Offset: pegasos.OffsetNone, ClassWeight: "1=1e15"})
	if m != nil || !errors.As(err, &e) {
		t.Error(fmt.Sprint(m, err))
	}
}
